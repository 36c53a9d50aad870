import { type CSSProperties, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { useShortcut } from '../../keys/registry.ts';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import { Checkbox } from '../inputs/Checkbox.tsx';
import { inGroups } from './groups.ts';
import styles from './Table.module.css';
import { TableHead } from './TableHead.tsx';
import { TableRow } from './TableRow.tsx';
import { useListKeys } from './use-list-keys.ts';
import { usePlace } from './use-place.ts';
import { useSlots } from './use-slots.ts';
import { useWindow } from './use-window.ts';

/** For the controls of a row: the row is the tab stop, and the arrows go through its controls. */
export interface InRow {
  readonly tabIndex: -1;
}

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  readonly isHeaderHidden?: boolean;
  /** A track of a CSS grid, such as `minmax(0, 1fr)` or `96px`. */
  readonly width: string;
  readonly align?: 'start' | 'center' | 'end';
  /** The width of the table from which it is shown: 480 or 840 px. */
  readonly from?: 'medium' | 'wide';
  /** Its cells are quiet text in one line. For a virtual table, whose rows have one height. */
  readonly isText?: boolean;
  /** In a narrow table it is below the name, with its header, two to a line. For a table with a selection. */
  readonly isBelow?: boolean;
  readonly sortable?: boolean;
  /** An environment of production: has an edge. */
  readonly production?: boolean;
  readonly cell: (row: Row, controls: InRow) => ReactNode;
}

export interface Sort {
  readonly key: string;
  readonly descending: boolean;
}

export interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

export interface TableProps<Row> {
  readonly label: string;
  /** Keep the array while it is the same: rows that did not change are not rendered again. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** What a row is called, for its check box. */
  readonly rowName?: (row: Row) => string;
  /** `column` is the key of the pressed cell; the keyboard opens the row without one. */
  readonly onOpen?: (row: Row, column?: string) => void;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  readonly selection?: Selection;
  /**
   * Thousands of rows: only what is in view is in the document, and the table scrolls inside of its parent, which has a height. Elements are used again for
   * other rows, so cells must keep no state that belongs to their row.
   */
  readonly virtual?: boolean;
  /** The name above the first row of each group. Rows of one group follow each other. Not for a virtual table. */
  readonly groupOf?: (row: Row) => string;
  /** Rows are as high as their texts, where these do not fit into a line. Not for a virtual table. */
  readonly wraps?: boolean;
  /** The list of the screen: `j` and `k` come to it from anywhere. */
  readonly main?: boolean;
  /** The width that its columns need, if it has less: it scrolls sideways then, below its first column. For a virtual table with a selection. */
  readonly leastPx?: number | undefined;
  readonly empty?: ReactNode;
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, onOpen, selection, virtual = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const lines = Math.ceil(columns.filter(({ isBelow }) => isBelow).length / 2);
  const shown = useWindow(scroller, virtual, HEAD_PX, lines);
  usePlace(scroller, label, rows.length > 0);
  const toggle = useToggle(selection);
  const keyAt = (index: number) => rowKey(rows[index] as Row);
  const keys = useListKeys({
    scroller,
    count: rows.length,
    keyAt,
    reveal: virtual ? shown.reveal : undefined,
    onOpen: (index) => onOpen?.(rows[index] as Row),
    selected: selection?.selected,
    onToggle: toggle,
  });
  useMainKeys(props.main === true && rows.length > 0, keys.focusActive);
  const indexes = virtual
    ? indexesOf(shown.start, Math.min(shown.end, rows.length), Math.min(keys.active, rows.length - 1))
    : rows.map((_, index) => index);
  const groups = inGroups(indexes, (index) => props.groupOf?.(rows[index] as Row) ?? '');
  const activeRow = rows[keys.active];
  const slots = useSlots(virtual ? indexes.map(keyAt) : NO_KEYS, activeRow && rowKey(activeRow));
  const head = useHead(props, toggle);
  return (
    <div {...frameOf(props, lines)}>
      <div
        ref={scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable={selection ? true : undefined}
        className={classes(styles.grid, lines > 0 && styles.stacked)}
        onKeyDown={keys.onKeyDown}
        onFocus={keys.onFocus}
      >
        {head}
        {groups.map(({ key, name, items: members }) => (
          <RowGroup key={key} name={name} height={virtual ? rows.length * shown.rowHeight : undefined}>
            {members.map((index) => {
              const row = rows[index] as Row;
              const id = rowKey(row);
              return (
                <TableRow
                  key={slots.get(id) ?? id}
                  id={id}
                  row={row}
                  name={props.rowName ?? rowKey}
                  columns={columns}
                  index={index}
                  isSelected={selection?.selected.has(id)}
                  onOpen={onOpen}
                  top={virtual ? index * shown.rowHeight : undefined}
                  isActive={index === keys.active}
                  onToggle={toggle}
                />
              );
            })}
          </RowGroup>
        ))}
      </div>
      {rows.length === 0 && props.empty}
    </div>
  );
}

interface RowGroupProps {
  /** "" for the rows of a table without groups. */
  readonly name: string;
  readonly height: number | undefined;
  readonly children: ReactNode;
}

function RowGroup({ name, height, children }: RowGroupProps) {
  return (
    <div role="rowgroup" aria-label={name || undefined} className={styles.rows} style={{ height }}>
      {name !== '' && (
        <p aria-hidden className={styles.group}>
          {name}
        </p>
      )}
      {children}
    </div>
  );
}

type Toggle = (keys: readonly string[], isOn: boolean) => void;

function useToggle(selection: Selection | undefined): Toggle {
  const latest = useRef(selection);
  useEffect(() => {
    latest.current = selection;
  });
  return useCallback((keys, isOn) => {
    if (!latest.current) return;
    const next = new Set(latest.current.selected);
    for (const key of keys) isOn ? next.add(key) : next.delete(key);
    latest.current.onChange(next);
  }, []);
}

/** The same element while the table has the same properties, as it has in the frames of a scroll. */
function useHead<Row>(table: TableProps<Row>, toggle: Toggle): ReactNode {
  return useMemo(() => {
    const { columns, sort, onSort, selection } = table;
    return (
      <TableHead columns={columns} sort={sort} onSort={onSort}>
        {selection && <SelectAll table={table} selected={selection.selected} toggle={toggle} />}
      </TableHead>
    );
  }, [table, toggle]);
}

interface SelectAllProps<Row> {
  readonly table: TableProps<Row>;
  readonly selected: ReadonlySet<string>;
  readonly toggle: Toggle;
}

function SelectAll<Row>({ table: { rows, rowKey }, selected, toggle }: SelectAllProps<Row>) {
  const isAll = rows.length > 0 && selected.size >= rows.length && rows.every((row) => selected.has(rowKey(row)));
  return (
    <Checkbox
      checked={isAll}
      mixed={!isAll && selected.size > 0}
      label={words.selectAll}
      isLabelHidden
      onChange={(isOn) => toggle(rows.map(rowKey), isOn)}
    />
  );
}

/** The rows in view, and the one that is the tab stop: it keeps the focus when it is scrolled away. */
function indexesOf(start: number, end: number, active: number): number[] {
  const indexes = Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at);
  if (active >= 0 && active < start) indexes.unshift(active);
  else if (active >= end) indexes.push(active);
  return indexes;
}

const NO_KEYS: readonly string[] = [];

/** The height of the header and its line, which is above the first row. */
const HEAD_PX = 33;

function useMainKeys(isMain: boolean, focus: () => void): void {
  const group = words.lists;
  useShortcut(isMain ? { keys: 'j', label: words.nextRow, group, run: focus } : undefined);
  useShortcut(isMain ? { keys: 'k', label: words.previousRow, group, run: focus } : undefined);
}

function frameOf<Row>({ columns, selection, leastPx, virtual, wraps }: TableProps<Row>, lines: number) {
  const isSideways = leastPx !== undefined;
  return {
    className: classes(styles.frame, virtual && styles.virtual, wraps && styles.wraps, isSideways && styles.sideways),
    style: sizesOf(columns, selection !== undefined, lines, leastPx),
  };
}

/** The tracks for each width. Custom properties, because the policy allows no style in the document's text. */
function sizesOf(columns: readonly Column<never>[], hasSelection: boolean, lines: number, leastPx = 0): CSSProperties {
  const tracks = (has: (column: Column<never>) => boolean) =>
    [hasSelection ? '28px' : '', ...columns.filter(has).map(({ width }) => width)].join(' ');
  return {
    '--narrow': tracks(({ from, isBelow }) => from === undefined && !isBelow),
    '--medium': tracks(({ from }) => from !== 'wide'),
    '--wide': tracks(() => true),
    '--lines': lines,
    '--least': `${leastPx}px`,
  } as CSSProperties;
}
