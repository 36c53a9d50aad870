import { Flag } from 'lucide-react';
import { memo, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { flagRows, useFlagRows } from '../../data/flag-rows.ts';
import { type MayNot, useMayIn } from '../../data/may.ts';
import { isProduction, useEnvironments, useProjectEnvironments } from '../../data/settings.ts';
import { useUrlList, useUrlState } from '../../data/url-state.ts';
import { type Sort, sortRows, typedFilter } from '../../domain/flag-filter.ts';
import type { FlagRow } from '../../domain/flag-row.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Table } from '../../kit/lists/Table.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { path } from '../../paths.ts';
import { SaveDialog } from '../../save/SaveDialog.tsx';
import { features as words } from '../../words/en/flags/features.ts';
import { shell } from '../../words/en/shell.ts';
import { BulkBar } from './BulkBar.tsx';
import { BULK_KINDS } from './bulk-kinds.ts';
import { columnsOf, type ListEnvironment } from './columns.tsx';
import { Filters } from './Filters.tsx';
import styles from './FlagList.module.css';
import { type FlagFilterState, useFlagFilter } from './use-filter.ts';
import { useFlagSwitch } from './use-switch.ts';

const NONE: ReadonlySet<string> = new Set();

/** The environments that get a column: those of the project, or those that any project has. */
function useListEnvironments(
  project: string | undefined,
): readonly (ListEnvironment & { readonly needsReason: boolean })[] {
  const all = useEnvironments().data;
  const own = useProjectEnvironments(project).data;
  return useMemo(() => {
    const list = project ? own?.filter(({ visible }) => visible) : all?.filter((one) => one.projectCount !== 0);
    return (list ?? []).map(({ name, type, requireReason }) => ({
      name,
      isProduction: isProduction(type),
      needsReason: requireReason,
    }));
  }, [all, own, project]);
}

/** The selected flags, and what is asked about them. A link selects flags and asks at once. */
function useSelection() {
  const [names, setNames] = useUrlList('flags');
  const [bulk, setBulk] = useUrlState('bulk');
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set(names));
  const [kind, setKind] = useState(() => BULK_KINDS.find((one) => one === bulk) ?? null);
  const isLinked = names.length > 0;
  useEffect(() => {
    if (!isLinked) return;
    setNames([]);
    setBulk('');
  }, [isLinked, setNames, setBulk]);
  const deselect = () => {
    setKind(null);
    setSelected(NONE);
  };
  return { selected, setSelected, kind, setKind, deselect };
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

function useColumns(
  environments: readonly ListEnvironment[],
  project: string | undefined,
  isGuarded: (project: string, environment: string) => boolean,
  onSwitch: (row: FlagRow, environment: string, on: boolean) => Promise<void>,
  onOpen: (row: FlagRow) => void,
) {
  const mayIn = useMayIn();
  return useMemo(
    () =>
      columnsOf({
        environments,
        hasProject: project !== undefined,
        isGuarded: (inProject, { name }) => isGuarded(inProject, name),
        mayNot: (inProject, name) => mayIn('UPDATE_FEATURE_ENVIRONMENT', inProject, name),
        onSwitch: (row, environment, on) => void onSwitch(row, environment, on),
        onOpen,
      }),
    [environments, project, isGuarded, mayIn, onSwitch, onOpen],
  );
}

function Failed({ message }: { readonly message: string }) {
  return (
    <Banner
      tone="bad"
      action={
        <Button size="small" onClick={flagRows.reload}>
          {shell.again}
        </Button>
      }
    >
      {message}
    </Banner>
  );
}

interface FlagListProps {
  readonly project?: string;
  readonly onCreate: () => void;
  readonly mayNotCreate: MayNot;
}

export function FlagList({ project, ...create }: FlagListProps) {
  const { rows } = useFlagRows();
  const state = useFlagFilter(project);
  return (
    <div className={styles.list}>
      <Filters state={state} rows={rows} hasProject={project !== undefined} />
      <FoundFlags state={useDeferredValue(state)} project={project} {...create} />
    </div>
  );
}

interface FoundFlagsProps extends FlagListProps {
  readonly state: FlagFilterState;
}

/** Not rendered by a change of the filter until that is searched for. */
const FoundFlags = memo(({ state, project, ...create }: FoundFlagsProps) => {
  const { rows: all, isComplete, total, failure } = useFlagRows();
  const environments = useListEnvironments(project);
  const [, navigate] = useLocation();
  const { selected, setSelected, kind, setKind, deselect } = useSelection();
  const guarded = useMemo(
    () => new Set(environments.filter((one) => one.isProduction || one.needsReason).map(({ name }) => name)),
    [environments],
  );
  const isGuarded = useCallback((_project: string, environment: string) => guarded.has(environment), [guarded]);
  const { asked, setAsked, onSwitch } = useFlagSwitch(isGuarded);
  const { filter } = state;
  // The filter keeps the order, so that typing does not sort again.
  const sorted = useMemo(() => sortRows(all, state.sort, state.isDescending), [all, state.sort, state.isDescending]);
  const filterTyped = useMemo(typedFilter, []);
  const rows = useMemo(() => filterTyped(sorted, filter), [filterTyped, sorted, filter]);
  const ofProject = useMemo(
    () => (project ? all.reduce((count, row) => count + (row.project === project ? 1 : 0), 0) : all.length),
    [all, project],
  );
  const open = useCallback(
    ({ project: projectId, name }: FlagRow) => navigate(path('feature', { projectId, featureId: name })),
    [navigate],
  );
  const columns = useColumns(environments, project, isGuarded, onSwitch, open);
  return (
    <>
      <p className={styles.count} role="status">
        {isComplete ? words.count(rows.length, ofProject) : total === null ? '' : words.loading(all.length, total)}
      </p>
      {failure && <Failed message={failure.message} />}
      {!isComplete && all.length === 0 && !failure ? (
        <Skeleton shape="rows" rows={10} />
      ) : (
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
          empty={isComplete && <Empty isFiltered={state.isFiltered} {...create} />}
        />
      )}
      {selected.size > 0 && (
        <BulkBar
          selected={selected}
          environments={environments}
          kind={isComplete && environments.length > 0 ? kind : null}
          setKind={setKind}
          onDone={deselect}
        />
      )}
      {asked && (
        <SaveDialog
          {...asked}
          onRebase={(base, mine, conflicts) => setAsked({ ...asked, base, mine, conflicts })}
          onClose={() => setAsked(null)}
          onSaved={() => setAsked(null)}
        />
      )}
    </>
  );
});

const nameOf = (row: FlagRow) => row.name;
