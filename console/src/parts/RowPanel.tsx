import { createContext, type ReactNode, useContext, useRef } from 'react';
import { useLastAuthor } from '../data/live.ts';
import { Banner } from '../kit/notices/Banner.tsx';
import { parts as words } from '../words/en/parts.ts';

/** What the panels around it are about was deleted. Empty text: it is not known who did it. */
export const Deleted = createContext<string | undefined>(undefined);

/** Says it at the beginning of a panel, whose fields keep what was typed. */
export function DeletedBanner() {
  const by = useContext(Deleted);
  return by !== undefined && <Banner tone="warn">{words.wasDeleted(by)}</Banner>;
}

interface RowPanelProps<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string | number;
  /** The key of the row that the address says. */
  readonly shown: string;
  /** What the changes of the rows are called in the stream. */
  readonly type: unknown;
  readonly children: (row: Row) => ReactNode;
}

/** The panel of one row of a list. It stays when the row is deleted elsewhere. */
export function RowPanel<Row>({ rows, keyOf, shown, type, children }: RowPanelProps<Row>) {
  const { row, isDeleted } = useShownRow(rows, keyOf, shown);
  const by = useLastAuthor(String(type), shown);
  return row && <Deleted value={isDeleted ? (by ?? '') : undefined}>{children(row)}</Deleted>;
}

/** The row with the key; the one that was there last, if it is deleted meanwhile. */
export function useShownRow<Row>(
  rows: readonly Row[] | undefined,
  keyOf: (row: Row) => string | number,
  shown: string,
) {
  const last = useRef<{ readonly key: string; readonly row: Row }>(null);
  const row = rows?.find((one) => String(keyOf(one)) === shown);
  if (row) last.current = { key: shown, row };
  const kept = last.current?.key === shown ? last.current.row : undefined;
  return { row: row ?? kept, isDeleted: rows !== undefined && row === undefined && kept !== undefined };
}
