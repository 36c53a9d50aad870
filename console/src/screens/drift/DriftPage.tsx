import { Equal, GitCompareArrows } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { setOpened } from '../../data/opened.ts';
import { isProduction, useEnvironments } from '../../data/settings.ts';
import { indexOfName } from '../../data/sorted-rows.ts';
import { useUrlState } from '../../data/url-state.ts';
import type { ListEnvironment } from '../../flags/list-environments.ts';
import { buttonClass } from '../../kit/inputs/Button.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { Page } from '../../page/Page.tsx';
import { FilterInput } from '../../parts/FilterInput.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { ProjectChoice } from '../../parts/ProjectChoice.tsx';
import { path } from '../../paths.ts';
import { drift as words } from '../../words/en/flags/drift.ts';
import { columnsOf } from './columns.tsx';
import styles from './Drift.module.css';
import { DriftPanel } from './DriftPanel.tsx';
import { useDriftIndex, useShown } from './drift-data.ts';
import { type DriftRow, differingIn, SHOWS, showOf } from './drift-index.ts';

/** More columns have no space beside the names. */
const COLUMNS_MAX = 5;
const NONE: readonly DriftRow[] = [];
const SHOW_OPTIONS = SHOWS.map((value) => ({ value, label: words.shows[value] }));

/** The environments that projects have, in their order. */
function useUsedEnvironments(): readonly ListEnvironment[] | undefined {
  const { data } = useEnvironments();
  return useMemo(
    () =>
      data
        ?.filter(({ projectCount }) => projectCount !== 0)
        .map(({ name, type }) => ({ name, isProduction: isProduction(type) })),
    [data],
  );
}

/** The flag and the environment whose difference is shown; both are in the address. */
function useOpened() {
  const [params] = useSearchParams();
  const set = useCallback((flag: string, to: string) => setOpened('flag', flag, { to }), []);
  return { flag: params.get('flag') ?? '', to: params.get('to') ?? '', set };
}

/** What the matrix shows; the address has it. */
function useMatrixFilter() {
  const [text, setText] = useUrlState('filter');
  const [project, setProject] = useUrlState('project');
  const [only, setOnly] = useUrlState('environment');
  const [show, setShow] = useUrlState('show', 'different');
  return { text, setText, project, setProject, only, setOnly, show: showOf(show), setShow };
}

interface MatrixToolsProps {
  readonly filter: ReturnType<typeof useMatrixFilter>;
  readonly others: readonly ListEnvironment[];
}

function MatrixTools({ filter, others }: MatrixToolsProps) {
  return (
    <div className={styles.tools}>
      <Segmented label={words.show} options={SHOW_OPTIONS} value={filter.show} onChange={filter.setShow} />
      <div className={styles.choice}>
        <Select
          label={words.environment}
          value={filter.only}
          onChange={filter.setOnly}
          options={[
            { value: '', label: words.allEnvironments },
            ...others.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
      </div>
      <div className={styles.choice}>
        <ProjectChoice value={filter.project} onChange={filter.setProject} />
      </div>
      <FilterInput value={filter.text} onChange={filter.setText} />
    </div>
  );
}

interface MatrixProps {
  readonly flags: readonly DriftRow[];
  readonly all: readonly ListEnvironment[];
  readonly base: ListEnvironment;
  readonly opened: ReturnType<typeof useOpened>;
}

function Matrix({ flags, all, base, opened }: MatrixProps) {
  const filter = useMatrixFilter();
  const { text, project, only, show } = filter;
  const others = useMemo(() => all.filter(({ name }) => name !== base.name), [all, base]);
  const environments = useMemo(() => {
    const chosen = others.filter(({ name }) => name === only);
    return chosen.length > 0 ? chosen : others.slice(0, COLUMNS_MAX);
  }, [others, only]);
  const names = useMemo(() => environments.map(({ name }) => name), [environments]);
  const { rows = NONE, isCurrent } = useShown(flags, { project, text, environments: names, base: base.name, show });
  const { set } = opened;
  const columns = useMemo(
    () =>
      columnsOf({
        base,
        environments,
        show,
        hasProject: project !== '',
        onOpen: (row, environment) => set(row.name, environment),
      }),
    [base, environments, show, project, set],
  );
  const further = only === '' ? others.length - environments.length : 0;
  return (
    <>
      <MatrixTools filter={filter} others={others} />
      <p className={styles.count} role="status">
        {words.count(rows.length, flags.length)} {further > 0 && words.further(further)}
      </p>
      <Table<DriftRow>
        label={words.title}
        main
        virtual
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
        onOpen={(row) => {
          const [first] = differingIn(row, names, base.name, show);
          if (first !== undefined) set(row.name, first);
        }}
        empty={
          isCurrent ? (
            <EmptyState
              icon={<Equal aria-hidden />}
              sentence={flags.length === 0 ? words.noFlags : words.none(base.name)}
            />
          ) : (
            <Skeleton shape="rows" rows={10} />
          )
        }
      />
    </>
  );
}

/** All flags × environments: where an environment is not as the chosen one, with the difference and the copy. */
export function DriftPage() {
  const environments = useUsedEnvironments();
  const index = useDriftIndex();
  const [chosen, setBase] = useUrlState('base');
  const opened = useOpened();
  const base = environments?.find(({ name }) => name === chosen) ?? environments?.[0];
  const row = index.data?.flags[indexOfName(index.data.flags, opened.flag)];
  const isOne = environments !== undefined && environments.length < 2;
  return (
    <Page
      title={words.title}
      isFull
      inspector={
        row &&
        base &&
        row.environments.has(opened.to) && (
          <DriftPanel
            key={`${row.name} ${opened.to} ${base.name}`}
            project={row.project}
            name={row.name}
            base={base.name}
            environment={opened.to}
            onClose={() => opened.set('', '')}
          />
        )
      }
    >
      <div className={styles.list}>
        <p className={styles.legend}>{words.legend}</p>
        {isOne && (
          <EmptyState
            icon={<GitCompareArrows aria-hidden />}
            sentence={words.one}
            action={
              <Link href={path('environments')} className={buttonClass()}>
                {words.toEnvironments}
              </Link>
            }
          />
        )}
        {!isOne && environments && base && (
          <>
            <div className={styles.tools}>
              <span>{words.base}</span>
              <div className={styles.choice}>
                <Select
                  label={words.base}
                  value={base.name}
                  onChange={setBase}
                  options={environments.map(({ name }) => ({ value: name, label: name }))}
                />
              </div>
            </div>
            <Loaded query={index} rows={10}>
              {({ flags }) => <Matrix flags={flags} all={environments} base={base} opened={opened} />}
            </Loaded>
          </>
        )}
      </div>
    </Page>
  );
}
