import { useMemo } from 'react';
import { type ProductionNames, useProductionNames } from '../../data/settings.ts';
import type { Context } from '../../domain/contexts.ts';
import type { Question } from '../../domain/question.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { FilterInput, matches } from '../../parts/FilterInput.tsx';
import partStyles from '../../parts/parts.module.css';
import { parts } from '../../words/en/parts.ts';
import { playground as words } from '../../words/en/playground.ts';
import { offBecause } from '../../words/en/reasons.ts';
import { Explain } from './Explain.tsx';
import { differs, type FlagResults, isSomewhereOn, type Result, type Results, stateOf } from './evaluate.ts';
import styles from './Playground.module.css';

type Show = keyof typeof words.shows;

/** Longer lists are windowed. */
const ROWS_MAX = 100;

const TONES = { on: 'good', off: 'neutral', unknown: 'warn' } as const;

/** One result in words: the state, and the variant where there is one. */
export function Outcome({ result }: { readonly result: Result }) {
  const state = stateOf(result);
  return (
    <>
      <Badge dot tone={TONES[state]}>
        {words[state]}
      </Badge>
      {state === 'on' && result.variant?.enabled && <code className={partStyles.cut}>{result.variant.name}</code>}
    </>
  );
}

function Cell({ results }: { readonly results: readonly Result[] | undefined }) {
  const [first] = results ?? [];
  if (!results || !first) return <span className={partStyles.quiet}>{words.missing}</span>;
  if (results.length === 1) {
    const reason = offBecause(first, first.context as Context);
    return (
      <div className={partStyles.row}>
        <Outcome result={first} />
        {reason && <span className={partStyles.quiet}>{reason}</span>}
      </div>
    );
  }
  const on = results.filter((result) => stateOf(result) === 'on').length;
  return (
    <Badge tone={on === 0 ? 'neutral' : on === results.length ? 'good' : 'accent'}>
      {words.someOn(on, results.length)}
    </Badge>
  );
}

function columnsOf(asked: readonly string[], production: ProductionNames): Column<FlagResults>[] {
  return [
    {
      key: 'name',
      header: words.flag,
      width: 'minmax(96px, 1.6fr)',
      cell: ({ name }) => <code className={partStyles.cut}>{name}</code>,
    },
    ...(asked.length > 3
      ? []
      : [
          {
            key: 'project',
            header: words.project,
            width: 'minmax(0, 1fr)',
            from: 'wide' as const,
            cell: ({ project }: FlagResults) => (
              <span className={`${partStyles.cut} ${partStyles.quiet}`}>{project}</span>
            ),
          },
        ]),
    ...asked.map(
      (name): Column<FlagResults> => ({
        key: name,
        header: name,
        width: 'minmax(72px, 1fr)',
        production: production.has(name),
        cell: (flag) => <Cell results={flag.environments[name]} />,
      }),
    ),
  ];
}

/** The address of an explanation: in the pressed environment, if one was pressed. */
const explained = ({ name, environments }: FlagResults, column = '') => ({
  flag: name,
  in: environments[column] ? column : '',
  context: '',
});

interface ResultTableProps {
  readonly question: Question;
  readonly results: Results;
  readonly params: URLSearchParams;
  readonly setParams: (changes: Readonly<Record<string, string>>) => void;
}

export function ResultTable({ question, results, params, setParams }: ResultTableProps) {
  const production = useProductionNames();
  const { flags, contexts, invalid } = results;
  const show = (params.get('show') ?? 'all') as Show;
  const filter = params.get('filter') ?? '';
  const rows = useMemo(
    () =>
      flags.filter(
        (flag) =>
          matches(filter, flag.name, flag.project) &&
          (show === 'all' || (show === 'on' ? isSomewhereOn(flag) : differs(flag))),
      ),
    [flags, filter, show],
  );
  const asked = question.environments;
  const columns = useMemo(() => columnsOf(asked, production), [asked, production]);
  const shown = flags.find(({ name }) => name === params.get('flag'));
  if (flags.length === 0) return <EmptyState sentence={words.noFlags} />;
  const isLong = rows.length > ROWS_MAX;
  const table = (
    <Table<FlagResults>
      main
      label={words.results}
      columns={columns}
      rows={rows}
      virtual={isLong}
      wraps={!isLong}
      rowKey={({ name }) => name}
      onOpen={(flag, column) => setParams(explained(flag, column))}
      empty={
        <EmptyState
          sentence={parts.nothingMatches}
          action={<Button onClick={() => setParams({ filter: '', show: '' })}>{parts.clearFilter}</Button>}
        />
      }
    />
  );
  return (
    <>
      {shown && (
        <div className={styles.explained}>
          <Explain
            question={question}
            contexts={contexts}
            params={params}
            setParams={setParams}
            key={shown.name}
            evaluatedAt={results.at}
            flag={shown}
          />
        </div>
      )}
      <div className={partStyles.tools}>
        <FilterInput value={filter} onChange={(value) => setParams({ filter: value })} />
        <Segmented<Show>
          label={words.show}
          value={show}
          onChange={(value) => setParams({ show: value === 'all' ? '' : value })}
          options={(['all', 'on', 'differs'] as const).map((value) => ({ value, label: words.shows[value] }))}
        />
        <span role="status" className={partStyles.quiet}>
          {words.counts(rows.length, contexts.length)}
        </span>
      </div>
      {invalid.length > 0 && <Banner tone="warn">{words.explain.invalid(invalid.join(', '))}</Banner>}
      <div className={partStyles.list}>{isLong ? <div className={styles.tall}>{table}</div> : table}</div>
    </>
  );
}
