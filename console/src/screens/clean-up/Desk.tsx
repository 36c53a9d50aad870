import { Sparkles } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useUnusedInCode } from '../../code/code-data.ts';
import { useFlagRows } from '../../data/flag-rows.ts';
import { useMayIn } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { isProduction, useEnvironments, useProjectEnvironments } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import bar from '../../flags/BulkBar.module.css';
import { BulkDialog } from '../../flags/BulkDialog.tsx';
import type { ListEnvironment } from '../../flags/list-environments.ts';
import { classes } from '../../kit/classes.ts';
import { Button, buttonClass } from '../../kit/inputs/Button.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { Table } from '../../kit/lists/Table.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { FilterInput, matches } from '../../parts/FilterInput.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { NothingMatches } from '../../parts/NothingMatches.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { cleanUp as words } from '../../words/en/flags/clean-up.ts';
import own from './CleanUp.module.css';
import { type Candidate, type Candidates, DAYS, daysOf, FLAGS_MAX, REASONS, useCandidates } from './clean-up-data.ts';
import { columnsOf } from './columns.tsx';
import { Proof } from './Proof.tsx';

const NONE: ReadonlySet<string> = new Set();
/** More columns have no space beside the names. The proof of a flag has all environments. */
const COLUMNS_MAX = 5;
const ROWS_MAX = 200;

interface Asked {
  readonly kind: 'archive' | 'stale';
  readonly names: ReadonlySet<string>;
}

/** The environments that get a column: those of the project, or those that any project has. */
function useColumnsOf(project: string): readonly ListEnvironment[] {
  const all = useEnvironments().data;
  const own = useProjectEnvironments(project === '' ? undefined : project).data;
  return useMemo(() => {
    const list = project ? own?.filter(({ visible }) => visible) : all?.filter((one) => one.projectCount !== 0);
    return (list ?? []).map(({ name, type }) => ({ name, isProduction: isProduction(type) }));
  }, [all, own, project]);
}

function useTableColumns(project: string, environments: readonly ListEnvironment[], onProof: (name: string) => void) {
  const notInCode = useUnusedInCode(project).data ?? NONE;
  return useMemo(
    () =>
      columnsOf({ environments: environments.slice(0, COLUMNS_MAX), hasProject: project !== '', notInCode, onProof }),
    [environments, project, notInCode, onProof],
  );
}

/** Why the person may not change these flags, or why it cannot be asked for yet. */
function useBlocked(rows: readonly Candidate[]) {
  const mayIn = useMayIn();
  const { isComplete, failure } = useFlagRows();
  return (names: Iterable<string>, permission: string): string | undefined => {
    if (!isComplete) return failure?.message ?? words.reading;
    const wanted = new Set(names);
    const projects = new Set(rows.filter(({ name }) => wanted.has(name)).map(({ project }) => project));
    return [...projects].map((project) => mayIn(permission, project)).find((reason) => reason !== undefined);
  };
}

interface SelectedProps {
  readonly selected: ReadonlySet<string>;
  /** Those of them that are not marked as stale yet. */
  readonly unmarked: ReadonlySet<string>;
  readonly blocked: ReturnType<typeof useBlocked>;
  readonly onAsk: (asked: Asked) => void;
  readonly onClear: () => void;
}

function Selected({ selected, unmarked, blocked, onAsk, onClear }: SelectedProps) {
  return (
    <section className={bar.bar} aria-label={words.archiveMany(selected.size)}>
      {unmarked.size > 0 && (
        <Button
          size="small"
          reason={blocked(unmarked, 'UPDATE_FEATURE')}
          onClick={() => onAsk({ kind: 'stale', names: unmarked })}
        >
          {words.markMany(unmarked.size)}
        </Button>
      )}
      <Button
        size="small"
        kind="danger"
        reason={blocked(selected, 'DELETE_FEATURE')}
        onClick={() => onAsk({ kind: 'archive', names: selected })}
      >
        {words.archiveMany(selected.size)}
      </Button>
      <Button size="small" kind="quiet" onClick={onClear}>
        {words.deselect}
      </Button>
    </section>
  );
}

/** The reasons, each with the number of its flags. */
const optionsOf = (all: readonly Candidate[]) =>
  (['all', ...REASONS] as const).map((value) => ({
    value,
    label: words.withCount(
      words.reasons[value],
      value === 'all' ? all.length : all.filter(({ reasons }) => reasons.includes(value)).length,
    ),
  }));

interface ListProps extends Candidates {
  readonly project: string;
  readonly days: number;
}

interface ListToolsProps {
  readonly options: ReturnType<typeof optionsOf>;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function ListTools({ options, reason, onReason, text, onText }: ListToolsProps) {
  const chosen = options.find(({ value }) => value === reason)?.value ?? 'all';
  return (
    <div className={styles.tools}>
      <div className={styles.filter}>
        <Select label={words.reason} options={options} value={chosen} onChange={onReason} />
      </div>
      <FilterInput value={text} onChange={onText} />
    </div>
  );
}

interface ListFilter {
  readonly text: string;
  readonly reason: string;
}

/** What the filter shows, and which of it is selected: a selected flag may be hidden by the filter, or have left the list. */
function useListed(all: readonly Candidate[], { text, reason }: ListFilter, selected: ReadonlySet<string>) {
  const rows = useMemo(
    () =>
      all.filter(
        (row) =>
          (reason === 'all' || row.reasons.some((one) => one === reason)) && matches(text, row.name, row.project),
      ),
    [all, reason, text],
  );
  const chosenRows = useMemo(
    () => (selected.size === 0 ? NONE : new Set(rows.flatMap(({ name }) => (selected.has(name) ? [name] : [])))),
    [rows, selected],
  );
  return { rows, chosenRows };
}

const unmarkedOf = (rows: readonly Candidate[], chosen: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(rows.flatMap(({ name, reasons }) => (chosen.has(name) && !reasons.includes('stale') ? [name] : [])));

function List({ rows: all, isComplete, project, days }: ListProps) {
  const [text, setText] = useUrlState('filter');
  const [reason, setReason] = useUrlState('why', 'all');
  const [shown, setShown] = useOpened('flag');
  const [selected, setSelected] = useState(NONE);
  const [asked, setAsked] = useState<Asked | null>(null);
  const environments = useColumnsOf(project);
  const blocked = useBlocked(all);
  const columns = useTableColumns(project, environments, setShown);
  const { rows, chosenRows } = useListed(all, { text, reason }, selected);
  const isLong = rows.length > ROWS_MAX;
  const one = all.find(({ name }) => name === shown);
  const done = useCallback(() => {
    setAsked(null);
    setSelected(NONE);
    setShown('');
  }, [setShown]);
  return (
    <>
      <ListTools options={optionsOf(all)} reason={reason} onReason={setReason} text={text} onText={setText} />
      {!isComplete && <Banner tone="warn">{words.more(FLAGS_MAX)}</Banner>}
      {environments.length > COLUMNS_MAX && (
        <p className={styles.quiet}>{words.fewColumns(COLUMNS_MAX, environments.length)}</p>
      )}
      <div className={classes(styles.list, isLong && own.tall)}>
        <Table<Candidate>
          main
          label={words.title}
          columns={columns}
          rows={rows}
          rowKey={({ name }) => name}
          onOpen={({ name }) => setShown(name)}
          selection={{ selected: chosenRows, onChange: setSelected }}
          virtual={isLong}
          empty={<NothingMatches onClear={() => (text === '' ? setReason('all') : setText(''))} />}
        />
      </div>
      {chosenRows.size > 0 && (
        <Selected
          selected={chosenRows}
          unmarked={unmarkedOf(rows, chosenRows)}
          blocked={blocked}
          onAsk={setAsked}
          onClear={() => setSelected(NONE)}
        />
      )}
      {one && (
        <Proof
          key={one.name}
          flag={one}
          days={days}
          mayNotArchive={blocked([one.name], 'DELETE_FEATURE')}
          mayNotMark={blocked([one.name], 'UPDATE_FEATURE')}
          onArchive={() => setAsked({ kind: 'archive', names: new Set([one.name]) })}
          onMark={() => setAsked({ kind: 'stale', names: new Set([one.name]) })}
          onClose={() => setShown('')}
        />
      )}
      {asked && (
        <BulkDialog
          kind={asked.kind}
          selected={asked.names}
          environments={environments}
          onClose={() => setAsked(null)}
          onDone={done}
        />
      )}
    </>
  );
}

interface DeskProps {
  readonly project: string;
  /** Where the project is chosen. */
  readonly choice?: ReactNode;
}

/** The flags that are probably not needed any more, of one project or of all. */
export function Desk({ project, choice }: DeskProps) {
  const [text, setDays] = useUrlState('days', '30');
  const days = daysOf(text);
  const query = useCandidates(project, days);
  return (
    <>
      <div className={styles.tools}>
        {choice}
        <div className={styles.filter}>
          <Select
            label={words.unusedFor}
            value={String(days)}
            onChange={setDays}
            options={DAYS.map((value) => ({ value, label: words.unusedDays(Number(value)) }))}
          />
        </div>
        <Button pending={query.isFetching} title={words.againHint} onClick={() => void query.refetch()}>
          {words.again}
        </Button>
      </div>
      <Loaded query={query}>
        {(candidates) =>
          candidates.rows.length === 0 ? (
            <EmptyState
              icon={<Sparkles aria-hidden />}
              sentence={words.none}
              action={
                <Link href={path('features')} className={buttonClass()}>
                  {words.toFlags}
                </Link>
              }
            />
          ) : (
            <List {...candidates} project={project} days={days} />
          )
        }
      </Loaded>
    </>
  );
}
