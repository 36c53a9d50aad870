import { type ReactNode, useState } from 'react';
import type { Writing } from '../data/client.ts';
import { useKept } from '../data/kept.ts';
import { useMay } from '../data/may.ts';
import { parts } from '../words/en/parts.ts';
import { EditPanel } from './EditPanel.tsx';
import { FieldList, type Fields, firstOf, problemIn, sentencesOf, type ValuesOf } from './fields.tsx';
import { type Listed, ListScreen } from './ListScreen.tsx';

/** A kind of objects that people create and change in panels: what its list and its fields need to know. */
export interface Resource<Row, F extends Fields, Made = unknown> extends Listed<Row> {
  readonly words: Listed<Row>['words'] & {
    readonly createTitle: string;
    readonly created: (name: string) => string;
    readonly saved: (name: string) => string;
  };
  readonly fields: F;
  readonly valuesOf: (row: Row) => ValuesOf<F>;
  /** Of the panel of a row. */
  readonly titleOf: (row: Row) => ReactNode;
  readonly createLabel?: string;
  readonly create: (values: ValuesOf<F>) => Writing<Made>;
  /** What was created is shown then. */
  readonly opens?: (made: Made) => Row;
  readonly save: (row: Row, base: ValuesOf<F>, values: ValuesOf<F>, reason: string) => Writing<unknown>;
  /** Reads what the difference names, such as roles. */
  readonly useNames?: () => void;
  /** Before the fields. */
  readonly above?: (values: ValuesOf<F>) => ReactNode;
  /** After the fields of a row. */
  readonly below?: (row: Row) => ReactNode;
  /** What else changes with it, after the difference. */
  readonly effects?: (row: Row) => ReactNode;
  /** A panel of another kind, for rows that have no fields. */
  readonly panel?: (row: Row, onClose: () => void) => ReactNode;
}

interface PanelProps<Row, F extends Fields, Made> {
  readonly of: Resource<Row, F, Made>;
  readonly onClose: () => void;
}

const nameIn = (values: { readonly [name: string]: unknown }) => String(values.name ?? '').trim();

interface CreateProps<Row, F extends Fields, Made> extends PanelProps<Row, F, Made> {
  readonly open: (row: Row) => void;
}

function Create<Row, F extends Fields, Made>({ of, open, onClose }: CreateProps<Row, F, Made>) {
  const { words, fields, opens } = of;
  const [values, setValues] = useKept('values', () => firstOf(fields));
  return (
    <EditPanel<Made>
      title={words.createTitle}
      mayNot={useMay(of.mayCreate)}
      problem={problemIn(fields, values, true)}
      label={of.createLabel ?? parts.create}
      save={() => of.create(values)}
      saved={{ canUndo: of.canUndo, text: words.created(nameIn(values)), refresh: of.refresh }}
      onSaved={(made) => (opens ? open(opens(made)) : onClose())}
      onClose={onClose}
    >
      {of.above?.(values)}
      <FieldList isNew fields={fields} values={values} onChange={setValues} />
    </EditPanel>
  );
}

const useNothing = () => undefined;

interface EditProps<Row, F extends Fields, Made> extends PanelProps<Row, F, Made> {
  readonly row: Row;
}

function Edit<Row, F extends Fields, Made>({ of, row, onClose }: EditProps<Row, F, Made>) {
  const { fields, useNames = useNothing } = of;
  useNames();
  const [base] = useState(() => of.valuesOf(row));
  const [values, setValues] = useKept('values', base);
  return (
    <EditPanel<unknown>
      title={of.titleOf(row)}
      mayNot={useMay(of.mayUpdate)}
      problem={problemIn(fields, values, false)}
      sentences={sentencesOf(fields, base, values)}
      effects={of.effects?.(row)}
      save={(reason) => of.save(row, base, values, reason)}
      saved={{ canUndo: of.canUndo, text: of.words.saved(nameIn(values)), refresh: of.refresh }}
      onSaved={onClose}
      onClose={onClose}
    >
      {of.above?.(values)}
      <FieldList fields={fields} values={values} onChange={setValues} />
      {of.below?.(row)}
    </EditPanel>
  );
}

/** The list of a resource, with its panels. */
export function ResourceScreen<Row, F extends Fields, Made>({ of }: { readonly of: Resource<Row, F, Made> }) {
  return (
    <ListScreen<Row>
      of={of}
      create={(onClose, open) => <Create of={of} open={open} onClose={onClose} />}
      edit={(row, onClose) =>
        of.panel?.(row, onClose) || <Edit key={of.keyOf(row)} of={of} row={row} onClose={onClose} />
      }
    />
  );
}
