import type { ReactNode } from 'react';
import type { Column } from '../kit/lists/Table.tsx';
import { NumberText } from '../kit/texts/NumberText.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import styles from './parts.module.css';

/** The columns that most lists have. */
export const col = {
  /** The name that identifies a row. */
  code: <Row,>(key: string, header: string, of: (row: Row) => string, width = 'minmax(0, 1fr)'): Column<Row> => ({
    key,
    header,
    width,
    sortable: true,
    cell: (row) => <code className={styles.cut}>{of(row)}</code>,
  }),
  quiet: <Row,>(
    key: string,
    header: string,
    of: (row: Row) => string | null | undefined,
    width = 'minmax(0, 2fr)',
  ): Column<Row> => ({
    key,
    header,
    width,
    from: 'medium',
    cell: (row) => <span className={`${styles.cut} ${styles.quiet}`}>{of(row)}</span>,
  }),
  number: <Row,>(
    key: string,
    header: string,
    of: (row: Row) => ReactNode,
    { width = '56px', ...more }: Partial<Pick<Column<Row>, 'width' | 'from'>> = {},
  ): Column<Row> => ({
    key,
    header,
    width,
    align: 'end',
    ...more,
    cell: (row) => {
      const shown = of(row);
      return typeof shown === 'number' ? <NumberText value={shown} /> : shown;
    },
  }),
  time: <Row,>(key: string, header: string, of: (row: Row) => string, width = '104px'): Column<Row> => ({
    key,
    header,
    width,
    from: 'wide',
    sortable: true,
    cell: (row) => <TimeText at={of(row)} />,
  }),
};
