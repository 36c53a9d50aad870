import type { UseQueryResult } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { MayNot } from '../data/may.ts';
import { useUrlState } from '../data/url-state.ts';
import { useShortcut } from '../keys/registry.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { type Column, type Sort, Table } from '../kit/lists/Table.tsx';
import { EmptyState } from '../kit/notices/EmptyState.tsx';
import { parts } from '../words/en/parts.ts';
import { people as words } from '../words/en/people/people.ts';
import { FilterInput, matches } from './FilterInput.tsx';
import { Loaded } from './Loaded.tsx';
import { Page } from './Page.tsx';
import styles from './parts.module.css';

/** Longer lists are windowed. */
const ROWS_MAX = 200;

interface ListPageProps<Row> {
  readonly words: { readonly title: string; readonly lead: string; readonly create: string; readonly none: string };
  readonly icon: ReactNode;
  /** Follows the sentence about the screen. */
  readonly moreLead?: ReactNode;
  readonly query: UseQueryResult<unknown>;
  /** Undefined while it is being read. */
  readonly rows: readonly Row[] | undefined;
  /** What a further filter leaves; its value is in the address as `role`. */
  readonly keep?: ((row: Row) => boolean) | undefined;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** What the filter searches. */
  readonly texts: (row: Row) => readonly (string | null | undefined)[];
  /** The texts that sort the columns. */
  readonly sortText: (row: Row, key: string) => string;
  readonly firstSort: string;
  readonly mayNotCreate: MayNot;
  readonly onCreate: () => void;
  readonly onOpen: (row: Row) => void;
  readonly command: string;
  readonly tools?: ReactNode;
  /** Chooses another list: also where this one is empty. */
  readonly choice?: ReactNode;
  /** The panels. */
  readonly children?: ReactNode;
}

function useSort(first: string): readonly [Sort, (sort: Sort) => void] {
  const [text, set] = useUrlState('sort', first);
  return [
    { key: text.split('.')[0] ?? '', descending: text.endsWith('.desc') },
    ({ key, descending }) => set(`${key}${descending ? '.desc' : ''}`),
  ];
}

function useRows<Row>(props: ListPageProps<Row>, text: string, { key, descending }: Sort): readonly Row[] {
  const { rows, keep, texts, sortText } = props;
  return useMemo(() => {
    const found = (rows ?? []).filter((row) => (keep?.(row) ?? true) && matches(text, ...texts(row)));
    return found.sort((a, b) => sortText(a, key).localeCompare(sortText(b, key)) * (descending ? -1 : 1));
  }, [rows, keep, text, texts, sortText, key, descending]);
}

function leadOf<Row>({ words: { lead }, moreLead }: ListPageProps<Row>): ReactNode {
  if (moreLead === undefined) return lead;
  return (
    <>
      {lead} {moreLead}
    </>
  );
}

/** The list of a screen: filter, order, a panel at the right. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { words: own, icon, query, rows: all, choice, columns, rowKey, mayNotCreate, onCreate, onOpen } = props;
  const [, setParams] = useSearchParams();
  const [text, setText] = useUrlState('filter');
  const clear = () =>
    setParams((before) => new URLSearchParams([...before].filter(([name]) => name !== 'filter' && name !== 'role')), {
      replace: true,
    });
  const [sort, setSort] = useSort(props.firstSort);
  const rows = useRows(props, text, sort);
  const shortcut = { keys: 'c', label: own.create, group: own.title, run: onCreate };
  useShortcut(mayNotCreate === undefined ? shortcut : undefined);
  const button = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNotCreate} onClick={onCreate}>
      {own.create}
    </Button>
  );
  const isLong = rows.length > ROWS_MAX;
  const table = (
    <Table<Row>
      main
      label={own.title}
      columns={columns}
      rows={rows}
      rowKey={rowKey}
      onOpen={onOpen}
      virtual={isLong}
      sort={sort}
      onSort={setSort}
      empty={
        <EmptyState sentence={parts.nothingMatches} action={<Button onClick={clear}>{parts.clearFilter}</Button>} />
      }
    />
  );
  return (
    <Page
      name={own.title}
      count={all?.length}
      lead={leadOf(props)}
      actions={all === undefined || all.length === 0 ? undefined : button}
    >
      <Loaded query={query}>
        {() =>
          all?.length === 0 ? (
            <>
              {choice && <div className={styles.tools}>{choice}</div>}
              <EmptyState
                icon={icon}
                action={button}
                command={props.command}
                sentence={own.none}
                commandLabel={words.command}
              />
            </>
          ) : (
            <>
              <div className={styles.tools}>
                <FilterInput value={text} onChange={setText} />
                {choice}
                {props.tools}
              </div>
              <div className={styles.list}>{isLong ? <div className={styles.tall}>{table}</div> : table}</div>
            </>
          )
        }
      </Loaded>
      {props.children}
    </Page>
  );
}

/** The same request from a shell. */
export const curl = (path: string, body: object) =>
  `curl -X POST ${location.origin}${path} -H "Authorization: $ADMIN_TOKEN" -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
