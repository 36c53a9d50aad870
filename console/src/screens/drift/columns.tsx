import { Equal, EqualNot, Power, PowerOff } from 'lucide-react';
import { Link } from 'wouter';
import type { ListEnvironment } from '../../flags/list-environments.ts';
import type { Column, InRow } from '../../kit/lists/Table.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { drift as words } from '../../words/en/flags/drift.ts';
import own from './Drift.module.css';
import { type DriftRow, differingIn, driftOf, type Show } from './drift-index.ts';

const ICONS = { equal: Equal, rules: EqualNot, on: Power, off: PowerOff } as const;

interface CellProps {
  readonly row: DriftRow;
  readonly environment: string;
  readonly base: string;
  readonly controls: InRow;
  readonly onOpen: (row: DriftRow, environment: string) => void;
}

function Cell({ row, environment, base, controls, onOpen }: CellProps) {
  const drift = driftOf(row, environment, base);
  if (drift === 'missing') {
    const absent = row.environments.has(environment) ? base : environment;
    return (
      <span className={styles.quiet} title={words.notInProject(absent)}>
        {words.cells.missing}
      </span>
    );
  }
  const Icon = ICONS[drift];
  const sentence = words.sentences[drift](row.name, environment, base);
  return (
    <button
      type="button"
      {...controls}
      className={own.cell}
      data-drift={drift}
      title={sentence}
      aria-label={`${words.cells[drift]}: ${sentence}`}
      onClick={() => onOpen(row, environment)}
    >
      <Icon aria-hidden />
      {words.cells[drift]}
    </button>
  );
}

function Base({ row, base }: { readonly row: DriftRow; readonly base: string }) {
  const found = row.environments.get(base);
  if (!found) return <span className={styles.quiet}>{words.cells.missing}</span>;
  return (
    <span className={styles.quiet}>
      {found.isOn ? words.states.on : words.states.off}
      {found.fingerprint === '' && `, ${words.states.empty}`}
    </span>
  );
}

export interface ColumnsOf {
  readonly base: ListEnvironment;
  readonly environments: readonly ListEnvironment[];
  readonly show: Show;
  readonly hasProject: boolean;
  readonly onOpen: (row: DriftRow, environment: string) => void;
}

/** The base, and a cell for each environment that is compared with it. */
export function columnsOf({ base, environments, show, hasProject, onOpen }: ColumnsOf): Column<DriftRow>[] {
  const names = environments.map(({ name }) => name);
  const isOne = environments.length === 1;
  const project: Column<DriftRow> = {
    key: 'project',
    header: words.columns.project,
    width: '112px',
    from: 'wide',
    cell: (row) => <span className={`${styles.cut} ${styles.quiet}`}>{row.project}</span>,
  };
  /** For narrow windows, which have no space for the cells. */
  const differing: Column<DriftRow> = {
    key: 'differing',
    header: words.columns.differing,
    width: 'minmax(0, var(--differing))',
    cell: (row) => (
      <span className={`${styles.cut} ${styles.quiet}`}>{differingIn(row, names, base.name, show).join(', ')}</span>
    ),
  };
  return [
    {
      key: 'name',
      header: words.columns.name,
      width: 'minmax(140px, 2fr)',
      cell: ({ name, project: projectId }, controls) => (
        <Link
          {...controls}
          className={`${styles.cut} ${styles.mono} ${styles.link}`}
          href={path('feature', { projectId, featureId: name })}
        >
          {name}
        </Link>
      ),
    },
    ...(hasProject ? [] : [project]),
    ...(isOne ? [] : [differing]),
    {
      key: 'base',
      header: words.reference(base.name),
      width: '128px',
      from: 'medium',
      production: base.isProduction,
      cell: (row) => <Base row={row} base={base.name} />,
    },
    ...environments.map(
      ({ name, isProduction }): Column<DriftRow> => ({
        key: `environment:${name}`,
        header: name,
        width: '96px',
        ...(isOne ? {} : { from: 'medium' as const }),
        production: isProduction,
        cell: (row, controls) => (
          <Cell row={row} environment={name} base={base.name} controls={controls} onOpen={onOpen} />
        ),
      }),
    ),
  ];
}
