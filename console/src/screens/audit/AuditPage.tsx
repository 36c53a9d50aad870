import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useOpened } from '../../data/opened.ts';
import { useUrlState } from '../../data/url-state.ts';
import type { HistoryEntry } from '../../domain/model.ts';
import { flagBefore } from '../../history/read-history.ts';
import { Summary } from '../../history/Summary.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { dayName } from '../../kit/lists/ByDay.tsx';
import { type Column, type InRow, Table } from '../../kit/lists/Table.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { FilterInput } from '../../parts/FilterInput.tsx';
import { HappenedFilters, useHappenedFilters } from '../../parts/HappenedFilters.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { ANY } from '../../parts/use-span.ts';
import { useTyped } from '../../parts/use-typed.ts';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { Words } from '../../save/Words.tsx';
import { audit as words } from '../../words/en/audit.ts';
import { EVENT_KINDS } from '../../words/en/event-kinds.ts';
import { entryWords } from '../../words/en/history.ts';
import {
  type AuditEvent,
  type AuditFilters,
  commitsQuery,
  type EventPage,
  eventsKey,
  nextOf,
  readEvents,
} from './audit-data.ts';
import { EventPanel } from './EventPanel.tsx';

/** Text over a long log takes the server a while. */
const SEARCH_AFTER_MS = 250;

/** The events of one request, which are one row. */
interface Happened {
  readonly event: AuditEvent;
  readonly others: number;
  /** What histories have of it. */
  readonly entry: HistoryEntry | undefined;
}

/** Events that follow each other and are of one commit become one row, with its sentence. */
function rowsOf(events: readonly AuditEvent[], commits: ReadonlyMap<number, HistoryEntry> | undefined): Happened[] {
  const rows: Happened[] = [];
  for (const event of events) {
    const last = rows.at(-1);
    const isSame = event.revision != null && last?.event.revision === event.revision;
    if (last && isSame) rows[rows.length - 1] = { ...last, others: last.others + 1 };
    else rows.push({ event, others: 0, entry: event.revision == null ? undefined : commits?.get(event.revision) });
  }
  return rows;
}

/** What changed, as histories say it; otherwise the sentence of the event, which says who did what to which object. */
function What({ row }: { readonly row: Happened }) {
  const { event, others, entry } = row;
  const segments = useSegmentNames();
  const { summary, label, type, reason, createdBy } = event;
  // One event of a commit of several flags is about its own one.
  const own = others === 0 && event.featureName ? entry?.changes.filter(({ id }) => id === event.featureName) : [];
  const said = entry && (own && own.length > 0 ? { ...entry, changes: own } : entry);
  return (
    <span className={styles.wrap}>
      {said && said.changes.length > 0 ? (
        <>
          <strong>{createdBy}</strong>: <Words text={entryWords(said, undefined, segments)} />
        </>
      ) : (
        <>
          {summary ? <Summary text={summary} hasLinks={false} /> : `${createdBy}: ${label ?? type}`}
          {others > 0 && <span className={styles.quiet}> · {words.others(others)}</span>}
        </>
      )}
      {reason && <span className={styles.quiet}> · “{reason}”</span>}
    </span>
  );
}

/** When it was, and the way to the flag as it was before. */
function When({ row: { event, entry }, controls }: { readonly row: Happened; readonly controls: InRow }) {
  const then = entry && flagBefore(entry);
  return (
    <span className={styles.wrap}>
      <TimeText at={event.createdAt} clock />
      {then && (
        <>
          <br />
          <Link {...controls} className={styles.inline} href={then.href}>
            {words.before}
            <span className="visually-hidden"> r{entry.revision}</span>
          </Link>
        </>
      )}
    </span>
  );
}

const COLUMNS: readonly Column<Happened>[] = [
  {
    key: 'event',
    header: words.columns.event,
    width: 'minmax(0, 1fr)',
    cell: (row) => (
      <>
        <Avatar
          name={row.event.createdBy}
          machine={row.event.createdByUserId === null || row.event.createdByUserId < 0}
        />
        <What row={row} />
      </>
    ),
  },
  {
    key: 'when',
    header: words.columns.when,
    width: 'clamp(96px, 22%, 176px)',
    cell: (row, controls) => <When row={row} controls={controls} />,
  },
];

const KINDS = Object.keys(EVENT_KINDS).map((value) => ({ value, label: value }));

function useFilters() {
  const state = useHappenedFilters(ANY);
  const [query, setQuery] = useUrlState('query');
  const [type, setType] = useUrlState('type');
  const filters: AuditFilters = { ...state.filters, query, type };
  const isFiltered = state.isFiltered || !state.time.isAny || query !== '' || type !== '';
  return { state, filters, isFiltered, setQuery, setType };
}

function FilterBar({ state, filters, isFiltered, setQuery, setType }: ReturnType<typeof useFilters>) {
  const { text, setText } = useTyped(filters.query, setQuery, SEARCH_AFTER_MS);
  const [, setParams] = useSearchParams();
  const clear = () => setParams(new URLSearchParams(), { replace: true });
  return (
    <HappenedFilters state={state} isFiltered={isFiltered} onClear={clear}>
      <FilterInput value={text} onChange={setText} label={words.filter} />
      <div className={styles.choice}>
        <Combobox
          label={words.type}
          placeholder={words.type}
          value={filters.type || null}
          onChange={(kind) => setType(kind ?? '')}
          options={KINDS}
        />
      </div>
    </HappenedFilters>
  );
}

function CutOff({
  page,
  isPending,
  onMore,
}: {
  readonly page: EventPage;
  readonly isPending: boolean;
  readonly onMore: () => void;
}) {
  return (
    <Banner
      tone="warn"
      action={
        <Button size="small" pending={isPending} onClick={onMore}>
          {words.searchOn}
        </Button>
      }
    >
      {words.searchedDownTo}{' '}
      {page.searchedDownToTime ? <TimeText at={page.searchedDownToTime} exact /> : `#${page.searchedDownTo}`}.{' '}
      {words.searchedHint}
    </Banner>
  );
}

export function AuditPage() {
  const state = useFilters();
  const { filters, isFiltered } = state;
  const [event, setEvent] = useOpened('event');
  const query = useInfiniteQuery({
    queryKey: eventsKey(filters),
    queryFn: ({ pageParam }) => readEvents(filters, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextOf,
  });
  const { data, hasNextPage, isFetchingNextPage } = query;
  const events = useMemo(() => data?.pages.flatMap((page) => page.events) ?? [], [data]);
  const commits = useQuery({ ...commitsQuery(events, filters), placeholderData: keepPreviousData });
  const rows = useMemo(() => rowsOf(events, commits.data), [events, commits.data]);
  const last = data?.pages.at(-1);
  const isCut = last?.searchedDownTo !== undefined;
  const more = () => void query.fetchNextPage();
  return (
    <Page name={words.title} lead={words.lead} count={isCut ? undefined : data?.pages[0]?.total}>
      <FilterBar {...state} />
      <Loaded query={query}>
        {() => (
          <>
            {events.length === 0 && !isCut && (
              <EmptyState icon={<ScrollText aria-hidden />} sentence={isFiltered ? words.none : words.noneAtAll} />
            )}
            {events.length > 0 && (
              <div className={styles.list}>
                <Table<Happened>
                  main
                  wraps
                  label={words.title}
                  columns={COLUMNS}
                  rows={rows}
                  groupOf={({ event: { createdAt } }) => dayName(new Date(createdAt), new Date())}
                  rowKey={({ event: { id } }) => String(id)}
                  onOpen={({ event: { id } }) => setEvent(String(id))}
                />
              </div>
            )}
            {isCut && last && <CutOff page={last} isPending={isFetchingNextPage} onMore={more} />}
            {hasNextPage && !isCut && (
              <div>
                <Button pending={isFetchingNextPage} onClick={more}>
                  {words.more}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
      {event !== '' && <EventPanel key={event} id={Number(event)} onClose={() => setEvent('')} />}
    </Page>
  );
}
