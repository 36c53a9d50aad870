import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../../../api/schema.d.ts';
import type { ActionSet } from '../../../data/action-sets.ts';
import { api, read, stated, type Writing, write } from '../../../data/client.ts';
import { Failure } from '../../../data/failure.ts';
import { ifSame } from '../../../data/if-same.ts';
import { keys } from '../../../data/keys.ts';
import type { Constraint } from '../../../domain/model.ts';
import { fieldSentences } from '../../../parts/differences.ts';
import { nameOf } from '../../../people/people-data.ts';
import { peopleQuery } from '../../../projects/project-data.ts';
import { takesList } from '../../../strategies/condition.ts';
import { actions as words } from '../../../words/en/actions.ts';
import { parts } from '../../../words/en/parts.ts';
import { constraintText } from '../../../words/rule-words.ts';
import { signalEndpointsQuery } from '../signal-data.ts';

export type Execution = components['schemas']['actionSetEventSchema'];
type Body = components['schemas']['actionSetCreateUpdateSchema'];
export type Verb = ActionSet['actions'][number]['action'];

const LIST = '/api/admin/projects/{projectId}/actions';
const ONE = '/api/admin/projects/{projectId}/actions/{id}';
const at = (projectId: string, id: number) => ({ path: { projectId, id } });

const readOne = (project: string, id: number) => read(api.GET(ONE, { params: at(project, id), cache: 'no-store' }));

export const actionSetQuery = (project: string, id: number) =>
  ({ queryKey: keys.actionSet(id, project), queryFn: () => readOne(project, id), retry: false }) as const;

/** The stream of changes has no executions. */
const READ_EVERY_MS = 3_000;

export const executionsQuery = (project: string, id: number) =>
  ({
    queryKey: keys.actionSet(id, project, 'executions'),
    queryFn: async () => (await read(api.GET(`${ONE}/events`, { params: at(project, id) }))).events,
    refetchInterval: ({ state: { error } }: { readonly state: { readonly error: Error | null } }) =>
      error instanceof Failure && error.status >= 400 && error.status < 500 ? (false as const) : READ_EVERY_MS,
    staleTime: 0,
    retry: false,
  }) as const;

/** The service accounts, also for people who may not manage them; undefined until they are read. */
export function useActors() {
  const { data } = useQuery(peopleQuery);
  return useMemo(() => data?.users.filter(({ accountType }) => accountType === 'Service Account'), [data]);
}

/** The names of what action sets state by id. */
export interface Names {
  readonly source: (id: number) => string;
  readonly actor: (id: number) => string;
}

export function useNames(): Names {
  const { data: endpoints } = useQuery(signalEndpointsQuery);
  const actors = useActors();
  return useMemo(() => {
    const shown = (id: number, isRead: boolean, name: string | undefined) =>
      name ?? (isRead ? words.gone(id) : `#${id}`);
    return {
      source: (id) => shown(id, endpoints !== undefined, endpoints?.find((one) => one.id === id)?.name),
      actor: (id) => {
        const actor = actors?.find((one) => one.id === id);
        return shown(id, actors !== undefined, actor && nameOf(actor));
      },
    };
  }, [endpoints, actors]);
}

export interface Step {
  readonly action: Verb;
  readonly featureName: string;
  readonly environment: string;
  /** Its name, for `START_MILESTONE`; otherwise empty. */
  readonly milestone: string;
}

export interface ActionValues {
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  /** Null: not chosen yet. */
  readonly sourceId: number | null;
  readonly actorId: number | null;
  /** `contextName` is the path in the signal. */
  readonly filters: readonly Constraint[];
  readonly steps: readonly Step[];
}

export const EMPTY_STEP: Step = { action: 'TOGGLE_FEATURE_OFF', featureName: '', environment: '', milestone: '' };
export const EMPTY: ActionValues = {
  name: '',
  description: '',
  enabled: true,
  sourceId: null,
  actorId: null,
  filters: [],
  steps: [EMPTY_STEP],
};

/** The filters as conditions, in the order in which the server lists them. */
export const filtersOf = ({ match: { payload } }: ActionSet): readonly Constraint[] =>
  Object.entries(payload).map(([path, { operator, inverted = false, caseInsensitive = false, value, values }]) => ({
    contextName: path,
    operator,
    inverted,
    caseInsensitive,
    ...(takesList(operator) ? { values: values ?? [] } : { value: value ?? '' }),
  }));

export const stepOf = ({
  action,
  executionParams,
}: Pick<ActionSet['actions'][number], 'action' | 'executionParams'>): Step => {
  const { featureName, environment, milestone = '' } = executionParams;
  return { action, featureName, environment, milestone };
};

export function valuesOf(set: ActionSet): ActionValues {
  const { name, description, enabled, actorId, match, actions } = set;
  return {
    name,
    description: description ?? '',
    enabled,
    sourceId: match.sourceId,
    actorId,
    filters: filtersOf(set),
    steps: actions.map(stepOf),
  };
}

function bodyOf({ name, description, enabled, sourceId, actorId, filters, steps }: ActionValues): Body {
  const payload = filters.map(({ contextName, operator, inverted, caseInsensitive, value, values }) => [
    contextName.trim(),
    {
      operator,
      inverted,
      caseInsensitive,
      ...(takesList(operator) ? { values } : { value }),
    },
  ]);
  return {
    name: name.trim(),
    description: description.trim() || null,
    enabled,
    actorId: actorId ?? 0,
    match: { source: 'signal-endpoint', sourceId: sourceId ?? 0, payload: Object.fromEntries(payload) },
    actions: steps.map(({ action, featureName, environment, milestone }, index) => ({
      action,
      sortOrder: index + 1,
      executionParams: {
        environment,
        featureName,
        ...(action === 'START_MILESTONE' && { milestone: milestone.trim() }),
      },
    })),
  };
}

export const createActionSet = (project: string, values: ActionValues): Writing<ActionSet> =>
  write(api.POST(LIST, { params: { path: { projectId: project } }, body: bodyOf(values) }));

/** On condition that the action set is as it was when `base` was read. */
export const saveActionSet = (
  project: string,
  id: number,
  base: ActionValues,
  values: ActionValues,
  reason: string,
): Writing<ActionSet> =>
  ifSame(
    async () => valuesOf(await readOne(project, id)),
    base,
    () => write(api.PUT(ONE, { params: at(project, id), headers: stated({ reason }), body: bodyOf(values) })),
  );

export const switchActionSet = ({ project, id }: ActionSet, isOn: boolean, reason: string): Writing<unknown> => {
  const sent = { params: at(project, id), headers: stated({ reason }) };
  return isOn ? write<unknown>(api.POST(`${ONE}/on`, sent)) : write<unknown>(api.POST(`${ONE}/off`, sent));
};

export const deleteActionSet = ({ project, id }: ActionSet, reason: string): Writing<unknown> =>
  write<unknown>(api.DELETE(ONE, { params: at(project, id), headers: stated({ reason }) }));

export const afterActionSet = (project: string, id: number) => [keys.actionSets(project), keys.actionSet(id)];

const hasValue = ({ operator, value, values = [] }: Constraint) =>
  takesList(operator) ? values.length > 0 : Boolean(value?.trim());

function filterProblem({ filters }: ActionValues): string | undefined {
  const paths = filters.map(({ contextName }) => contextName.trim());
  if (paths.includes('')) return words.problems.path;
  if (new Set(paths).size < paths.length) return words.problems.twice;
  const empty = filters.find((filter) => !hasValue(filter));
  return empty && words.problems.value(empty.contextName);
}

function stepProblem({ steps }: ActionValues): string | undefined {
  if (steps.length === 0) return words.problems.step;
  const flag = steps.findIndex(({ featureName }) => featureName === '');
  if (flag >= 0) return words.problems.flag(flag + 1);
  const environment = steps.findIndex((step) => step.environment === '');
  if (environment >= 0) return words.problems.environment(environment + 1);
  const milestone = steps.findIndex((step) => step.action === 'START_MILESTONE' && step.milestone.trim() === '');
  return milestone >= 0 ? words.problems.milestone(milestone + 1) : undefined;
}

export function problemOf(values: ActionValues): string | undefined {
  if (values.name.trim() === '') return parts.fieldMissing(words.name);
  if (values.sourceId === null) return parts.fieldMissing(words.source);
  const problem = filterProblem(values) ?? stepProblem(values);
  return problem ?? (values.actorId === null ? parts.fieldMissing(words.actor) : undefined);
}

/** What happens, before the name of the flag. */
export const verbOf = ({ action, milestone }: Step) =>
  action === 'START_MILESTONE' ? words.startMilestone(milestone) : words.verbs[action];

export const stepText = (step: Step) => words.short(verbOf(step), step.featureName, step.environment);

const LABELS = {
  name: words.name,
  description: words.description,
  enabled: words.enabled,
  source: words.source,
  filters: words.filters,
  steps: words.steps,
  actor: words.actor,
} as const;

/** All that differs, in sentences. */
export function sentencesOf(before: ActionValues, after: ActionValues, names: Names): string[] {
  const worded = ({ name, description, enabled, sourceId, actorId, filters, steps }: ActionValues) => ({
    name,
    description,
    enabled,
    filters: filters.map(constraintText),
    steps: steps.map(stepText),
    source: sourceId === null ? '' : names.source(sourceId),
    actor: actorId === null ? '' : names.actor(actorId),
  });
  return fieldSentences(worded(before), worded(after), LABELS);
}
