import { Boxes, Plus } from 'lucide-react';
import { useLocation, useParams } from 'wouter';
import { useMay } from '../../data/may.ts';
import { useSegments } from '../../data/settings.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { NumberText } from '../../kit/NumberText.tsx';
import { constraintText } from '../../kit/rule-words.ts';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { type Column, Table } from '../../kit/Table.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { PATHS, path } from '../../paths.ts';
import { Page } from '../../shell/Page.tsx';
import { segments as words } from '../../words/en/segments.ts';
import { SegmentEditor } from './SegmentEditor.tsx';

type Segment = NonNullable<ReturnType<typeof useSegments>['data']>[number];

const columns: Column<Segment>[] = [
  { key: 'name', header: words.columns.name, width: 'minmax(140px, 1fr)', cell: ({ name }) => name },
  {
    key: 'rule',
    header: words.columns.rule,
    width: 'minmax(160px, 2fr)',
    from: 'medium',
    cell: ({ constraints }) =>
      constraints.length === 0 ? words.everyone : constraints.map(constraintText).join(' · '),
  },
  {
    key: 'project',
    header: words.columns.project,
    width: '110px',
    from: 'medium',
    cell: ({ project }) => project ?? words.allProjects,
  },
  {
    key: 'flags',
    header: words.columns.flags,
    width: '80px',
    align: 'end',
    cell: ({ usedInFeatures }) => <NumberText value={usedInFeatures ?? 0} />,
  },
  {
    key: 'created',
    header: words.columns.created,
    width: '100px',
    from: 'wide',
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
  },
];

/** All segments; the address says which one is edited. */
export function SegmentsScreen() {
  const { id } = useParams<{ id?: string }>();
  const [location, navigate] = useLocation();
  const { data, error } = useSegments();
  const mayNot = useMay(['CREATE_SEGMENT', 'CREATE_PROJECT_SEGMENT', 'UPDATE_PROJECT_SEGMENT']);
  const close = () => navigate(path('segments'));
  const isNew = location === PATHS.createSegment;
  const opened = data?.find((segment) => String(segment.id) === id);
  const create = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNot} onClick={() => navigate(path('createSegment'))}>
      {words.create}
    </Button>
  );
  return (
    <Page
      title={words.title}
      actions={create}
      inspector={(isNew || opened) && <SegmentEditor key={id ?? 'new'} segment={opened} onClose={close} />}
    >
      {error && <Banner tone="bad">{error.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={4} />}
      {data && (
        <Table<Segment>
          label={words.title}
          main
          columns={columns}
          rows={data}
          rowKey={(segment) => String(segment.id)}
          rowName={({ name }) => name}
          onOpen={(segment) => navigate(path('segment', { id: segment.id }))}
          empty={<EmptyState icon={<Boxes aria-hidden />} sentence={words.empty} action={create} />}
        />
      )}
    </Page>
  );
}
