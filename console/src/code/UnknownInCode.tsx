import { useMemo } from 'react';
import { type MayNot, useMayAnywhere } from '../data/may.ts';
import { type Column, Table } from '../kit/lists/Table.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import styles from '../parts/parts.module.css';
import { code as words } from '../words/en/flags/code.ts';
import { type UnknownName, useUnknownInCode } from './code-data.ts';
import { createColumn } from './create-column.tsx';

function columnsOf(onCreate: (name: string) => void, mayNot: MayNot): Column<UnknownName>[] {
  return [
    {
      key: 'name',
      header: words.unknownColumns.name,
      width: 'minmax(0, 2fr)',
      cell: ({ name }) => <code className={styles.cut}>{name}</code>,
    },
    {
      key: 'repositories',
      header: words.unknownColumns.repositories,
      width: 'minmax(0, 3fr)',
      from: 'medium',
      cell: ({ repositories }) => (
        <span className={styles.cut}>
          {repositories.map(({ repository, first, references }, index) => (
            <span key={repository}>
              {index > 0 && ', '}
              {repository}
              <span className={styles.quiet}>
                {' '}
                {first.path}:{first.line}
                {references > 1 && ` ${words.more(references - 1)}`}
              </span>
            </span>
          ))}
        </span>
      ),
    },
    createColumn(onCreate, mayNot),
  ];
}

/** Names in the code of repositories that no flag has. */
export function UnknownInCode({ onCreate }: { readonly onCreate: (name: string) => void }) {
  const query = useUnknownInCode();
  const mayNot = useMayAnywhere('CREATE_FEATURE');
  const columns = useMemo(() => columnsOf(onCreate, mayNot), [onCreate, mayNot]);
  return (
    <section className={styles.stack}>
      <h2 className={styles.heading}>{words.unknownTitle}</h2>
      <p className={styles.lead}>{words.unknownLead}</p>
      <Loaded query={query} rows={2}>
        {({ isComplete, unknownFlags: names }) => {
          if (!isComplete) return <p className={styles.quiet}>{words.unknownHidden}</p>;
          if (names.length === 0) return <p className={styles.quiet}>{words.unknownNone}</p>;
          return (
            <div className={styles.list}>
              <Table<UnknownName>
                label={words.unknownTitle}
                columns={columns}
                rows={names}
                rowKey={({ name }) => name}
                onOpen={({ name }) => onCreate(name)}
              />
            </div>
          );
        }}
      </Loaded>
    </section>
  );
}
