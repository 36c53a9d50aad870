import Type from 'typebox';
import { DateTime, MapOf, NameReference, Nullable, SortOrder } from '../../../model/primitives.ts';
import { answeredFields, answerSchema, writtenFields } from '../../shared/entity-fields.ts';
import { SIGNAL_LIMITS } from '../limits.ts';
import { ACTION_STATES, ACTIONS, ActionRun, ActionSet, FILTER_CONDITION, RunAction } from './action-set.ts';

const Filter = Type.Object(FILTER_CONDITION, {
  $id: 'signalFilter',
  description: 'A condition on one value of a signal',
});

const FILTERS = 'Path of a value in the signal, such as `commonLabels.alertname` → condition; all must be true';

const SOURCE = {
  source: Type.Enum(['signal-endpoint']),
  sourceId: Type.Integer({ minimum: 1, description: 'Id of the signal endpoint' }),
};

const ACTION = {
  action: Type.Enum([...ACTIONS], {
    description:
      'Whether the flag is switched on or off, or what happens to its release plan: the next milestone or the named one is started, or the plan is ' +
      'paused',
  }),
};

const ActionBody = Type.Object(
  {
    ...ACTION,
    sortOrder: Type.Optional({ ...SortOrder, description: 'Actions with a lower number are made first' }),
    executionParams: Type.Object({
      project: Type.Optional({ ...NameReference, description: 'The project of the action set' }),
      environment: NameReference,
      featureName: NameReference,
      milestone: Type.Optional({
        ...NameReference,
        description: 'Name of the milestone that `START_MILESTONE` starts',
      }),
    }),
  },
  { $id: 'actionBody' },
);

export const ActionSetBody = Type.Object(
  {
    ...writtenFields(ActionSet, 'name', 'description?'),
    enabled: Type.Optional(Type.Boolean({ default: true, description: 'Whether signals start the actions' })),
    actorId: Type.Integer({ minimum: 1, description: 'Id of the service account that makes the changes' }),
    match: Type.Object({
      ...SOURCE,
      payload: Type.Optional(
        MapOf(Filter, { description: FILTERS, maxProperties: SIGNAL_LIMITS.actionSetFilters.max }),
      ),
    }),
    actions: Type.Array(ActionBody, { minItems: 1, maxItems: SIGNAL_LIMITS.actionSetActions.max }),
  },
  { $id: 'actionSetCreateUpdateSchema' },
);

const ExecutionParams = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  featureName: Type.String(),
  milestone: Type.Optional(Type.String({ description: 'Name of the milestone; only for `START_MILESTONE`' })),
});

const ActionSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Position in the set, beginning with 1' }),
    ...ACTION,
    sortOrder: Type.Integer(),
    executionParams: ExecutionParams,
  },
  { $id: 'actionSchema' },
);

export const ActionSetSchema = Type.Object(
  {
    ...answeredFields(ActionSet, 'id', 'project', 'name', 'description', 'enabled'),
    actorId: Type.Integer({ description: 'Id of the service account that makes the changes' }),
    match: Type.Object({
      source: SOURCE.source,
      sourceId: answerSchema(SOURCE.sourceId),
      payload: MapOf(Filter, { description: FILTERS }),
    }),
    actions: Type.Array(ActionSchema, { description: 'The actions, in the order in which they are made' }),
    ...answeredFields(ActionSet, 'createdAt', 'createdByUserId'),
  },
  { $id: 'actionSetSchema' },
);

export const ActionSetsSchema = Type.Object(
  { actions: Type.Array(ActionSetSchema, { description: 'The action sets, oldest first' }) },
  { $id: 'actionSetsSchema' },
);

const ActionOutcome = Type.Object(
  {
    ...answeredFields(RunAction, 'id', 'action'),
    executionParams: ExecutionParams,
    state: Type.Enum([...ACTION_STATES], {
      description: '`started`: it waits. `not started`: it is never made, because of an earlier failure or a refusal',
    }),
    details: Nullable(Type.String({ description: 'What happened; null while the action waits' })),
  },
  { $id: 'actionOutcome' },
);

const ActionSetEventSchema = Type.Object(
  {
    ...answeredFields(ActionRun, 'id', 'actionSetId', 'signalId', 'createdAt', 'state'),
    updatedAt: DateTime,
    details: Nullable(Type.String({ description: 'Why no action was started; null if actions were started' })),
    repeated: Type.Integer({
      minimum: 0,
      description: 'Number of later signals that were refused in the same way, without an event of their own',
    }),
    actions: Type.Array(ActionOutcome, { description: 'The actions with their outcomes' }),
  },
  { $id: 'actionSetEventSchema' },
);

export const ActionSetEventsSchema = Type.Object(
  { events: Type.Array(ActionSetEventSchema, { description: 'The executions, newest first' }) },
  { $id: 'actionSetEventsSchema' },
);
