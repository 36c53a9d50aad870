import { useQuery } from '@tanstack/react-query';
import { GitPullRequest } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge } from '../../kit/Badge.tsx';
import { Banner } from '../../kit/Banner.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { Pager } from '../../kit/Pager.tsx';
import { Segmented } from '../../kit/Segmented.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { type Column, Table } from '../../kit/Table.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { path } from '../../paths.ts';
import { Page } from '../../shell/Page.tsx';
import { changeRequests as words } from '../../words/en/change-requests.ts';
import styles from './ChangeRequests.module.css';
import { toneOf } from './tone.ts';

const PAGE = 50;
const search = (query: { state?: string; project?: string; offset: number }) =>
  read(api.GET('/api/admin/search/change-requests', { params: { query: { ...query, limit: PAGE } } }));
type Row = Awaited<ReturnType<typeof search>>['changeRequests'][number];
type Filter = keyof typeof words.states;

const columns: Column<Row>[] = [
  {
    key: 'title',
    header: words.columns.title,
    width: 'minmax(180px, 1fr)',
    cell: ({ title, projectId, id }, controls) => (
      <Link {...controls} className={styles.link} href={path('changeRequest', { projectId, id })}>
        {title}
      </Link>
    ),
  },
  {
    key: 'state',
    header: words.columns.state,
    width: '110px',
    cell: ({ state }) => <Badge tone={toneOf(state)}>{state}</Badge>,
  },
  {
    key: 'environment',
    header: words.columns.environment,
    width: '120px',
    from: 'medium',
    cell: ({ environment }) => environment,
  },
  {
    key: 'project',
    header: words.columns.project,
    width: '120px',
    from: 'medium',
    cell: ({ projectName }) => projectName,
  },
  {
    key: 'flags',
    header: words.columns.flags,
    width: 'minmax(120px, 1fr)',
    from: 'wide',
    cell: ({ features }) => <code>{features.join(', ')}</code>,
  },
  { key: 'by', header: words.columns.by, width: '110px', from: 'wide', cell: ({ createdBy }) => createdBy.username },
  {
    key: 'created',
    header: words.columns.created,
    width: '100px',
    from: 'wide',
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
  },
];

/** Requests of all projects, or of one. */
export function ChangeRequestsScreen() {
  const { projectId } = useParams<{ projectId?: string }>();
  const [state, setState] = useUrlState('state', 'open');
  const [offset, setOffset] = useUrlState('offset', '0');
  const [, navigate] = useLocation();
  const query = useMemo(
    () => ({
      ...(state === 'all' ? {} : { state }),
      ...(projectId ? { project: projectId } : {}),
      offset: Number(offset) || 0,
    }),
    [state, projectId, offset],
  );
  const { data, error } = useQuery({ queryKey: keys.changeRequests('search', query), queryFn: () => search(query) });
  return (
    <Page
      title={words.title}
      above={projectId && <Link href={path('projectFeatures', { projectId })}>{projectId}</Link>}
      actions={
        <Segmented
          label={words.columns.state}
          options={(Object.keys(words.states) as Filter[]).map((value) => ({ value, label: words.states[value] }))}
          value={state as Filter}
          onChange={(value) => setState(value)}
        />
      }
    >
      {error && <Banner tone="bad">{error.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={6} />}
      {data && (
        <>
          <Table<Row>
            label={words.title}
            main
            columns={columns}
            rows={data.changeRequests}
            rowKey={({ id }) => String(id)}
            rowName={({ title }) => title}
            onOpen={({ id, projectId: project }) => navigate(path('changeRequest', { projectId: project, id }))}
            empty={<EmptyState icon={<GitPullRequest aria-hidden />} sentence={words.empty} />}
          />
          {data.total > PAGE && (
            <Pager offset={query.offset} limit={PAGE} total={data.total} onMove={(to) => setOffset(String(to))} />
          )}
        </>
      )}
    </Page>
  );
}
