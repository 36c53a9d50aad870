import { useQuery } from '@tanstack/react-query';
import { History, Plus } from 'lucide-react';
import { Suspense, useCallback } from 'react';
import { useParams } from 'wouter';
import { useMay } from '../../data/may.ts';
import { lazyScreen } from '../../data/new-version.ts';
import { useOpened } from '../../data/opened.ts';
import { CreateFlag } from '../../flags/CreateFlag.tsx';
import { FlagList } from '../../flags/FlagList.tsx';
import { useShortcut } from '../../keys/registry.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { Page } from '../../page/Page.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { ProjectTabs, ToProjects } from '../../parts/ProjectTabs.tsx';
import { useMoment } from '../../past/moment.ts';
import { type ProjectDetails, projectQuery } from '../../projects/project-data.ts';
import { features } from '../../words/en/flags/features.ts';
import { past } from '../../words/en/past.ts';

const PastProject = lazyScreen(async () => ({ default: (await import('./PastProject.tsx')).PastProject }));

function Flags({ project: { id, name } }: { readonly project: ProjectDetails }) {
  const [panel, setPanel] = useOpened('panel');
  const moment = useMoment();
  const mayNot = useMay('CREATE_FEATURE', id);
  const create = useCallback(() => setPanel('create'), [setPanel]);
  useShortcut(
    mayNot === undefined ? { keys: 'c', label: features.create, group: features.title, run: create } : undefined,
  );
  return (
    <Page
      title={name}
      isFull
      above={<ToProjects />}
      tabs={<ProjectTabs project={id} value="flags" />}
      actions={
        <>
          <Button icon={<History aria-hidden />} onClick={moment.open}>
            {past.open}
          </Button>
          <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNot} onClick={create}>
            {features.create}
          </Button>
        </>
      }
      inspector={panel === 'create' && <CreateFlag project={id} onClose={() => setPanel('')} />}
    >
      <FlagList project={id} onCreate={create} mayNotCreate={mayNot} />
    </Page>
  );
}

/** The flags of one project, now or at the moment that the address names. */
export function ProjectPage() {
  const { projectId = '' } = useParams<{ projectId: string }>();
  const { at } = useMoment();
  if (at === '') return <ProjectNow projectId={projectId} />;
  return (
    <Suspense fallback={<Skeleton shape="rows" rows={8} />}>
      <PastProject projectId={projectId} />
    </Suspense>
  );
}

/** A project that the person may not see does not exist for them. */
function ProjectNow({ projectId }: { readonly projectId: string }) {
  return (
    <Loaded query={useQuery(projectQuery(projectId))}>
      {(project) => <Flags key={project.id} project={project} />}
    </Loaded>
  );
}
