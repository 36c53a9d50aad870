import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import styles from './Table.module.css';
import type { Column, Sort } from './Table.tsx';

interface TableHeadProps {
  readonly columns: readonly Column<never>[];
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
  /** The check box of all rows. */
  readonly children: ReactNode;
}

export function cellClass({ align, from, isText, isBelow, production }: Column<never>, isHead = false): string {
  return classes(
    styles.cell,
    align === 'end' && styles.end,
    align === 'center' && styles.center,
    from === 'medium' && styles.fromMedium,
    from === 'wide' && styles.fromWide,
    isText && !isHead && styles.text,
    isBelow && styles.below,
    production && styles.production,
  );
}

export function TableHead({ columns, sort, onSort, children }: TableHeadProps) {
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.row}>
        {children && (
          <div role="columnheader" className={styles.cell}>
            {children}
          </div>
        )}
        {columns.map((column) => {
          const { key, header, isHeaderHidden, sortable } = column;
          const isSorted = sort?.key === key;
          const order = isSorted ? (sort.descending ? 'descending' : 'ascending') : undefined;
          return (
            <div key={key} role="columnheader" aria-sort={order} className={cellClass(column, true)}>
              {sortable && onSort ? (
                <button
                  type="button"
                  className={styles.sort}
                  onClick={() => onSort({ key, descending: isSorted && !sort.descending })}
                >
                  {header}
                  {isSorted && (sort.descending ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />)}
                </button>
              ) : (
                <span className={isHeaderHidden ? 'visually-hidden' : styles.header}>{header}</span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
