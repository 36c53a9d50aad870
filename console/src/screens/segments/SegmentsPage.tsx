import { useQuery } from '@tanstack/react-query';
import { Boxes, Plus } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { useLocation, useParams } from 'wouter';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay, useMayIn } from '../../data/may.ts';
import { useOpenedItem, usePanelPages } from '../../data/opened.ts';
import { useSegmentsWithUse } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import type { Segment } from '../../domain/model.ts';
import { useShortcut } from '../../keys/registry.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FilterInput, matches } from '../../parts/FilterInput.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import { NothingMatches } from '../../parts/NothingMatches.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { UsedBy } from '../../parts/UsedBy.tsx';
import { path } from '../../paths.ts';
import { parts } from '../../words/en/parts.ts';
import { usedBy, segments as words } from '../../words/en/segments.ts';
import { constraintText } from '../../words/rule-words.ts';
import { CreateSegment, EditSegment } from './SegmentPanel.tsx';
import { segmentUseQuery } from './segment-data.ts';

const ruleOf = ({ constraints }: Segment) => constraints.map(constraintText).join(' and ') || words.everyone;

function columnsOf(
  onOpen: (segment: Segment) => void,
  onDelete: (segment: Segment) => void,
  mayNot: (segment: Segment) => string | undefined,
): Column<Segment>[] {
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1fr)',
      cell: ({ name }) => <span className={`${styles.cut} ${styles.strong}`}>{name}</span>,
    },
    {
      key: 'rule',
      header: columns.rule,
      width: 'minmax(0, 2fr)',
      from: 'medium',
      cell: (segment) => <span className={`${styles.cut} ${styles.quiet}`}>{ruleOf(segment)}</span>,
    },
    {
      key: 'project',
      header: columns.project,
      width: '112px',
      from: 'wide',
      cell: ({ project }) => <span className={`${styles.cut} ${styles.quiet}`}>{project ?? words.allProjects}</span>,
    },
    {
      key: 'used',
      header: columns.used,
      width: '56px',
      align: 'end',
      cell: ({ usedInFeatures }) => <NumberText value={usedInFeatures ?? 0} />,
    },
    {
      key: 'created',
      header: columns.created,
      width: '96px',
      from: 'wide',
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
    },
    menuColumn(
      (segment) => words.actions(segment.name),
      (segment) => [
        { label: words.edit, onSelect: () => onOpen(segment) },
        { label: words.delete, danger: true, reason: mayNot(segment), onSelect: () => onDelete(segment) },
      ],
    ),
  ];
}

function DeleteSegment({ segment, onClose }: { readonly segment: Segment; readonly onClose: () => void }) {
  const { data: use } = useQuery(segmentUseQuery(segment.id));
  const isUsed = use === undefined || use.strategies.length > 0 || use.changeRequestStrategies.length > 0;
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.deleteTitle(segment.name)}
      sentences={isUsed ? [] : [words.deleteEffect(segment.name)]}
      label={parts.delete}
      blocked={isUsed ? words.deleteBlocked : undefined}
      act={(reason) =>
        write(
          api.DELETE('/api/admin/segments/{id}', { params: { path: { id: segment.id } }, headers: stated({ reason }) }),
        )
      }
      saved={{ text: words.deleted(segment.name), canUndo: true, refresh: [keys.segments] }}
      onClose={onClose}
    >
      {isUsed && <p>{words.deleteBlocked}</p>}
      {use && isUsed && (
        <UsedBy title={usedBy.title} strategies={use.strategies} requests={use.changeRequestStrategies} />
      )}
    </ConfirmDialog>
  );
}

interface SegmentListProps {
  readonly rows: readonly Segment[];
  readonly columns: readonly Column<Segment>[];
  readonly text: string;
  readonly onFilter: (text: string) => void;
  readonly onOpen: (row: Segment) => void;
}

function SegmentList({ rows, columns, text, onFilter, onOpen }: SegmentListProps) {
  return (
    <>
      <div className={styles.tools}>
        <FilterInput value={text} onChange={onFilter} />
      </div>
      <div className={styles.list}>
        <Table<Segment>
          main
          label={words.title}
          columns={columns}
          rows={rows.filter((one) => matches(text, one.name, one.description, one.project, ruleOf(one)))}
          rowKey={({ id }) => String(id)}
          rowName={({ name }) => name}
          onOpen={onOpen}
          empty={<NothingMatches onClear={() => onFilter('')} />}
        />
      </div>
    </>
  );
}

const idOf = ({ id }: Segment) => id;

/** The list, with the panel that the address says beside it. */
export function SegmentsPage() {
  const query = useSegmentsWithUse();
  const params = useParams<{ id?: string }>();
  const [location] = useLocation();
  const [text, setText] = useUrlState('filter');
  const [deleting, setDeleting] = useOpenedItem('ask', query.data, idOf);
  const mayNotCreate = useMay(['CREATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT']);
  const mayIn = useMayIn();
  const { open: show, close } = usePanelPages(path('segments'));
  const create = () => show(path('createSegment'));
  useShortcut(
    mayNotCreate === undefined ? { keys: 'c', label: words.create, group: words.title, run: create } : undefined,
  );
  const open = useCallback(({ id }: Segment) => show(path('segment', { id })), [show]);
  const columns = useMemo(
    () =>
      columnsOf(open, setDeleting, ({ project }) =>
        mayIn('DELETE_SEGMENT') === undefined || (project && mayIn('UPDATE_PROJECT_SEGMENT', project) === undefined)
          ? undefined
          : mayIn('DELETE_SEGMENT'),
      ),
    [open, setDeleting, mayIn],
  );
  const button = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNotCreate} onClick={create}>
      {words.create}
    </Button>
  );
  const shown = query.data?.find(({ id }) => String(id) === params.id);
  return (
    <Page
      name={words.title}
      count={query.data?.length}
      lead={words.lead}
      actions={query.data?.length === 0 ? undefined : button}
    >
      <Loaded query={query}>
        {(all) => {
          if (all.length === 0)
            return (
              <EmptyState icon={<Boxes aria-hidden />} sentence={words.none} action={button} command={command()} />
            );
          return <SegmentList rows={all} columns={columns} text={text} onFilter={setText} onOpen={open} />;
        }}
      </Loaded>
      {location === path('createSegment') && <CreateSegment onClose={close} onCreated={close} />}
      {shown && <EditSegment key={shown.id} segment={shown} onClose={close} />}
      {deleting && <DeleteSegment segment={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  );
}

const command = () =>
  `curl -X POST ${location.origin}/api/admin/segments -H "Authorization: $ADMIN_TOKEN" -H 'content-type: application/json' -d '{"name":"nordics","constraints":[{"contextName":"country","operator":"IN","values":["NO","SE"]}]}'`;
