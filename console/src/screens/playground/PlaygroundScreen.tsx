import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { api, read } from '../../data/client.ts';
import { isProduction, useEnvironments, useProjects } from '../../data/settings.ts';
import { useUrlList, useUrlState } from '../../data/url-state.ts';
import { jsonProblem } from '../../domain/weights.ts';
import { Badge } from '../../kit/Badge.tsx';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { MultiSelect } from '../../kit/Combobox.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { Field } from '../../kit/Field.tsx';
import { type Column, Table } from '../../kit/Table.tsx';
import { TextArea, TextInput } from '../../kit/TextInput.tsx';
import { Page } from '../../shell/Page.tsx';
import { playground as words } from '../../words/en/playground.ts';
import { Explanation } from './Explanation.tsx';
import styles from './Playground.module.css';

const START = '{\n  "appName": "my-app",\n  "userId": "7"\n}';

const evaluate = ({
  environments,
  projects,
  context,
}: {
  environments: readonly string[];
  projects: readonly string[];
  context: string;
}) =>
  read(
    api.POST('/api/admin/playground/advanced', {
      body: {
        environments: [...environments],
        projects: projects.length > 0 ? [...projects] : '*',
        context: { appName: 'playground', ...(JSON.parse(context) as object) },
      },
    }),
  );
export type Evaluated = Awaited<ReturnType<typeof evaluate>>['features'][number];
export type Outcome = Evaluated['environments'][string][number];

function problemOf(text: string): string | undefined {
  const problem = jsonProblem(text);
  if (problem) return words.invalid(problem.line, problem.message);
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : words.noObject;
}

function State({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
  const on = outcomes.filter(({ isEnabled }) => isEnabled);
  const variants = new Set(on.flatMap(({ variant }) => (variant?.enabled ? [variant.name] : [])));
  return (
    <>
      <Badge tone={on.length > 0 ? 'good' : 'neutral'} dot>
        {outcomes.length > 1 && on.length > 0 && on.length < outcomes.length
          ? words.combinations(on.length, outcomes.length)
          : on.length > 0
            ? words.on
            : words.off}
      </Badge>{' '}
      {variants.size > 0 && <span className={styles.quiet}>{words.variant([...variants].join(', '))}</span>}
    </>
  );
}

interface WhereProps {
  readonly environments: readonly string[];
  readonly projects: readonly string[];
  readonly onEnvironments: (names: readonly string[]) => void;
  readonly onProjects: (ids: readonly string[]) => void;
}

function Where({ environments, projects, onEnvironments, onProjects }: WhereProps) {
  const { data: allEnvironments } = useEnvironments();
  const { data: allProjects } = useProjects();
  return (
    <>
      <Field label={words.environments}>
        <MultiSelect
          options={(allEnvironments ?? []).map(({ name }) => ({ value: name, label: name }))}
          values={environments}
          placeholder={words.allProjects}
          onChange={onEnvironments}
        />
      </Field>
      <Field label={words.projects}>
        <MultiSelect
          options={(allProjects ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          values={projects}
          placeholder={words.allProjects}
          onChange={onProjects}
        />
      </Field>
    </>
  );
}

interface ResultsProps {
  readonly flags: readonly Evaluated[];
  readonly environments: readonly string[];
  readonly onOpen: (name: string) => void;
}

function Results({ flags, environments, onOpen }: ResultsProps) {
  const [text, setText] = useUrlState('q');
  const { data: allEnvironments } = useEnvironments();
  const rows = useMemo(
    () => flags.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())),
    [flags, text],
  );
  const columns = useMemo(
    (): Column<Evaluated>[] => [
      { key: 'name', header: words.columns.name, width: 'minmax(160px, 1fr)', cell: ({ name }) => <code>{name}</code> },
      {
        key: 'project',
        header: words.columns.project,
        width: '120px',
        from: 'medium',
        cell: ({ projectId }) => projectId,
      },
      ...environments.map(
        (environment): Column<Evaluated> => ({
          key: environment,
          header: environment,
          width: '160px',
          production: isProduction(allEnvironments?.find(({ name }) => name === environment)?.type),
          cell: (row) => <State outcomes={row.environments[environment] ?? []} />,
        }),
      ),
    ],
    [environments, allEnvironments],
  );
  return (
    <>
      <div className={styles.filter}>
        <span role="status" className={styles.quiet}>
          {words.results(rows.length)}
        </span>
        <TextInput
          type="search"
          data-shortcut-target="filter"
          aria-label={words.filter}
          placeholder={words.filter}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Table<Evaluated>
        label={words.title}
        main
        virtual
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
        onOpen={({ name }) => onOpen(name)}
      />
    </>
  );
}

/** Evaluates all flags for a context, in several environments. The address holds what was asked, so that it can be shared. */
export function PlaygroundScreen() {
  const [context, setContext] = useUrlState('context', START);
  const [environments, setEnvironments] = useUrlList('environments');
  const [projects, setProjects] = useUrlList('projects');
  const [open, setOpen] = useUrlState('flag');
  const [draft, setDraft] = useState(context);
  const { data: allEnvironments } = useEnvironments();
  const asked = environments.length > 0 ? environments : (allEnvironments ?? []).map(({ name }) => name);
  // An error takes the earlier results away: they would look like the answer.
  const evaluation = useMutation({ mutationFn: evaluate });
  const problem = problemOf(draft);
  const run = (event?: FormEvent) => {
    event?.preventDefault();
    if (problem) return;
    setContext(draft);
    evaluation.mutate({ environments: asked, projects, context: draft });
  };
  const isLinked = context !== START;
  const isReady = asked.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is evaluated once, when it is opened.
  useEffect(() => {
    if (isLinked && isReady && evaluation.isIdle) run();
  }, [isLinked, isReady]);
  const flags = evaluation.isError ? undefined : evaluation.data?.features;
  const opened = flags?.find(({ name }) => name === open);
  return (
    <Page title={words.title} isFull inspector={opened && <Explanation flag={opened} onClose={() => setOpen('')} />}>
      <form className={styles.form} onSubmit={run}>
        <Field label={words.context} hint={words.contextHint} error={problem}>
          <TextArea mono rows={5} value={draft} onChange={(event) => setDraft(event.target.value)} />
        </Field>
        <div className={styles.side}>
          <Where
            environments={environments}
            projects={projects}
            onEnvironments={setEnvironments}
            onProjects={setProjects}
          />
          <Button
            kind="primary"
            type="submit"
            icon={<Play aria-hidden />}
            pending={evaluation.isPending}
            reason={problem}
          >
            {words.run}
          </Button>
        </div>
      </form>
      {evaluation.error && <Banner tone="bad">{evaluation.error.message}</Banner>}
      {!flags && !evaluation.error && !evaluation.isPending && <EmptyState sentence={words.intro} />}
      {flags && <Results flags={flags} environments={evaluation.data?.input.environments ?? []} onOpen={setOpen} />}
    </Page>
  );
}
