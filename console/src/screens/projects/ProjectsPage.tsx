import { useQuery } from '@tanstack/react-query';
import { FolderKanban, Lock, Plus, Settings, Shield, Star } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { api, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { useProjects } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { useShortcut } from '../../keys/registry.ts';
import { Button, buttonClass } from '../../kit/inputs/Button.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { FilterInput, matches } from '../../parts/FilterInput.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { NothingMatches } from '../../parts/NothingMatches.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { archivedProjectsQuery, type Project } from '../../projects/project-data.ts';
import { useQuickWrite } from '../../save/use-write.ts';
import { parts } from '../../words/en/parts.ts';
import { projects as words } from '../../words/en/projects.ts';
import { CreateProject } from './CreateProject.tsx';
import own from './Projects.module.css';

function useFavorite() {
  const { run } = useQuickWrite();
  return ({ id, favorite }: Project) => {
    const params = { params: { path: { projectId: id } } };
    const url = '/api/admin/projects/{projectId}/favorites' as const;
    void run<unknown>(() => write(favorite ? api.DELETE(url, params) : api.POST(url, params)), {
      refresh: [keys.projects],
    });
  };
}

function ModeBadge({ mode }: Pick<Project, 'mode'>) {
  if (mode === 'open') return null;
  return <Badge icon={mode === 'private' ? <Lock aria-hidden /> : <Shield aria-hidden />}>{words.modes[mode]}</Badge>;
}

function ProjectCard({
  project,
  onFavorite,
}: {
  readonly project: Project;
  readonly onFavorite: (project: Project) => void;
}) {
  const { id, name, description, favorite, featureCount, staleFeatureCount, memberCount, health, lastUpdatedAt } =
    project;
  return (
    <li className={own.card}>
      <div className={styles.between}>
        <h2 className={own.name}>
          <Link href={path('projectFeatures', { projectId: id })} className={own.open}>
            {name}
          </Link>
        </h2>
        <ModeBadge mode={project.mode} />
        <span className={own.controls}>
          <IconButton
            size="small"
            icon={<Star aria-hidden fill={favorite ? 'currentColor' : 'none'} />}
            label={words.favorite(name, favorite)}
            aria-pressed={favorite}
            onClick={() => onFavorite(project)}
          />
          <Link
            href={path('projectSettings', { projectId: id })}
            className={buttonClass({ kind: 'quiet', size: 'small', square: true })}
            aria-label={words.settingsOf(name)}
          >
            <Settings aria-hidden />
          </Link>
        </span>
      </div>
      <p className={own.description}>{description || <code>{id}</code>}</p>
      <p className={own.foot}>
        <span className={own.counts}>
          <span>{words.flags(featureCount)}</span>
          {staleFeatureCount > 0 && <span>{words.stale(staleFeatureCount)}</span>}
          <span>{words.members(memberCount)}</span>
          {featureCount > 0 && <span>{words.health(health)}</span>}
        </span>
        {lastUpdatedAt && (
          <span className={own.when}>
            <TimeText at={lastUpdatedAt} />
          </span>
        )}
      </p>
    </li>
  );
}

function ArchivedProject({ project }: { readonly project: Project }) {
  const { run, isPending } = useQuickWrite();
  const mayNot = useMay(['CREATE_PROJECT', 'DELETE_PROJECT'], project.id);
  const revive = () =>
    void run<unknown>(
      () => write(api.POST('/api/admin/projects/revive/{projectId}', { params: { path: { projectId: project.id } } })),
      {
        text: words.revived(project.name),
        refresh: [keys.projects],
      },
    );
  return (
    <li>
      <span className={styles.grow}>
        <span className={styles.strong}>{project.name}</span> <code className={styles.quiet}>{project.id}</code>
      </span>
      {project.archivedAt && (
        <span className={styles.quiet}>
          <TimeText at={project.archivedAt} />
        </span>
      )}
      <Button size="small" reason={mayNot} pending={isPending} onClick={revive}>
        {words.revive}
      </Button>
    </li>
  );
}

function Archived({ text }: { readonly text: string }) {
  const query = useQuery(archivedProjectsQuery);
  return (
    <Loaded query={query}>
      {(all) => {
        const shown = all.filter(({ id, name }) => matches(text, id, name));
        if (shown.length === 0)
          return <EmptyState sentence={all.length === 0 ? words.noneArchived : parts.nothingMatches} />;
        return (
          <div className={styles.list}>
            <ul className={styles.items}>
              {shown.map((project) => (
                <ArchivedProject key={project.id} project={project} />
              ))}
            </ul>
          </div>
        );
      }}
    </Loaded>
  );
}

interface CardsProps {
  readonly projects: readonly Project[];
  readonly text: string;
  readonly onClear: () => void;
}

/** The favorites first. */
function Cards({ projects, text, onClear }: CardsProps) {
  const favorite = useFavorite();
  const shown = projects
    .filter(({ id, name, description }) => matches(text, id, name, description))
    .sort((a, b) => Number(b.favorite) - Number(a.favorite) || a.name.localeCompare(b.name));
  if (shown.length === 0) return <NothingMatches onClear={onClear} />;
  return (
    <ul className={styles.cards}>
      {shown.map((project) => (
        <ProjectCard key={project.id} project={project} onFavorite={favorite} />
      ))}
    </ul>
  );
}

export function ProjectsPage() {
  const query = useProjects();
  const [text, setText] = useUrlState('filter');
  const [view, setView] = useUrlState('view', 'active');
  const [panel, setPanel] = useOpened('panel');
  const [, navigate] = useLocation();
  const mayNot = useMay('CREATE_PROJECT');
  const create = () => setPanel('create');
  useShortcut(mayNot === undefined ? { keys: 'c', label: words.create, group: words.title, run: create } : undefined);
  const button = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNot} onClick={create}>
      {words.create}
    </Button>
  );
  return (
    <Page name={words.title} count={query.data?.length} actions={button}>
      <div className={styles.tools}>
        <FilterInput value={text} onChange={setText} />
        <Segmented
          label={words.view}
          value={view}
          onChange={setView}
          options={[
            { value: 'active', label: words.views.active },
            { value: 'archived', label: words.views.archived },
          ]}
        />
      </div>
      {view === 'archived' ? (
        <Archived text={text} />
      ) : (
        <Loaded query={query} shape="card">
          {(all) => {
            if (all.length === 0)
              return (
                <EmptyState
                  icon={<FolderKanban aria-hidden />}
                  sentence={words.none}
                  action={button}
                  command={command()}
                />
              );
            return <Cards projects={all} text={text} onClear={() => setText('')} />;
          }}
        </Loaded>
      )}
      {panel === 'create' && (
        <CreateProject
          onClose={() => setPanel('')}
          onCreated={(id) => navigate(path('projectSettings', { projectId: id }), { replace: true })}
        />
      )}
    </Page>
  );
}

const command = () =>
  `curl -X POST ${location.origin}/api/admin/projects -H "Authorization: $ADMIN_TOKEN" -H 'content-type: application/json' -d '{"id":"shop","name":"Shop"}'`;
