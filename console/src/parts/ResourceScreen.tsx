import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import type { Writing } from '../data/client.ts';
import { useKept } from '../data/kept.ts';
import { useMay } from '../data/may.ts';
import { useOpened, useOpenedItem } from '../data/opened.ts';
import type { Column } from '../kit/lists/Table.tsx';
import { parts } from '../words/en/parts.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { EditPanel } from './EditPanel.tsx';
import { FieldList, type Fields, firstOf, problemIn, sentencesOf, type ValuesOf } from './fields.tsx';
import { ListPage } from './ListPage.tsx';
import { menuColumn } from './menu-column.tsx';
import styles from './parts.module.css';

type Permission = Parameters<typeof useMay>[0];

/** A kind of objects that people create, change and delete: what its list and its panels need to know. */
export interface Resource<Row, F extends Fields> {
  readonly words: {
    readonly title: string;
    readonly lead: string;
    readonly create: string;
    readonly createTitle: string;
    readonly none: string;
    readonly actions: (name: string) => string;
    readonly created: (name: string) => string;
    readonly saved: (name: string) => string;
    readonly deleted: (name: string) => string;
    readonly deleteTitle: (name: string) => string;
  };
  readonly icon: ReactNode;
  readonly query: UseQueryOptions<readonly Row[]>;
  /** What is read again after a change. */
  readonly refresh: readonly (readonly unknown[])[];
  readonly may: { readonly create: Permission; readonly update: Permission; readonly delete: Permission };
  readonly fields: F;
  readonly valuesOf: (row: Row) => ValuesOf<F>;
  /** What the address calls it. */
  readonly keyOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  /** What the filter searches. */
  readonly texts: (row: Row) => readonly (string | null | undefined)[];
  readonly sortText?: (row: Row, key: string) => string;
  readonly columns: readonly Column<Row>[];
  readonly command: string;
  readonly create: (values: ValuesOf<F>) => Writing<unknown>;
  readonly save: (row: Row, base: ValuesOf<F>, values: ValuesOf<F>, reason: string) => Writing<unknown>;
  readonly remove: (row: Row, reason: string) => Writing<unknown>;
  /** What the deletion does, and what is below the fields of the object. */
  readonly useDeletion: (row: Row) => { readonly effects: readonly string[]; readonly blocked?: string | undefined };
  readonly effects?: (row: Row) => ReactNode;
}

interface Of<Row, F extends Fields> {
  readonly of: Resource<Row, F>;
  readonly onClose: () => void;
}

function Create<Row, F extends Fields>({ of, onClose }: Of<Row, F>) {
  const { words, fields } = of;
  const [values, setValues] = useKept('values', () => firstOf(fields));
  const name = String(values.name ?? '');
  return (
    <EditPanel<unknown>
      title={words.createTitle}
      mayNot={useMay(of.may.create)}
      problem={problemIn(fields, values)}
      label={parts.create}
      save={() => of.create(values)}
      saved={{ canUndo: true, text: words.created(name), refresh: of.refresh }}
      onSaved={onClose}
      onClose={onClose}
    >
      <FieldList isNew fields={fields} values={values} onChange={setValues} />
    </EditPanel>
  );
}

function Edit<Row, F extends Fields>({ of, row, onClose }: Of<Row, F> & { readonly row: Row }) {
  const { fields } = of;
  const [base] = useState(() => of.valuesOf(row));
  const [values, setValues] = useKept('values', base);
  const name = of.nameOf(row);
  return (
    <EditPanel<unknown>
      title={<code>{name}</code>}
      mayNot={useMay(of.may.update)}
      problem={problemIn(fields, values)}
      sentences={sentencesOf(fields, base, values)}
      effects={of.effects?.(row)}
      save={(reason) => of.save(row, base, values, reason)}
      saved={{ canUndo: true, text: of.words.saved(name), refresh: of.refresh }}
      onSaved={onClose}
      onClose={onClose}
    >
      <FieldList fields={fields} values={values} onChange={setValues} />
    </EditPanel>
  );
}

function Delete<Row, F extends Fields>({ of, row, onClose }: Of<Row, F> & { readonly row: Row }) {
  const { words } = of;
  const name = of.nameOf(row);
  const { effects, blocked } = of.useDeletion(row);
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.deleteTitle(name)}
      sentences={effects}
      label={parts.delete}
      mayNot={useMay(of.may.delete)}
      blocked={blocked}
      act={(reason) => of.remove(row, reason)}
      saved={{ canUndo: true, text: words.deleted(name), refresh: of.refresh }}
      onClose={onClose}
    />
  );
}

/** The list of a resource, with the panel or the dialog that the address says. */
export function ResourceScreen<Row, F extends Fields>({ of }: { readonly of: Resource<Row, F> }) {
  const { words, keyOf, nameOf } = of;
  const query = useQuery(of.query);
  const [panel, setPanel] = useOpened('panel');
  const [deleting, setDeleting] = useOpenedItem('ask', query.data, keyOf);
  const mayNotCreate = useMay(of.may.create);
  const mayNotDelete = useMay(of.may.delete);
  const columns = useMemo(
    () => [
      ...of.columns,
      menuColumn<Row>(
        (row) => words.actions(nameOf(row)),
        (row) => [
          { label: parts.editMenu, onSelect: () => setPanel(keyOf(row)) },
          { label: parts.deleteMenu, danger: true, reason: mayNotDelete, onSelect: () => setDeleting(row) },
        ],
      ),
    ],
    [of, words, keyOf, nameOf, setPanel, setDeleting, mayNotDelete],
  );
  const shown = query.data?.find((row) => keyOf(row) === panel);
  const close = () => setPanel('');
  return (
    <ListPage<Row>
      words={words}
      icon={of.icon}
      query={query}
      rows={query.data}
      columns={columns}
      rowKey={keyOf}
      texts={of.texts}
      sortText={of.sortText ?? nameOf}
      firstSort="name"
      mayNotCreate={mayNotCreate}
      onCreate={() => setPanel('create')}
      onOpen={(row) => setPanel(keyOf(row))}
      command={of.command}
    >
      {panel === 'create' && !shown && <Create of={of} onClose={close} />}
      {shown && <Edit key={keyOf(shown)} of={of} row={shown} onClose={close} />}
      {deleting && <Delete of={of} row={deleting} onClose={() => setDeleting(null)} />}
    </ListPage>
  );
}

/** The columns that most lists have. */
export const col = {
  /** The name that identifies a row. */
  code: <Row,>(key: string, header: string, of: (row: Row) => string): Column<Row> => ({
    key,
    header,
    width: 'minmax(0, 1fr)',
    sortable: true,
    cell: (row) => <code className={styles.cut}>{of(row)}</code>,
  }),
  quiet: <Row,>(key: string, header: string, of: (row: Row) => string | null | undefined): Column<Row> => ({
    key,
    header,
    width: 'minmax(0, 2fr)',
    from: 'medium',
    cell: (row) => <span className={`${styles.cut} ${styles.quiet}`}>{of(row)}</span>,
  }),
  number: <Row,>(key: string, header: string, cell: (row: Row) => ReactNode): Column<Row> => ({
    key,
    header,
    width: '56px',
    align: 'end',
    cell,
  }),
};
