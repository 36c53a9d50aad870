import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Writing } from '../data/client.ts';
import { useMay, useMayIn } from '../data/may.ts';
import { useOpened, usePanelPages } from '../data/opened.ts';
import { leave } from '../data/query-client.ts';
import { Switch } from '../kit/inputs/Switch.tsx';
import type { Column } from '../kit/lists/Table.tsx';
import type { MenuEntry } from '../kit/overlays/Menu.tsx';
import { NotFound } from '../page/NotFound.tsx';
import { parts } from '../words/en/parts.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { ListPage } from './ListPage.tsx';
import { menuColumn } from './menu-column.tsx';
import { RowPanel, useShownRow } from './RowPanel.tsx';

export type Permission = Parameters<typeof useMay>[0];

/** What a question before an act shows. */
interface Question {
  readonly sentences: readonly string[];
  /** Why it cannot be done, such as what still uses the object. */
  readonly blocked?: string | undefined;
  readonly more?: ReactNode;
}

/** What is done with a row after a question, such as its deletion. The menu of the row has it. */
export interface Act<Row> {
  /** Of the question, in the address. */
  readonly key: string;
  readonly may: Permission;
  readonly isDanger?: boolean;
  /** The rows that have it; all without. */
  readonly isFor?: (row: Row) => boolean;
  /** Why it is not possible, such as for what is built in. */
  readonly reason?: (row: Row) => string | undefined;
  readonly menu: string;
  readonly label: string;
  readonly title: (name: string) => string;
  readonly useQuestion: (row: Row) => Question;
  /** It cannot be undone: the name must be typed. */
  readonly isTyped?: boolean;
  readonly run: (row: Row, reason: string) => Writing<unknown>;
  readonly done: (name: string) => string;
}

const DELETE = 'delete';
const isDeletion = ({ key }: { readonly key: string }) => key === DELETE;

interface DeletionWords {
  readonly deleteTitle?: (name: string) => string;
  readonly deleted: (name: string) => string;
}

export const deletion = <Row,>(
  { deleteTitle = parts.deleteTitle, deleted }: DeletionWords,
  act: Pick<Act<Row>, 'may' | 'reason' | 'useQuestion' | 'isTyped' | 'run'>,
): Act<Row> => ({
  ...act,
  key: DELETE,
  isDanger: true,
  menu: parts.deleteMenu,
  label: parts.delete,
  title: deleteTitle,
  done: deleted,
});

interface SwitchWords {
  readonly onEffects: readonly string[];
  readonly wasSwitchedOn: (name: string) => string;
  readonly offEffects: readonly string[];
}

/** Switches on what is off, and off what is on. */
export const switching = <Row extends { readonly enabled: boolean }>(
  words: SwitchWords,
  { may, run }: Pick<Act<Row>, 'may'> & { readonly run: (row: Row, isOn: boolean, reason: string) => Writing<unknown> },
): readonly Act<Row>[] => [
  {
    key: 'on',
    may,
    isFor: ({ enabled }) => !enabled,
    menu: parts.switchOn,
    label: parts.onLabel,
    title: parts.onTitle,
    useQuestion: () => ({ sentences: words.onEffects }),
    run: (row, reason) => run(row, true, reason),
    done: words.wasSwitchedOn,
  },
  {
    key: 'off',
    may,
    isFor: ({ enabled }) => enabled,
    menu: parts.switchOff,
    label: parts.offLabel,
    title: parts.offTitle,
    useQuestion: () => ({ sentences: words.offEffects }),
    run: (row, reason) => run(row, false, reason),
    done: parts.isOff,
  },
];

/** The first column: a switch that asks before the act "on" or "off". */
interface Switched<Row> extends Pick<Column<Row>, 'header' | 'width' | 'from'> {
  readonly label: (name: string) => string;
}

type Refresh = readonly (readonly unknown[])[];

/** Addresses of the panels, where they have pages of their own. */
interface Pages<Row> {
  readonly list: string;
  readonly of: (row: Row) => string;
  readonly create?: string;
}

/** A kind of objects: what its list needs to know. */
export interface Listed<Row> {
  readonly words: {
    readonly title: string;
    readonly lead: string;
    readonly create: string;
    readonly none: string;
  };
  readonly icon: ReactNode;
  /** Follows the sentence about the screen. */
  readonly moreLead?: ReactNode;
  readonly useRows: () => UseQueryResult<readonly Row[]>;
  /** What is read again after a change. */
  readonly refresh: Refresh;
  /** Of a row that is still there, too. */
  readonly refreshOf?: (row: Row) => Refresh;
  readonly mayCreate: Permission;
  readonly mayUpdate: Permission;
  /** Where permissions for a row are needed, if not in the instance. */
  readonly projectOf?: (row: Row) => string | undefined;
  /** Rows that cannot be changed, such as what is built in. */
  readonly isFixed?: (row: Row) => boolean;
  /** What the address calls it. */
  readonly keyOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  /** What the filter searches. */
  readonly texts: (row: Row) => readonly (string | null | undefined)[];
  readonly sortText?: (row: Row, key: string) => string;
  readonly firstSort?: string;
  readonly columns: readonly Column<Row>[];
  readonly switched?: Switched<Row>;
  readonly command: string;
  readonly pages?: Pages<Row>;
  /** A row has a screen of its own in place of a panel. The screen has a panel "edit". */
  readonly screenOf?: (row: Row) => string;
  /** The name of the menu of a row, if its name needs other words. */
  readonly actions?: (name: string) => string;
  readonly moreEntries?: (row: Row) => readonly MenuEntry[];
  readonly acts: readonly Act<Row>[];
  readonly canUndo: boolean;
}

interface Panels<Row> {
  /** The key of the row that is shown. */
  readonly shown: string;
  readonly isNew: boolean;
  readonly open: (row: Row) => void;
  readonly create: () => void;
  readonly close: () => void;
}

/** As it is, if it is no part of an address: no row has such a key. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function usePanels<Row>({ keyOf, pages, screenOf }: Listed<Row>): Panels<Row> {
  const [panel, setPanel] = useOpened('panel');
  const [location, navigate] = useLocation();
  const { id, name } = useParams<{ id?: string; name?: string }>();
  const { open, close } = usePanelPages(pages?.list ?? '');
  return useMemo(() => {
    const isAsked = panel === 'create';
    const show = () => setPanel('create');
    const hide = () => setPanel('');
    const openHere = (row: Row) => (screenOf ? navigate(screenOf(row)) : setPanel(keyOf(row)));
    if (!pages) return { shown: panel, isNew: isAsked, open: openHere, create: show, close: hide };
    const { list, create } = pages;
    const shown = decoded(id ?? name ?? '');
    const isNew = create === undefined ? isAsked && shown === '' : location === create;
    const createHere = shown === '' ? show : () => navigate(`${list}?panel=create`, { replace: true });
    return {
      shown,
      isNew,
      open: (row) => open(pages.of(row)),
      create: create === undefined ? createHere : () => open(create),
      close: isNew && create === undefined ? hide : close,
    };
  }, [panel, setPanel, location, navigate, id, name, open, close, keyOf, pages, screenOf]);
}

interface QuestionProps<Row> {
  readonly of: Pick<Listed<Row>, 'nameOf' | 'projectOf' | 'refresh' | 'refreshOf' | 'canUndo'>;
  readonly act: Act<Row>;
  readonly row: Row;
  /** Leaves the screen or the panel of what was deleted. */
  readonly onLeave?: () => void;
  readonly onClose: () => void;
}

/** Asks before an act. */
export function ActQuestion<Row>({ of, act, row, onLeave, onClose }: QuestionProps<Row>) {
  const name = of.nameOf(row);
  const { sentences, blocked, more } = act.useQuestion(row);
  const refresh = isDeletion(act) ? of.refresh : [...of.refresh, ...(of.refreshOf?.(row) ?? [])];
  const leaves = isDeletion(act) && onLeave !== undefined;
  return (
    <ConfirmDialog<unknown>
      danger={act.isDanger === true}
      typed={act.isTyped ? name : undefined}
      title={act.title(name)}
      sentences={sentences}
      label={act.label}
      mayNot={useMay(act.may, of.projectOf?.(row))}
      blocked={blocked}
      act={(reason) => act.run(row, reason)}
      saved={{ canUndo: of.canUndo, text: act.done(name), refresh: leaves ? [] : refresh }}
      onDone={() => leaves && leave(of.refresh[0] ?? [], onLeave)}
      onClose={onClose}
    >
      {more}
    </ConfirmDialog>
  );
}

type Ask = (act: string, key: string) => void;
type MayIn = ReturnType<typeof useMayIn>;

function switchColumn<Row>(of: Listed<Row>, switched: Switched<Row>, mayIn: MayIn, ask: Ask): Column<Row> {
  const { label, ...column } = switched;
  return {
    ...column,
    key: 'switched',
    cell: (row, inRow) => {
      const act = of.acts.find(({ key, isFor }) => (key === 'on' || key === 'off') && isFor?.(row));
      return (
        act && (
          <Switch
            does="asks"
            {...inRow}
            checked={act.key === 'off'}
            label={label(of.nameOf(row))}
            reason={mayIn(act.may)}
            onChange={() => ask(act.key, of.keyOf(row))}
          />
        )
      );
    },
  };
}

function useColumns<Row>(of: Listed<Row>, open: (row: Row) => void, ask: Ask): readonly Column<Row>[] {
  const mayIn = useMayIn();
  const [, navigate] = useLocation();
  return useMemo(() => {
    const { screenOf, projectOf, isFixed } = of;
    const mayNotUpdate = (row: Row) => mayIn(of.mayUpdate, projectOf?.(row));
    const isOnlyShown = (row: Row) => screenOf !== undefined || isFixed?.(row) || mayNotUpdate(row) !== undefined;
    const editEntry = (row: Row) =>
      screenOf && [
        {
          label: parts.editMenu,
          reason: mayNotUpdate(row),
          onSelect: () => navigate(`${screenOf(row)}?panel=edit`),
        },
      ];
    const menu = menuColumn<Row>(
      (row) => (of.actions ?? parts.actionsFor)(of.nameOf(row)),
      (row) => [
        ...(of.moreEntries?.(row) ?? []),
        { label: isOnlyShown(row) ? parts.open : parts.editMenu, onSelect: () => open(row) },
        ...(editEntry(row) ?? []),
        ...of.acts
          .filter(({ isFor }) => isFor?.(row) ?? true)
          .map(({ key, menu: label, may, reason }) => ({
            label,
            ...(key === DELETE && { danger: true }),
            reason: reason?.(row) ?? mayIn(may, projectOf?.(row)),
            onSelect: () => ask(key, of.keyOf(row)),
          })),
      ],
    );
    const { switched, columns } = of;
    return [...(switched ? [switchColumn(of, switched, mayIn, ask)] : []), ...columns, menu];
  }, [of, open, ask, mayIn, navigate]);
}

/** The question that the address says. */
function useAsked<Row>(of: Listed<Row>, rows: readonly Row[] | undefined, panels: Panels<Row>) {
  const [text, set] = useOpened('ask');
  const ask: Ask = useMemo(() => (act, key) => set(`${act}~${key}`), [set]);
  const at = text.indexOf('~');
  const act = of.acts.find(({ key }) => key === text.slice(0, at));
  const row = rows?.find((one) => of.keyOf(one) === text.slice(at + 1));
  const shown = act !== undefined && row !== undefined && (
    <ActQuestion
      key={text}
      of={of}
      act={act}
      row={row}
      {...(of.keyOf(row) === panels.shown && { onLeave: panels.close })}
      onClose={() => set('')}
    />
  );
  return { ask, shown };
}

interface ListScreenProps<Row> {
  readonly of: Listed<Row>;
  /** `open` shows what was created. */
  readonly create: (onClose: () => void, open: (row: Row) => void) => ReactNode;
  readonly edit?: (row: Row, onClose: () => void) => ReactNode;
}

/** A list with the panel and the question that the address says. */
export function ListScreen<Row>({ of, create, edit }: ListScreenProps<Row>) {
  const { keyOf, nameOf } = of;
  const query = of.useRows();
  const panels = usePanels(of);
  const { ask, shown: asked } = useAsked(of, query.data, panels);
  const columns = useColumns(of, panels.open, ask);
  const { row: shown } = useShownRow(query.data, keyOf, panels.shown);
  const mayNotCreate = useMay(of.mayCreate);
  const created = useRef('');
  const openCreated = (row: Row) => {
    created.current = keyOf(row);
    panels.open(row);
  };
  // What was created is not unknown, if the list is read slowly.
  const isUnknown = of.pages && query.data && !shown && panels.shown !== '' && panels.shown !== created.current;
  if (isUnknown) return <NotFound />;
  return (
    <ListPage<Row>
      words={of.words}
      icon={of.icon}
      moreLead={of.moreLead}
      query={query}
      rows={query.data}
      columns={columns}
      rowKey={keyOf}
      texts={of.texts}
      sortText={of.sortText ?? nameOf}
      firstSort={of.firstSort ?? 'name'}
      mayNotCreate={mayNotCreate}
      onCreate={panels.create}
      onOpen={panels.open}
      command={of.command}
    >
      {panels.isNew && !shown && create(panels.close, openCreated)}
      {edit && (
        <RowPanel rows={query.data} keyOf={keyOf} shown={panels.shown} type={of.refresh[0]?.[0]}>
          {(row) => edit(row, panels.close)}
        </RowPanel>
      )}
      {asked}
    </ListPage>
  );
}
