import Type from 'typebox';
import { collection, NO_KEYS } from '../../../model/collection.ts';
import { OPERATORS } from '../../../model/constraint.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { DateTime, NameReference, Nullable, Text } from '../../../model/primitives.ts';
import { SIGNAL_LIMITS } from '../limits.ts';

const Id = Type.Integer({ minimum: 1 });
const FilterValue = Type.String({ maxLength: SIGNAL_LIMITS.actionFilterValueLength.max });

/** The condition of a filter, without the path of the value that it is about. */
export const FILTER_CONDITION = {
  operator: Type.Enum([...OPERATORS], { description: 'An operator of constraints' }),
  inverted: Type.Optional(Type.Boolean({ default: false, description: 'Whether the result is flipped' })),
  caseInsensitive: Type.Optional(Type.Boolean({ default: false })),
  value: Type.Optional(FilterValue),
  values: Type.Optional(Type.Array(FilterValue, { maxItems: SIGNAL_LIMITS.actionSetFilterValues.max })),
};

/** A condition on one value of a signal. */
export const SignalFilter = Type.Object({
  path: Type.String({ minLength: 1, maxLength: SIGNAL_LIMITS.actionFilterPathLength.max }),
  ...FILTER_CONDITION,
});
export type SignalFilter = EntityOf<typeof SignalFilter>;

export const PLAN_ACTIONS = ['START_NEXT_MILESTONE', 'START_MILESTONE', 'PAUSE_RELEASE_PLAN'] as const;
export const ACTIONS = ['TOGGLE_FEATURE_ON', 'TOGGLE_FEATURE_OFF', ...PLAN_ACTIONS] as const;

const ACTION_FIELDS = {
  action: Type.Enum([...ACTIONS], { description: 'What happens to the flag or to its release plan' }),
  featureName: NameReference,
  environment: NameReference,
  /** Name of the milestone that `START_MILESTONE` starts. Missing for other actions. */
  milestone: Type.Optional(NameReference),
};

/** Switches a flag of the project in one environment, or continues or pauses its release plan there. `id`: its position in the set, beginning with 1. */
export const Action = Type.Object({ id: Id, ...ACTION_FIELDS });
export type Action = EntityOf<typeof Action>;

/** What happens after signals of an endpoint that pass all filters. Collection `actionSets`, key: the id as text. */
export const ActionSet = Type.Object({
  /** The first id is 1. An id is never reused. */
  id: Id,
  project: NameReference,
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '\\S',
    description: 'Name of the action set, unique in its project',
    answer: 'Name of the action set',
  }),
  description: Nullable(Text),
  enabled: Type.Boolean({ description: 'Whether signals start the actions' }),
  /** The service account that makes the changes. */
  actorId: Id,
  /** The signal endpoint. */
  sourceId: Id,
  filters: Type.Array(SignalFilter, { maxItems: SIGNAL_LIMITS.actionSetFilters.max }),
  actions: Type.Array(Action, { minItems: 1, maxItems: SIGNAL_LIMITS.actionSetActions.max }),
  createdAt: DateTime,
  createdByUserId: Type.Integer(),
});
export type ActionSet = EntityOf<typeof ActionSet>;

const RUN_STATES = ['started', 'success', 'failed'] as const;
export const ACTION_STATES = [...RUN_STATES, 'not started'] as const;

const Details = Type.String({ maxLength: 1_000 });

/** An action of an execution, with its outcome. `started`: it waits. */
export const RunAction = Type.Object({
  ...Action.properties,
  state: Type.Enum([...ACTION_STATES]),
  /** A sentence for people; null while the action waits. */
  details: Nullable(Details),
  /** Whether the flag was changed. */
  isChange: Type.Boolean(),
});
export type RunAction = EntityOf<typeof RunAction>;

/**
 * One execution of an action set. Its actions are those of the set when the signal was accepted. Collection `actionRuns`, key: the id as text. The
 * newest executions of each set are kept.
 */
export const ActionRun = Type.Object({
  id: Id,
  actionSetId: Id,
  project: NameReference,
  signalId: Id,
  createdAt: DateTime,
  state: Type.Enum([...RUN_STATES]),
  /** Why no action was started; null if actions were started. */
  refusal: Nullable(Details),
  /** Signals that were refused for the same reason directly after this one. */
  repeated: Type.Integer({ minimum: 0 }),
  actions: Type.Array(RunAction),
  /** When the last outcome was recorded. */
  updatedAt: DateTime,
});
export type ActionRun = EntityOf<typeof ActionRun>;

/** Version 2 has actions for release plans. Version 1 would take them for actions that switch a flag off. */
const SCHEMA = 2;
const unchanged = <E>(entity: unknown): E => entity as E;

/** The permission that the caller of the action needs in its environment. */
export function permissionOf({
  action,
}: Pick<Action, 'action'>): 'UPDATE_FEATURE_ENVIRONMENT' | 'UPDATE_FEATURE_STRATEGY' {
  return (PLAN_ACTIONS as readonly string[]).includes(action)
    ? 'UPDATE_FEATURE_STRATEGY'
    : 'UPDATE_FEATURE_ENVIRONMENT';
}

export const actionSets = collection({
  schema: SCHEMA,
  upgrade: unchanged<ActionSet>,
  key: (set: ActionSet) => String(set.id),
  indexes: {
    actionSetsByProject: ({ project }: ActionSet) => [project],
    actionSetsByEndpoint: ({ sourceId }: ActionSet) => [String(sourceId)],
  },
});

const PENDING_KEY: readonly string[] = [''];

export const actionRuns = collection({
  schema: SCHEMA,
  upgrade: unchanged<ActionRun>,
  key: (run: ActionRun) => String(run.id),
  indexes: {
    actionRunsBySet: ({ actionSetId }: ActionRun) => [String(actionSetId)],
    /** Executions whose actions wait, under the empty key. */
    pendingActionRuns: ({ state }: ActionRun) => (state === 'started' ? PENDING_KEY : NO_KEYS),
    /** Executions that changed a flag in an environment, by `switchKey`. */
    actionSwitches: ({ actions }: ActionRun) => [...new Set(actions.filter(({ isChange }) => isChange).map(switchKey))],
  },
});

/** Names of flags and environments contain no slash. */
export function switchKey({ featureName, environment }: Pick<Action, 'featureName' | 'environment'>): string {
  return `${environment}/${featureName}`;
}

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly actionSets: typeof actionSets;
    readonly actionRuns: typeof actionRuns;
  }
}
