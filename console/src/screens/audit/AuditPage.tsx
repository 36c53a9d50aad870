import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText, X } from 'lucide-react';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { isProduction, useEnvironments, useProjects } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { audit as words } from '../../words/en/audit.ts';
import { parts } from '../../words/en/parts.ts';
import { DayRange } from '../parts/DayRange.tsx';
import { FilterInput } from '../parts/FilterInput.tsx';
import { FlagChoice } from '../parts/FlagChoice.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { Page } from '../parts/Page.tsx';
import { PersonChoice } from '../parts/PersonChoice.tsx';
import styles from '../parts/parts.module.css';
import { useTyped } from '../parts/use-typed.ts';
import own from './Audit.module.css';
import { type AuditEvent, type EventPage, eventsKey, type Filters, nextOf, readEvents } from './audit-data.ts';
import { EventPanel } from './EventPanel.tsx';
import { Summary } from './Summary.tsx';

/** Text over a long log takes the server a while. */
const SEARCH_AFTER_MS = 250;

const COLUMNS: readonly Column<AuditEvent>[] = [
  {
    key: 'event',
    header: words.columns.event,
    width: 'minmax(0, 1fr)',
    cell: ({ summary, label, type, reason, createdBy, createdByUserId }) => (
      <>
        <Avatar name={createdBy} machine={createdByUserId === null || createdByUserId < 0} />
        <span className={styles.wrap}>
          {summary ? <Summary text={summary} hasLinks={false} /> : `${createdBy}: ${label ?? type}`}
          {reason && <span className={styles.quiet}> · “{reason}”</span>}
        </span>
      </>
    ),
  },
  { key: 'when', header: words.columns.when, width: '88px', cell: ({ createdAt }) => <TimeText at={createdAt} /> },
];

function useFilters() {
  const [query, setQuery] = useUrlState('query');
  const [project, setProject] = useUrlState('project');
  const [environment, setEnvironment] = useUrlState('environment');
  const [type, setType] = useUrlState('type');
  const [feature, setFeature] = useUrlState('feature');
  const [person, setPerson] = useUrlState('person');
  const [from, setFrom] = useUrlState('from');
  const [to, setTo] = useUrlState('to');
  const filters: Filters = { query, project, environment, type, feature, person, from, to };
  return { filters, setQuery, setProject, setEnvironment, setType, setFeature, setPerson, setFrom, setTo };
}

type State = ReturnType<typeof useFilters>;

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly newIs?: string;
}

function Choice({ label, value, onChange, options, newIs }: ChoiceProps) {
  return (
    <div className={own.choice}>
      <Combobox
        label={label}
        placeholder={label}
        value={value || null}
        onChange={(next) => onChange(next ?? '')}
        options={options}
        {...(newIs === undefined ? {} : { newIs })}
      />
    </div>
  );
}

function FilterBar({ state, types }: { readonly state: State; readonly types: readonly string[] }) {
  const { filters } = state;
  const { data: projects = [] } = useProjects();
  const { data: environments = [] } = useEnvironments();
  const [, setParams] = useSearchParams();
  const { text, setText } = useTyped(filters.query, state.setQuery, SEARCH_AFTER_MS);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <search className={styles.tools}>
      <FilterInput value={text} onChange={setText} label={words.filter} />
      <div className={own.choice}>
        <PersonChoice value={filters.person} onChange={state.setPerson} />
      </div>
      <Choice
        label={words.project}
        value={filters.project}
        onChange={state.setProject}
        options={projects.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <div className={own.choice}>
        <FlagChoice value={filters.feature} onChange={state.setFeature} />
      </div>
      <Choice
        label={words.environment}
        value={filters.environment}
        onChange={state.setEnvironment}
        options={[...environments]
          .sort((a, b) => Number(isProduction(b.type)) - Number(isProduction(a.type)))
          .map(({ name }) => ({ value: name, label: name }))}
      />
      <Choice
        label={words.type}
        value={filters.type}
        onChange={state.setType}
        options={types.map((value) => ({ value, label: value }))}
        newIs={words.otherType}
      />
      <DayRange from={filters.from} to={filters.to} onFrom={state.setFrom} onTo={state.setTo} />
      {isFiltered && (
        <Button
          kind="quiet"
          icon={<X aria-hidden />}
          onClick={() => setParams(new URLSearchParams(), { replace: true })}
        >
          {parts.clearFilters}
        </Button>
      )}
    </search>
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
  const { filters } = state;
  const [event, setEvent] = useUrlState('event');
  const query = useInfiniteQuery({
    queryKey: eventsKey(filters),
    queryFn: ({ pageParam }) => readEvents(filters, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextOf,
  });
  const { data, hasNextPage, isFetchingNextPage } = query;
  const events = useMemo(() => data?.pages.flatMap((page) => page.events) ?? [], [data]);
  const types = useMemo(() => [...new Set(events.map(({ type }) => type as string))].sort(), [events]);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const last = data?.pages.at(-1);
  const isCut = last?.searchedDownTo !== undefined;
  const more = () => void query.fetchNextPage();
  return (
    <Page name={words.title} count={isCut ? undefined : data?.pages[0]?.total}>
      <FilterBar state={state} types={types} />
      <Loaded query={query}>
        {() => (
          <>
            {events.length === 0 && !isCut && (
              <EmptyState icon={<ScrollText aria-hidden />} sentence={isFiltered ? words.none : words.noneAtAll} />
            )}
            {events.length > 0 && (
              <div className={styles.list}>
                <Table<AuditEvent>
                  main
                  wraps
                  label={words.title}
                  columns={COLUMNS}
                  rows={events}
                  rowKey={({ id }) => String(id)}
                  onOpen={({ id }) => setEvent(String(id))}
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
