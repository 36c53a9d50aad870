import type { ReactNode } from 'react';
import type { Column } from '../kit/lists/Table.tsx';
import { NumberText } from '../kit/texts/NumberText.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import styles from './parts.module.css';

type More<Row> = Partial<Pick<Column<Row>, 'width' | 'from' | 'sortable'>>;
type Text = string | null | undefined;

const NAME = 'minmax(0, 1fr)';

/** The columns that most lists have. A text that is too long is cut. */
export const col = {
  text: <Row,>(key: string, header: string, of: (row: Row) => Text, more: More<Row> = {}): Column<Row> => ({
    key,
    header,
    width: NAME,
    ...more,
    cell: (row) => <span className={styles.cut}>{of(row)}</span>,
  }),
  strong: <Row,>(key: string, header: string, of: (row: Row) => Text, more: More<Row> = {}): Column<Row> => ({
    key,
    header,
    width: NAME,
    ...more,
    cell: (row) => <span className={`${styles.cut} ${styles.strong}`}>{of(row)}</span>,
  }),
  /** A name that applications send. */
  code: <Row,>(key: string, header: string, of: (row: Row) => Text, more: More<Row> = {}): Column<Row> => ({
    key,
    header,
    width: NAME,
    ...more,
    cell: (row) => <code className={styles.cut}>{of(row)}</code>,
  }),
  quiet: <Row,>(key: string, header: string, of: (row: Row) => Text, more: More<Row> = {}): Column<Row> => ({
    key,
    header,
    width: 'minmax(0, 2fr)',
    from: 'medium',
    ...more,
    cell: (row) => <span className={`${styles.cut} ${styles.quiet}`}>{of(row)}</span>,
  }),
  number: <Row,>(key: string, header: string, of: (row: Row) => ReactNode, more: More<Row> = {}): Column<Row> => ({
    key,
    header,
    width: '56px',
    align: 'end',
    ...more,
    cell: (row) => {
      const shown = of(row);
      return typeof shown === 'number' ? <NumberText value={shown} /> : shown;
    },
  }),
  time: <Row,>(key: string, header: string, of: (row: Row) => string, more: More<Row> = {}): Column<Row> => ({
    key,
    header,
    width: '104px',
    from: 'wide',
    ...more,
    cell: (row) => <TimeText at={of(row)} />,
  }),
};
