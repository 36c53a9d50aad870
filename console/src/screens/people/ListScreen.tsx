import type { UseQueryResult } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MayNot } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { useShortcut } from '../../keys/registry.ts';
import { Button } from '../../kit/Button.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { type Column, Table } from '../../kit/Table.tsx';
import { parts } from '../../words/en/parts.ts';
import { FilterInput, matches } from '../parts/FilterInput.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { Page } from '../parts/Page.tsx';
import styles from '../parts/parts.module.css';

interface ListScreenProps<T, Row> {
  readonly words: { readonly title: string; readonly create: string; readonly none?: string; readonly lead?: string };
  readonly icon: ReactNode;
  readonly query: UseQueryResult<T>;
  readonly rowsOf: (value: T) => readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly textsOf: (row: Row) => readonly (string | null | undefined)[];
  readonly mayNotCreate: MayNot;
  readonly onOpen: (row: Row) => void;
  readonly onCreate: () => void;
  /** Panels and dialogs. */
  readonly children: ReactNode;
}

/** A list of people or of what they have: a filter in the address, a table, and a button that creates one. */
export function ListScreen<T, Row>(props: ListScreenProps<T, Row>) {
  const { words, icon, query, rowsOf, columns, rowKey, textsOf, mayNotCreate, onOpen, onCreate, children } = props;
  const [text, setText] = useUrlState('filter');
  useShortcut(
    mayNotCreate === undefined ? { keys: 'c', label: words.create, group: words.title, run: onCreate } : undefined,
  );
  const button = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNotCreate} onClick={onCreate}>
      {words.create}
    </Button>
  );
  const count = query.data === undefined ? undefined : rowsOf(query.data).length;
  return (
    <Page name={words.title} count={count} lead={words.lead} actions={count === 0 ? undefined : button}>
      <Loaded query={query}>
        {(value) => {
          const all = rowsOf(value);
          if (all.length === 0) return <EmptyState icon={icon} sentence={words.none ?? ''} action={button} />;
          const rows = all.filter((row) => matches(text, ...textsOf(row)));
          return (
            <>
              <div className={styles.tools}>
                <FilterInput value={text} onChange={setText} />
              </div>
              <div className={styles.list}>
                <Table<Row>
                  main
                  label={words.title}
                  columns={columns}
                  rows={rows}
                  rowKey={rowKey}
                  onOpen={onOpen}
                  empty={
                    <EmptyState
                      sentence={parts.nothingMatches}
                      action={<Button onClick={() => setText('')}>{parts.clearFilter}</Button>}
                    />
                  }
                />
              </div>
            </>
          );
        }}
      </Loaded>
      {children}
    </Page>
  );
}
