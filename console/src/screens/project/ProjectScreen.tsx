import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { Link, useLocation, useParams } from 'wouter';
import { api, read, readTagged } from '../../data/client.ts';
import { Failure } from '../../data/failure.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { HistoryList } from '../../history/HistoryList.tsx';
import { Banner } from '../../kit/Banner.tsx';
import { Button, buttonClass } from '../../kit/Button.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { Tabs } from '../../kit/Tabs.tsx';
import { path } from '../../paths.ts';
import { NotFound } from '../../shell/NotFound.tsx';
import { Page } from '../../shell/Page.tsx';
import { createFlag } from '../../words/en/create-flag.ts';
import { features } from '../../words/en/features.ts';
import { projects as words } from '../../words/en/projects.ts';
import { CreateFlag } from '../features/CreateFlag.tsx';
import { FlagList } from '../features/FlagList.tsx';
import { ProjectAccess } from './ProjectAccess.tsx';
import { ProjectEnvironments } from './ProjectEnvironments.tsx';
import { ProjectSettings } from './ProjectSettings.tsx';

const TABS = ['flags', 'environments', 'access', 'history', 'settings'] as const;
type Tab = (typeof TABS)[number];
const tabOf = (text: string | undefined): Tab => TABS.find((tab) => tab === text) ?? 'settings';
const PAGE = 30;

/** A project: its flags, and everything that belongs to it. */
export function ProjectScreen() {
  const { projectId = '', tab: tabText } = useParams<{ projectId: string; tab?: string }>();
  const [location, navigate] = useLocation();
  const [panel, setPanel] = useUrlState('panel');
  const tab: Tab = location.includes(`/projects/${encodeURIComponent(projectId)}/settings`) ? tabOf(tabText) : 'flags';
  const { data, error } = useQuery({
    queryKey: keys.project(projectId, 'overview-tagged'),
    queryFn: () => readTagged(api.GET('/api/admin/projects/{projectId}/overview', { params: { path: { projectId } } })),
  });
  const mayNotCreate = useMay('CREATE_FEATURE', projectId);
  const mayNotUndo = useMay('UPDATE_FEATURE', projectId);
  if (error instanceof Failure && (error.status === 404 || error.status === 403)) return <NotFound />;
  if (error && !data) return <Banner tone="bad">{error.message}</Banner>;
  if (!data) return <Skeleton shape="rows" rows={8} />;
  const project = data.value;
  const move = (to: Tab) =>
    navigate(
      to === 'flags' ? path('projectFeatures', { projectId }) : path('projectSettingsTab', { projectId, tab: to }),
    );
  return (
    <Page
      title={project.name}
      isFull={tab === 'flags'}
      above={<Link href={path('projects')}>{words.title}</Link>}
      actions={
        <>
          <Link className={buttonClass({})} href={path('projectChangeRequests', { projectId })}>
            {words.tabs.requests}
          </Link>
          <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNotCreate} onClick={() => setPanel('create')}>
            {features.create}
          </Button>
        </>
      }
      inspector={
        panel === 'create' && <CreateFlag key={createFlag.title} project={projectId} onClose={() => setPanel('')} />
      }
    >
      <Tabs
        label={words.tabsLabel}
        tabs={TABS.map((value) => ({ value, label: words.tabs[value] }))}
        value={tab}
        onChange={move}
      >
        {tab === 'flags' && <FlagList project={projectId} onCreate={() => setPanel('create')} />}
        {tab === 'environments' && <ProjectEnvironments project={projectId} />}
        {tab === 'access' && <ProjectAccess project={projectId} />}
        {tab === 'settings' && <ProjectSettings id={projectId} project={project} etag={data.etag} />}
        {tab === 'history' && (
          <HistoryList
            mayNotUndo={mayNotUndo}
            queryKey={keys.project(projectId, 'history')}
            read={(before) =>
              read(
                api.GET('/api/admin/projects/{projectId}/history', {
                  params: { path: { projectId }, query: { limit: PAGE, ...(before === undefined ? {} : { before }) } },
                }),
              )
            }
          />
        )}
      </Tabs>
    </Page>
  );
}
