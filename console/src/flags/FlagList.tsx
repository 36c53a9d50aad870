import { Flag } from 'lucide-react';
import {
  memo,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation } from 'wouter';
import { useFlagRows } from '../data/flag-rows.ts';
import { useLastUse } from '../data/last-use.ts';
import { type MayNot, useMayIn } from '../data/may.ts';
import { lazyScreen } from '../data/new-version.ts';
import { indexOfName } from '../data/sorted-rows.ts';
import { useUrlList, useUrlState } from '../data/url-state.ts';
import { type Sort, sortRows, typedFilter } from '../domain/flag-filter.ts';
import type { FlagRow } from '../domain/flag-row.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Table } from '../kit/lists/Table.tsx';
import { EmptyState } from '../kit/notices/EmptyState.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { Failed } from '../parts/Failed.tsx';
import { FlagsNotCurrent } from '../parts/FlagsNotCurrent.tsx';
import { path } from '../paths.ts';
import { features as words } from '../words/en/flags/features.ts';
import { BULK_KINDS, type BulkKind } from './bulk-kinds.ts';
import { columnsOf, fitting } from './columns.tsx';
import { Filters } from './Filters.tsx';
import styles from './FlagList.module.css';
import { type ListEnvironment, type ListEnvironments, useListEnvironments } from './list-environments.ts';
import { type FlagFilterState, useFlagFilter } from './use-filter.ts';
import { useFlagSwitch } from './use-switch.ts';

const BulkBar = lazyScreen(() => import('./BulkBar.tsx'), 'BulkBar');
const BulkDialog = lazyScreen(() => import('./BulkDialog.tsx'), 'BulkDialog');
const SaveDialog = lazyScreen(() => import('../save/SaveDialog.tsx'), 'SaveDialog');

const NONE: ReadonlySet<string> = new Set();

/** As wide as the last list. Before the first one, there is space for everything. */
let lastWidth = Number.POSITIVE_INFINITY;

/** Which columns of texts fit into the element, and the width that the others need if they do not fit. */
function useFit(environments: readonly ListEnvironment[], hasProject: boolean) {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(lastWidth);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      lastWidth = element.clientWidth;
      setWidth(lastWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, ...fitting(width, environments, hasProject) };
}

/** What is asked about which flags. A flag that is archived meanwhile stays in the question: its outcome names the flag. */
interface Asked {
  readonly kind: BulkKind;
  readonly selected: ReadonlySet<string>;
}

/** The selected flags, and what is asked about them. A link selects flags and asks at once. */
function useSelection(rows: readonly FlagRow[], isComplete: boolean) {
  const [names, setNames] = useUrlList('flags');
  const [bulk, setBulk] = useUrlState('bulk');
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set(names));
  const [asked, setAsked] = useState<Asked | null>(() => {
    const kind = BULK_KINDS.find((one) => one === bulk);
    return kind ? { kind, selected } : null;
  });
  const isLinked = names.length > 0;
  useEffect(() => {
    if (!isLinked) return;
    setNames([]);
    setBulk('');
  }, [isLinked, setNames, setBulk]);
  // A flag that was archived, or that the person no longer sees, is not selected any more.
  const there = useMemo(() => {
    if (!isComplete || selected.size === 0) return selected;
    const found = new Set([...selected].filter((name) => indexOfName(rows, name) >= 0));
    return found.size === selected.size ? selected : found;
  }, [rows, isComplete, selected]);
  const ask = (kind: BulkKind | null) => setAsked(kind && { kind, selected: there });
  const deselect = () => {
    setAsked(null);
    setSelected(NONE);
  };
  return { selected: there, setSelected, bulkAsked: asked, ask, deselect };
}

interface EmptyProps extends Pick<FlagListProps, 'onCreate' | 'mayNotCreate'> {
  readonly isFiltered: boolean;
}

function Empty({ isFiltered, onCreate, mayNotCreate }: EmptyProps) {
  return (
    <EmptyState
      icon={<Flag aria-hidden />}
      sentence={isFiltered ? words.nothingMatches : words.noFlags}
      action={
        isFiltered ? undefined : (
          <Button kind="primary" reason={mayNotCreate} onClick={onCreate}>
            {words.create}
          </Button>
        )
      }
    />
  );
}

interface ColumnsInput extends Pick<Parameters<typeof columnsOf>[0], 'environments' | 'texts' | 'lastUse' | 'onOpen'> {
  readonly isGuarded: (project: string, environment: string) => boolean;
  readonly onSwitch: (row: FlagRow, environment: string, on: boolean) => Promise<void>;
}

function useColumns({ environments, texts, lastUse, isGuarded, onSwitch, onOpen }: ColumnsInput) {
  const mayIn = useMayIn();
  return useMemo(
    () =>
      columnsOf({
        environments,
        texts,
        lastUse,
        onOpen,
        isGuarded: (inProject, { name }) => isGuarded(inProject, name),
        mayNot: (inProject, name) => mayIn('UPDATE_FEATURE_ENVIRONMENT', inProject, name),
        onSwitch: (row, environment, on) => void onSwitch(row, environment, on),
      }),
    [environments, texts, lastUse, isGuarded, mayIn, onSwitch, onOpen],
  );
}

/** The rows that match, in the order of the list. */
function useFound(all: readonly FlagRow[], state: FlagFilterState, lastUse: ReadonlyMap<string, number>) {
  const { filter, sort, isDescending } = state;
  // The filter keeps the order, so that typing does not sort again.
  const sorted = useMemo(() => sortRows(all, sort, isDescending, lastUse), [all, sort, isDescending, lastUse]);
  const filterTyped = useMemo(typedFilter, []);
  return useMemo(() => filterTyped(sorted, filter), [filterTyped, sorted, filter]);
}

function NoLastUse() {
  const {
    lastUse: { failure },
    again,
  } = useLastUse(true);
  return failure && <Failed message={words.noLastUse(failure.message)} onAgain={() => void again()} />;
}

interface FlagListProps {
  readonly project?: string;
  readonly onCreate: () => void;
  readonly mayNotCreate: MayNot;
}

export function FlagList({ project, ...create }: FlagListProps) {
  const { rows } = useFlagRows();
  const state = useFlagFilter(project);
  const environments = useListEnvironments(project, state.filter.projects, rows);
  const { ref, texts, leastPx } = useFit(environments.shown, project !== undefined);
  return (
    <div ref={ref} className={styles.list}>
      <Filters state={state} rows={rows} hasProject={project !== undefined} environments={environments} />
      <FoundFlags
        state={useDeferredValue(state)}
        project={project}
        environments={environments}
        texts={texts}
        leastPx={leastPx}
        {...create}
      />
    </div>
  );
}

interface FoundFlagsProps extends FlagListProps {
  readonly state: FlagFilterState;
  readonly environments: ListEnvironments;
  /** The columns of texts, with commas between them. */
  readonly texts: string;
  readonly leastPx: number | undefined;
}

/** Not rendered by a change of the filter until that is searched for. */
const FoundFlags = memo(({ state, project, environments, texts, leastPx, ...create }: FoundFlagsProps) => {
  const { rows: all, isComplete, failure } = useFlagRows();
  const { shown } = environments;
  const showsUse = state.sort === 'lastSeenAt' || texts.includes('lastSeenAt');
  const { lastUse } = useLastUse(isComplete && showsUse);
  const [, navigate] = useLocation();
  const { selected, setSelected, bulkAsked, ask, deselect } = useSelection(all, isComplete);
  const guarded = useMemo(
    () => new Set(environments.all.filter((one) => one.isProduction || one.needsReason).map(({ name }) => name)),
    [environments.all],
  );
  const isGuarded = useCallback((_project: string, environment: string) => guarded.has(environment), [guarded]);
  const { asked, setAsked, onSwitch } = useFlagSwitch(isGuarded);
  const rows = useFound(all, state, lastUse.times);
  const ofProject = useMemo(
    () => (project ? all.reduce((count, row) => count + (row.project === project ? 1 : 0), 0) : all.length),
    [all, project],
  );
  const open = useCallback(
    ({ project: projectId, name }: FlagRow) => navigate(path('feature', { projectId, featureId: name })),
    [navigate],
  );
  const columns = useColumns({ environments: shown, texts, lastUse, isGuarded, onSwitch, onOpen: open });
  return (
    <>
      <p className={styles.count} role="status">
        {isComplete && words.count(rows.length, ofProject)}
      </p>
      {isComplete && showsUse && <NoLastUse />}
      <FlagsNotCurrent />
      {isComplete ? (
        <Table<FlagRow>
          label={words.title}
          columns={columns}
          rows={rows}
          rowKey={nameOf}
          virtual
          main
          sort={{ key: state.sort, descending: state.isDescending }}
          onSort={({ key }) => state.setSort(key as Sort)}
          selection={{ selected, onChange: setSelected }}
          onOpen={open}
          leastPx={leastPx}
          empty={<Empty isFiltered={state.isFiltered} {...create} />}
        />
      ) : (
        !failure && <Skeleton shape="rows" rows={10} />
      )}
      <Suspense>
        {selected.size > 0 && <BulkBar selected={selected} onAsk={ask} onDeselect={deselect} />}
        {bulkAsked && isComplete && environments.all.length > 0 && (
          <BulkDialog {...bulkAsked} environments={environments.all} onClose={() => ask(null)} onDone={deselect} />
        )}
        {asked && (
          <SaveDialog
            {...asked}
            onRebase={(base, mine, conflicts) => setAsked({ ...asked, base, mine, conflicts })}
            onClose={() => setAsked(null)}
            onSaved={() => setAsked(null)}
          />
        )}
      </Suspense>
    </>
  );
});

const nameOf = (row: FlagRow) => row.name;
