import { Link } from 'wouter';
import { useProjects } from '../../data/settings.ts';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { signals as words } from '../../words/en/admin/signals.ts';

/** With more projects, the list of projects is the shorter way. */
const NAMED_MAX = 5;

/** What actions are, with links to where they are made. */
export function WhereActionsAre() {
  const { data: projects = [] } = useProjects();
  const isNamed = projects.length > 0 && projects.length <= NAMED_MAX;
  return (
    <>
      {words.actionsAre}{' '}
      {isNamed ? (
        <>
          {words.actionsOf}{' '}
          {projects.map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <Link className={styles.inline} href={path('projectSettingsTab', { projectId: id, tab: 'actions' })}>
                {name}
              </Link>
            </span>
          ))}
          .
        </>
      ) : (
        <>
          {words.openProject}{' '}
          <Link className={styles.inline} href={path('projects')}>
            {words.projects}
          </Link>
          .
        </>
      )}
    </>
  );
}
