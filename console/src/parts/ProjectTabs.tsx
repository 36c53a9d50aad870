import { Link } from 'wouter';
import { TabLinks } from '../kit/lists/TabLinks.tsx';
import { path } from '../paths.ts';
import { projects as words } from '../words/en/projects.ts';
import styles from './parts.module.css';

export type ProjectTab = keyof typeof words.parts;

/** The one row of tabs that every screen of a project has. */
export function ProjectTabs({ project, value }: { readonly project: string; readonly value: ProjectTab }) {
  const params = { projectId: project };
  const hrefs: Readonly<Record<ProjectTab, string>> = {
    flags: path('projectFeatures', params),
    requests: path('projectChangeRequests', params),
    health: path('projectHealth', params),
    access: path('projectSettingsTab', { ...params, tab: 'access' }),
    settings: path('projectSettings', params),
  };
  const names = Object.keys(words.parts) as ProjectTab[];
  return (
    <TabLinks<ProjectTab>
      label={words.partsLabel}
      value={value}
      tabs={names.map((name) => ({ value: name, label: words.parts[name], href: hrefs[name] }))}
    />
  );
}

/** Above the name of a project. */
export function ToProjects() {
  return (
    <Link href={path('projects')} className={styles.crumb}>
      {words.title}
    </Link>
  );
}
