import { useQuery } from '@tanstack/react-query';
import { Ellipsis, Pencil } from 'lucide-react';
import { Suspense } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { api, read, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { lazyScreen } from '../../data/new-version.ts';
import { useOpened } from '../../data/opened.ts';
import { HistoryList } from '../../history/HistoryList.tsx';
import { useShortcut } from '../../keys/registry.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { Menu } from '../../kit/overlays/Menu.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import { ProjectTabs, ToProjects } from '../../parts/ProjectTabs.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { type ProjectDetails, projectQuery } from '../../projects/project-data.ts';
import { parts } from '../../words/en/parts.ts';
import { projects as words } from '../../words/en/projects.ts';
import { DefaultStrategies } from './DefaultStrategies.tsx';
import { EditProject } from './EditProject.tsx';
import { ProjectAccess } from './ProjectAccess.tsx';
import { ProjectEnvironments } from './ProjectEnvironments.tsx';

type Tab = keyof typeof words.tabs;
const TABS = ['settings', 'environments', 'default-strategy', 'actions', 'history'] as const;

const ActionSets = lazyScreen(async () => ({
  default: (await import('../signals/actions/ActionSets.tsx')).ActionSets,
}));
const COMMITS = 30;

function History({ project }: { readonly project: string }) {
  const params = { path: { projectId: project } };
  return (
    <HistoryList
      isInBody
      stateAt={(revision) => path('projectFeatures', { projectId: project }, { at: revision })}
      queryKey={keys.project(project, 'history')}
      read={(before) =>
        read(
          api.GET('/api/admin/projects/{projectId}/history', {
            params: { ...params, query: { limit: COMMITS, ...(before !== undefined && { before }) } },
          }),
        )
      }
    />
  );
}

function Facts({ project }: { readonly project: ProjectDetails }) {
  const { id, description, mode, defaultStickiness, featureLimit, featureNaming } = project;
  return (
    <dl className={styles.facts}>
      <dt>{words.id}</dt>
      <dd>
        <code>{id}</code>
      </dd>
      <dt>{words.description}</dt>
      <dd>{description || <span className={styles.quiet}>{parts.empty}</span>}</dd>
      <dt>{words.mode}</dt>
      <dd>
        {words.modes[mode]}. <span className={styles.quiet}>{words.modeHints[mode]}</span>
      </dd>
      <dt>{words.stickiness}</dt>
      <dd>
        <code>{defaultStickiness}</code>
      </dd>
      <dt>{words.limit}</dt>
      <dd>{featureLimit ?? <span className={styles.quiet}>{parts.empty}</span>}</dd>
      <dt>{words.naming}</dt>
      <dd>
        {featureNaming.pattern ? (
          <code>{featureNaming.pattern}</code>
        ) : (
          <span className={styles.quiet}>{parts.empty}</span>
        )}
      </dd>
    </dl>
  );
}

const ENDINGS = ['archive', 'delete'] as const;
type EndingKind = (typeof ENDINGS)[number];

function useMayNotEnd(project: string): MayNot {
  const mayNot = useMay('DELETE_PROJECT', project);
  return mayNot ?? (project === 'default' ? words.isDefault : undefined);
}

/** Archives a project or deletes it; both demand that its flags are archived. */
function Ending({
  project,
  kind,
  count,
  onClose,
}: {
  readonly project: ProjectDetails;
  readonly kind: EndingKind;
  readonly count: number;
  readonly onClose: () => void;
}) {
  const [, navigate] = useLocation();
  const { id, name } = project;
  const mayNot = useMayNotEnd(id);
  const params = { path: { projectId: id } };
  const isArchive = kind === 'archive';
  return (
    <ConfirmDialog<unknown>
      danger
      title={isArchive ? words.archiveTitle(name) : words.deleteTitle(name)}
      sentences={isArchive ? words.archiveEffects(name) : words.deleteEffects}
      label={isArchive ? words.archive.replace('…', '') : parts.delete}
      mayNot={mayNot}
      blocked={count > 0 ? words.archiveBlocked(count) : undefined}
      {...(isArchive ? {} : { typed: id })}
      act={(reason) =>
        isArchive
          ? write(api.POST('/api/admin/projects/archive/{projectId}', { params, headers: stated({ reason }) }))
          : write(api.DELETE('/api/admin/projects/{projectId}', { params, headers: stated({ reason }) }))
      }
      saved={{ canUndo: true, text: isArchive ? words.archived(name) : words.deleted(name), refresh: [keys.projects] }}
      onDone={() => navigate(path('projects'))}
      onClose={onClose}
    >
      {count > 0 && (
        <p>
          {words.archiveBlocked(count)}{' '}
          <Link className={styles.inline} href={path('projectFeatures', { projectId: id })}>
            {words.openFlags}
          </Link>
        </p>
      )}
    </ConfirmDialog>
  );
}

function Actions({ project, onEnd }: { readonly project: string; readonly onEnd: (kind: EndingKind) => void }) {
  const reason = useMayNotEnd(project);
  return (
    <Menu
      icon={<Ellipsis aria-hidden />}
      label={words.actions}
      entries={[
        { label: words.archive, reason, onSelect: () => onEnd('archive') },
        { label: words.delete, danger: true, reason, onSelect: () => onEnd('delete') },
      ]}
    />
  );
}

interface SettingsTabsProps {
  readonly project: ProjectDetails;
  readonly tab: Tab;
  readonly mayNotEdit: MayNot;
  readonly onEdit: () => void;
}

function SettingsTabs({ project, tab, mayNotEdit, onEdit }: SettingsTabsProps) {
  const [, navigate] = useLocation();
  return (
    <>
      <div>
        <Segmented<Tab>
          label={words.tabsLabel}
          value={tab}
          onChange={(value) =>
            navigate(path('projectSettingsTab', { projectId: project.id, tab: value }), { replace: true })
          }
          options={TABS.map((value) => ({ value, label: words.tabs[value] }))}
        />
      </div>
      {tab === 'settings' && (
        <section className={styles.card}>
          <Facts project={project} />
          <div>
            <Button icon={<Pencil aria-hidden />} reason={mayNotEdit} onClick={onEdit}>
              {words.edit}
            </Button>{' '}
            <Link className={styles.inline} href={path('projectReleaseTemplates', { projectId: project.id })}>
              {words.releaseTemplates}
            </Link>
          </div>
        </section>
      )}
      {tab === 'history' && <History project={project.id} />}
      {tab === 'environments' && <ProjectEnvironments project={project.id} />}
      {tab === 'actions' && (
        <Suspense fallback={<Skeleton rows={4} />}>
          <ActionSets project={project.id} />
        </Suspense>
      )}
      {tab === 'default-strategy' && <DefaultStrategies project={project} />}
    </>
  );
}

function Settings({ project }: { readonly project: ProjectDetails }) {
  const params = useParams<{ tab?: string }>();
  const [panel, setPanel] = useOpened('panel');
  const [asked, setAsked] = useOpened('ask');
  const ending = ENDINGS.find((kind) => kind === asked);
  const mayNotEdit = useMay('UPDATE_PROJECT', project.id);
  const isAccess = params.tab === 'access';
  const tab: Tab = TABS.find((one) => one === params.tab) ?? 'settings';
  const count = project.featureTypeCounts.reduce((sum, one) => sum + one.count, 0);
  useShortcut(
    mayNotEdit === undefined && tab === 'settings' && !isAccess
      ? { keys: 'e', label: words.edit, group: words.title, run: () => setPanel('edit') }
      : undefined,
  );
  return (
    <Page
      name={isAccess ? words.accessOf(project.name) : words.settingsOf(project.name)}
      title={project.name}
      above={<ToProjects />}
      tabs={<ProjectTabs project={project.id} value={isAccess ? 'access' : 'settings'} />}
      actions={<Actions project={project.id} onEnd={setAsked} />}
    >
      {isAccess ? (
        <ProjectAccess project={project.id} />
      ) : (
        <SettingsTabs project={project} tab={tab} mayNotEdit={mayNotEdit} onEdit={() => setPanel('edit')} />
      )}
      {panel === 'edit' && <EditProject project={project} onClose={() => setPanel('')} />}
      {ending && <Ending project={project} kind={ending} count={count} onClose={() => setAsked('')} />}
    </Page>
  );
}

export function ProjectSettingsPage() {
  const { projectId = '' } = useParams<{ projectId: string }>();
  return (
    <Loaded query={useQuery(projectQuery(projectId))}>
      {(project) => <Settings key={project.id} project={project} />}
    </Loaded>
  );
}
