import { useQuery } from '@tanstack/react-query';
import { Boxes } from 'lucide-react';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useSegmentsWithUse } from '../../data/settings.ts';
import type { Segment } from '../../domain/model.ts';
import { col } from '../../parts/columns.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { deletion, type Listed, ListScreen } from '../../parts/ListScreen.tsx';
import { UsedBy } from '../../parts/UsedBy.tsx';
import { path } from '../../paths.ts';
import { parts } from '../../words/en/parts.ts';
import { usedBy, segments as words } from '../../words/en/segments.ts';
import { constraintText } from '../../words/rule-words.ts';
import { CreateSegment, EditSegment } from './SegmentPanel.tsx';
import { segmentUseQuery } from './segment-data.ts';

const LIST = '/api/admin/segments';

const ruleOf = ({ constraints }: Segment) => constraints.map(constraintText).join(' and ') || words.everyone;

/** What uses it blocks its deletion. */
function useDeletion({ id, name }: Segment) {
  const { data: use } = useQuery(segmentUseQuery(id));
  const isUsed = use === undefined || use.strategies.length > 0 || use.changeRequestStrategies.length > 0;
  if (!isUsed) return { sentences: [words.deleteEffect(name)] };
  const more = (
    <>
      <p>{words.deleteBlocked}</p>
      {use && <UsedBy title={usedBy.title} strategies={use.strategies} requests={use.changeRequestStrategies} />}
    </>
  );
  return { sentences: [], blocked: words.deleteBlocked, more };
}

const { columns } = words;

const SEGMENTS: Listed<Segment> = {
  words,
  useRows: useSegmentsWithUse,
  refresh: [keys.segments],
  icon: <Boxes aria-hidden />,
  mayCreate: ['CREATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
  mayUpdate: ['UPDATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
  projectOf: ({ project }) => project ?? undefined,
  keyOf: ({ id }) => String(id),
  nameOf: ({ name }) => name,
  pages: { list: path('segments'), of: ({ id }) => path('segment', { id }), create: path('createSegment') },
  acts: [
    deletion(words, {
      may: ['DELETE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
      useQuestion: useDeletion,
      run: ({ id }, reason) =>
        write(api.DELETE(`${LIST}/{id}`, { params: { path: { id } }, headers: stated({ reason }) })),
    }),
  ],
  canUndo: true,
  texts: (segment) => [segment.name, segment.description, segment.project, ruleOf(segment)],
  // First in the order of the service.
  firstSort: 'order',
  sortText: ({ name, createdAt }, key) => (key === 'name' ? name : key === 'created' ? createdAt : ''),
  columns: [
    col.strong('name', columns.name, ({ name }) => name, { sortable: true }),
    col.quiet('rule', columns.rule, ruleOf),
    col.quiet('project', columns.project, ({ project }) => project ?? parts.allProjects, {
      width: '112px',
      from: 'wide',
    }),
    col.number('used', columns.used, ({ usedInFeatures }) => usedInFeatures ?? 0),
    col.time('created', columns.created, ({ createdAt }) => createdAt, { width: '96px', sortable: true }),
  ],
  command: curl(LIST, {
    name: 'nordics',
    constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }],
  }),
};

/** The segments, with the panel that the address says. */
export const SegmentsPage = () => (
  <ListScreen
    of={SEGMENTS}
    create={(onClose) => <CreateSegment onClose={onClose} onCreated={onClose} />}
    edit={(segment, onClose) => <EditSegment key={segment.id} segment={segment} onClose={onClose} />}
  />
);
