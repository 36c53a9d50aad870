import { Plus } from 'lucide-react';
import type { MayNot } from '../data/may.ts';
import { Button } from '../kit/inputs/Button.tsx';
import type { Column } from '../kit/lists/Table.tsx';
import { unknownFlags as words } from '../words/en/flags/unknown-flags.ts';

/** Creates a flag with the name of the row. */
export function createColumn<Row extends { readonly name: string }>(
  onCreate: (name: string) => void,
  mayNot: MayNot,
): Column<Row> {
  return {
    key: 'create',
    header: words.columns.create,
    isHeaderHidden: true,
    width: '96px',
    align: 'end',
    cell: ({ name }, controls) => (
      <Button
        {...controls}
        size="small"
        icon={<Plus aria-hidden />}
        aria-label={words.createLabel(name)}
        reason={mayNot}
        onClick={() => onCreate(name)}
      >
        {words.create}
      </Button>
    ),
  };
}
