import { type JSX, type MouseEvent, memo } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import { Checkbox } from '../inputs/Checkbox.tsx';
import styles from './Table.module.css';
import type { Column, InRow } from './Table.tsx';
import { cellClass } from './TableHead.tsx';

interface TableRowProps<Row> {
  readonly id: string;
  readonly row: Row;
  readonly name: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly index: number;
  readonly top: number | undefined;
  readonly isActive: boolean;
  readonly isSelected: boolean | undefined;
  /** The same function for as long as the table is shown. */
  readonly onToggle: (keys: readonly string[], isOn: boolean) => void;
  readonly onOpen: ((row: Row, column?: string) => void) | undefined;
}

const IN_ROW: InRow = { tabIndex: -1 };

/** Rendered again only when something of this row changed. */
export const TableRow = memo(AnyRow) as <Row>(props: TableRowProps<Row>) => JSX.Element;

function AnyRow<Row>(props: TableRowProps<Row>) {
  const { row, id, name, index, top, columns, isActive, isSelected, onToggle, onOpen } = props;
  const open = (event: MouseEvent) => {
    // React also reports presses inside of what a control of the row opened, such as its menu: these are not in the row.
    if (!event.currentTarget.contains(event.target as Node)) return;
    const target = event.target as Element;
    const isControl = target.closest('a, button, input, label');
    const column = target.closest<HTMLElement>('[data-column]')?.dataset.column;
    if (!isControl && getSelection()?.isCollapsed !== false) onOpen?.(row, column);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of its rows.
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-row={index}
      tabIndex={isActive ? 0 : -1}
      className={classes(styles.row, onOpen && styles.opens)}
      // Not a transform: the browser would compose the list of its rows again for each that comes.
      style={top === undefined ? undefined : { top }}
      onClick={open}
    >
      {isSelected !== undefined && (
        <div role="gridcell" className={classes(styles.cell, styles.check)}>
          <Checkbox
            checked={isSelected}
            label={words.select(name(row))}
            isLabelHidden
            tabIndex={-1}
            onChange={(isOn) => onToggle([id], isOn)}
          />
        </div>
      )}
      {columns.map((column) => (
        <div
          key={column.key}
          role="gridcell"
          data-column={column.key}
          data-header={column.isBelow ? column.header : undefined}
          className={cellClass(column)}
        >
          {column.cell(row, IN_ROW)}
        </div>
      ))}
    </div>
  );
}
