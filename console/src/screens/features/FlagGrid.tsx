import { ArrowDown, ArrowUp } from 'lucide-react';
import { useMemo, useRef, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import type { FlagRow } from '../../data/flag-rows.ts';
import type { MayNot } from '../../data/may.ts';
import type { Sort } from '../../domain/flag-filter.ts';
import { Checkbox } from '../../kit/Checkbox.tsx';
import { classes } from '../../kit/classes.ts';
import { EnvironmentMark } from '../../kit/EnvironmentMark.tsx';
import { path } from '../../paths.ts';
import { features as words } from '../../words/en/features.ts';
import styles from './FlagGrid.module.css';
import { FIXED_COLUMNS, FlagGridRow, type GridEnvironment } from './FlagGridRow.tsx';
import { useGridKeys } from './use-grid-keys.ts';
import { useWindow } from './use-window.ts';

export interface FlagGridProps {
  readonly rows: readonly FlagRow[];
  readonly environments: readonly GridEnvironment[];
  readonly hasProject: boolean;
  readonly selected: ReadonlySet<string>;
  readonly onSelectionChange: (selected: ReadonlySet<string>) => void;
  readonly sort: Sort;
  readonly isDescending: boolean;
  readonly onSort: (by: Sort) => void;
  readonly mayNot: (project: string, environment: string) => MayNot;
  readonly onSwitch: (row: FlagRow, environment: string, on: boolean) => void;
}

const HEADER = 36;
const narrow = window.matchMedia('(max-width: 767px)');
const coarse = window.matchMedia('(pointer: coarse)');
const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener);
  coarse.addEventListener('change', listener);
  return () => {
    narrow.removeEventListener('change', listener);
    coarse.removeEventListener('change', listener);
  };
};
/** A narrow row has two lines: the name, and the switches. */
const useRowHeight = () => useSyncExternalStore(subscribe, () => (narrow.matches ? 84 : coarse.matches ? 44 : 36));

function HeaderCell({ column, props }: { readonly column: Sort; readonly props: FlagGridProps }) {
  const isSorted = props.sort === column;
  const name = words.columns[column];
  const Arrow = props.isDescending ? ArrowDown : ArrowUp;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the button in the cell has the focus.
    <div
      role="columnheader"
      className={classes(styles.headerCell, column === 'name' && styles.name)}
      aria-sort={isSorted ? (props.isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button type="button" className={styles.sort} onClick={() => props.onSort(column)}>
        {name}
        {isSorted && <Arrow size={14} aria-hidden />}
      </button>
    </div>
  );
}

function Header({ props }: { readonly props: FlagGridProps }) {
  const { rows, selected, environments, hasProject, onSelectionChange } = props;
  const all = rows.length > 0 && selected.size >= rows.length;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: controls in the row have the focus.
    <div role="row" aria-rowindex={1} className={styles.header}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: the control in the cell has the focus. */}
      <div role="columnheader" className={styles.select}>
        <Checkbox
          isLabelHidden
          label={words.selectAll}
          checked={all}
          mixed={selected.size > 0 && !all}
          onChange={(on) => onSelectionChange(new Set(on ? rows.map(({ name }) => name) : []))}
        />
      </div>
      <HeaderCell column="name" props={props} />
      {environments.map(({ name, isProduction, isGuarded }) => (
        // biome-ignore lint/a11y/useFocusableInteractive: it has no control.
        <div role="columnheader" key={name} className={styles.headerCell}>
          <EnvironmentMark name={name} production={isProduction} protected={isGuarded && !isProduction} />
        </div>
      ))}
      {!hasProject && <HeaderCell column="project" props={props} />}
      <HeaderCell column="type" props={props} />
      <HeaderCell column="lastSeenAt" props={props} />
      <HeaderCell column="createdAt" props={props} />
    </div>
  );
}

/** All flags that match. Only the rows that are visible are in the document. */
export function FlagGrid(props: FlagGridProps) {
  const { rows, environments, hasProject, selected, onSelectionChange, mayNot, onSwitch } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const [, navigate] = useLocation();
  const range = useWindow(scroller, rows.length, rowHeight);
  const onSelect = useMemo(
    () => (name: string, on: boolean) => {
      const next = new Set(selected);
      if (on) next.add(name);
      else next.delete(name);
      onSelectionChange(next);
    },
    [selected, onSelectionChange],
  );
  const keys = useGridKeys({
    scroller,
    rowCount: rows.length,
    columnCount: FIXED_COLUMNS + environments.length,
    rowHeight,
    headerHeight: HEADER,
    onToggle: (index) => {
      const row = rows[index];
      if (row) onSelect(row.name, !selected.has(row.name));
    },
    onOpen: (index) => {
      const row = rows[index];
      if (row) navigate(path('feature', { projectId: row.project, featureId: row.name }));
    },
  });
  const indexes = [];
  for (let index = range.first; index < Math.min(range.last, rows.length); index++) indexes.push(index);
  // The row with the focus stays in the document while it is out of sight.
  if (keys.row < rows.length && (keys.row < range.first || keys.row >= range.last)) indexes.push(keys.row);
  const columns = `36px minmax(240px, 1fr) ${environments.map(() => '124px').join(' ')} ${hasProject ? '' : '120px '}110px 100px 100px`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it is a grid.
    <div
      ref={scroller}
      className={styles.scroller}
      role="grid"
      aria-label={words.title}
      aria-rowcount={rows.length + 1}
      aria-multiselectable
      data-columns={environments.length}
      style={{ '--columns': columns } as React.CSSProperties}
      onKeyDown={keys.onKeyDown}
      onFocus={keys.onFocus}
    >
      <Header props={props} />
      {/* biome-ignore lint/a11y/useFocusableInteractive: controls in the rows have the focus. */}
      <div role="rowgroup" className={styles.rows} style={{ height: rows.length * rowHeight }}>
        {indexes.map((index) => {
          const row = rows[index] as FlagRow;
          return (
            <FlagGridRow
              key={row.name}
              row={row}
              index={index}
              top={index * rowHeight}
              environments={environments}
              hasProject={hasProject}
              isSelected={selected.has(row.name)}
              column={index === keys.row ? keys.column : -1}
              mayNot={mayNot}
              onSelect={onSelect}
              onSwitch={onSwitch}
            />
          );
        })}
      </div>
    </div>
  );
}
