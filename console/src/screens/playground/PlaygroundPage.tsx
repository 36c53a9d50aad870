import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { isProduction, useEnvironments } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Banner } from '../../kit/Banner.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { EnvironmentMark } from '../../kit/EnvironmentMark.tsx';
import { Inspector } from '../../kit/Inspector.tsx';
import { Segmented } from '../../kit/Segmented.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { type Column, Table } from '../../kit/Table.tsx';
import { path } from '../../paths.ts';
import { parts } from '../../words/en/parts.ts';
import { playground as words } from '../../words/en/playground.ts';
import { FilterInput, matches } from '../parts/FilterInput.tsx';
import { Page } from '../parts/Page.tsx';
import styles from '../parts/parts.module.css';
import own from './Playground.module.css';
import { PlaygroundForm } from './PlaygroundForm.tsx';
import {
  type Answer,
  contextOf,
  contextPairs,
  contextText,
  type Flag,
  type Input,
  isMixed,
  type Result,
  resultsOf,
  resultsQuery,
} from './playground-data.ts';
import { OnOff, ResultReasons } from './Reasons.tsx';

const listOf = (text: string | null) => (text ? text.split(',').map(decodeURIComponent) : []);
const textOf = (list: readonly string[]) => list.map(encodeURIComponent).join(',');

/** The input in the address; without environments nothing was evaluated yet. */
function useInput() {
  const [params, setParams] = useSearchParams();
  const text = params.toString();
  const input = useMemo((): Input => {
    const query = new URLSearchParams(text);
    return {
      environments: listOf(query.get('environments')),
      projects: listOf(query.get('projects')),
      context: contextOf(query.get('context') ?? ''),
    };
  }, [text]);
  const set = ({ environments, projects, context }: Input) =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      next.set('environments', textOf(environments));
      if (projects.length > 0) next.set('projects', textOf(projects));
      else next.delete('projects');
      next.set('context', contextText(context));
      next.delete('flag');
      return next;
    });
  return [input, set] as const;
}

function Cell({ results }: { readonly results: readonly Result[] }) {
  const on = results.filter(({ isEnabled }) => isEnabled);
  const [only] = results;
  if (results.length === 0) return <span className={styles.quiet}>–</span>;
  if (results.length === 1 && only) {
    const variant =
      only.isEnabled && only.variant && only.variant.name !== 'disabled'
        ? `${words.on} · ${only.variant.name}`
        : undefined;
    return <OnOff isOn={only.isEnabled} {...(variant !== undefined && { text: variant })} />;
  }
  return (
    <OnOff
      isOn={on.length > 0}
      text={
        on.length === results.length ? words.on : on.length === 0 ? words.off : words.some(on.length, results.length)
      }
    />
  );
}

function columnsOf(environments: readonly string[], production: ReadonlySet<string>): Column<Flag>[] {
  return [
    {
      key: 'flag',
      header: words.flag,
      width: 'minmax(0, 1.6fr)',
      cell: ({ name }) => <code className={styles.cut}>{name}</code>,
    },
    ...environments.map(
      (name): Column<Flag> => ({
        key: name,
        header: name,
        width: 'minmax(88px, 1fr)',
        production: production.has(name),
        cell: (flag) => <Cell results={flag.environments[name] ?? []} />,
      }),
    ),
  ];
}

/** All results of one flag, each with its reasons. */
function FlagPanel({
  flag,
  production,
  onClose,
}: {
  readonly flag: Flag;
  readonly production: ReadonlySet<string>;
  readonly onClose: () => void;
}) {
  return (
    <Inspector
      title={
        <Link
          className={`${styles.mono} ${styles.link}`}
          href={path('feature', { projectId: flag.projectId, featureId: flag.name })}
        >
          {flag.name}
        </Link>
      }
      onClose={onClose}
    >
      {Object.entries(flag.environments).map(([environment, results]) => (
        <section key={environment} className={styles.stack}>
          <h3>
            <EnvironmentMark name={environment} production={production.has(environment)} />
          </h3>
          {(results ?? []).map((result) => (
            <details key={contextPairs(result)} className={own.result} open={(results ?? []).length <= 2}>
              <summary>
                <span className={`${styles.grow} ${styles.mono}`}>{words.contextWords(contextPairs(result))}</span>
                <OnOff isOn={result.isEnabled} />
              </summary>
              <ResultReasons result={result} />
            </details>
          ))}
        </section>
      ))}
    </Inspector>
  );
}

const SHOWS = ['all', 'on', 'mixed'] as const;

function Results({ answer, environments }: { readonly answer: Answer; readonly environments: readonly string[] }) {
  const [text, setText] = useUrlState('filter');
  const [show, setShow] = useUrlState('show', 'all');
  const [open, setOpen] = useUrlState('flag');
  const { data: all } = useEnvironments();
  const production = useMemo(
    () => new Set((all ?? []).filter(({ type }) => isProduction(type)).map(({ name }) => name)),
    [all],
  );
  const columns = useMemo(() => columnsOf(environments, production), [environments, production]);
  const { features, warnings } = answer;
  const count = useMemo(() => features.reduce((sum, flag) => sum + resultsOf(flag).length, 0), [features]);
  const rows = features
    .filter(({ name }) => matches(text, name))
    .filter(
      (flag) =>
        show === 'all' || (show === 'mixed' ? isMixed(flag) : resultsOf(flag).some(({ isEnabled }) => isEnabled)),
    );
  const shown = features.find(({ name }) => name === open);
  return (
    <>
      {(warnings?.invalidContextProperties.length ?? 0) > 0 && (
        <Banner tone="warn">{words.warning((warnings?.invalidContextProperties ?? []).join(', '))}</Banner>
      )}
      <div className={styles.tools}>
        <FilterInput value={text} onChange={setText} label={words.filter} />
        <Segmented
          label={words.show}
          value={show}
          onChange={setShow}
          options={SHOWS.map((value) => ({ value: value as string, label: words.shows[value] }))}
        />
        <span className={styles.quiet} role="status">
          {words.results(features.length, count)}
        </span>
      </div>
      <div className={styles.list}>
        <Table<Flag>
          main
          label={words.title}
          columns={columns}
          rows={rows}
          rowKey={({ name }) => name}
          onOpen={({ name }) => setOpen(name)}
          empty={<EmptyState sentence={features.length === 0 ? words.noFlags : parts.nothingMatches} />}
        />
      </div>
      {shown && <FlagPanel key={shown.name} flag={shown} production={production} onClose={() => setOpen('')} />}
    </>
  );
}

const FIRST: Input = { environments: [], projects: [], context: [{ field: 'userId', values: '' }] };

export function PlaygroundPage() {
  const [input, setInput] = useInput();
  const isAsked = input.environments.length > 0;
  const query = useQuery({ ...resultsQuery(input), enabled: isAsked });
  return (
    <Page name={words.title} lead={words.lead}>
      <PlaygroundForm
        input={isAsked ? input : FIRST}
        isPending={query.isFetching}
        onEvaluate={(next) => {
          if (JSON.stringify(next) === JSON.stringify(input)) void query.refetch();
          else setInput(next);
        }}
      />
      {!isAsked && (
        <EmptyState
          icon={<FlaskConical aria-hidden />}
          sentence={words.none}
          command={command()}
          commandLabel={words.command}
        />
      )}
      {isAsked && query.error && (
        <Banner tone="bad" title={words.failed}>
          {query.error.message}
        </Banner>
      )}
      {isAsked && !query.error && !query.data && <Skeleton shape="rows" rows={6} />}
      {isAsked && !query.error && query.data && <Results answer={query.data} environments={input.environments} />}
    </Page>
  );
}

const command = () =>
  `curl -X POST ${location.origin}/api/admin/playground/advanced -H "Authorization: $ADMIN_TOKEN" -H 'content-type: application/json' -d '{"environments":["development"],"context":{"appName":"shop","userId":"1,2,3"}}'`;
