import { type JSX, type MouseEvent, memo } from 'react';
import { kit as words } from '../words/en/kit.ts';
import { Checkbox } from './Checkbox.tsx';
import { classes } from './classes.ts';
import styles from './Table.module.css';
import type { Column, InRow } from './Table.tsx';
import { cellClass } from './TableHead.tsx';

interface TableRowProps<Row> {
  readonly row: Row;
  readonly id: string;
  readonly name: (row: Row) => string;
  readonly index: number;
  readonly top: number | undefined;
  readonly columns: readonly Column<Row>[];
  readonly isActive: boolean;
  readonly isSelected: boolean | undefined;
  readonly onToggle: (keys: readonly string[], isOn: boolean) => void;
  readonly onOpen: ((row: Row) => void) | undefined;
}

const IN_ROW: InRow = { tabIndex: -1 };

function Cells<Row>(props: TableRowProps<Row>) {
  const { row, id, name, index, top, columns, isActive, isSelected, onToggle, onOpen } = props;
  const open = (event: MouseEvent) => {
    const isControl = (event.target as Element).closest('a, button, input, label');
    if (!isControl && getSelection()?.isCollapsed !== false) onOpen?.(row);
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
      style={top === undefined ? undefined : { transform: `translateY(${top}px)` }}
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
        <div key={column.key} role="gridcell" className={cellClass(column)}>
          {column.cell(row, IN_ROW)}
        </div>
      ))}
    </div>
  );
}

/** Rendered again only when something of this row changed. */
export const TableRow = memo(Cells) as <Row>(props: TableRowProps<Row>) => JSX.Element;
