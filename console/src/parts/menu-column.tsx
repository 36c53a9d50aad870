import { Ellipsis } from 'lucide-react';
import type { Column } from '../kit/lists/Table.tsx';
import { Menu, type MenuEntry } from '../kit/overlays/Menu.tsx';
import { parts as words } from '../words/en/parts.ts';

/** The last column of a list: what can be done with a row. `labelOf`: the name of the button in a row. */
export function menuColumn<Row>(
  labelOf: (row: Row) => string,
  entriesOf: (row: Row) => readonly MenuEntry[],
): Column<Row> {
  return {
    key: 'actions',
    header: words.actions,
    isHeaderHidden: true,
    width: 'max(32px, var(--target))',
    align: 'end',
    cell: (row, inRow) => (
      <Menu {...inRow} size="small" icon={<Ellipsis aria-hidden />} label={labelOf(row)} entries={entriesOf(row)} />
    ),
  };
}
