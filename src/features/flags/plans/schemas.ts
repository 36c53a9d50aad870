import Type from 'typebox';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { TransitionCondition } from '../../../model/release-plan.ts';
import { SafeguardCondition } from '../../../model/safeguard.ts';
import { Strategy } from '../../../model/strategy.ts';
import { answeredFields } from '../../shared/entity-fields.ts';

const { id: _strategyId, name: _strategyName, sortOrder: _sortOrder, ...StrategyFields } = Strategy.properties;

/** Contract: Release plan milestone strategy. */
export const MilestoneStrategySchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the strategy, an ULID' }),
    milestoneId: Type.String({ description: 'Id of the milestone' }),
    sortOrder: Type.Number({ description: 'Position among the strategies of the milestone' }),
    strategyName: Type.String({ description: 'Name of the strategy type' }),
    ...StrategyFields,
  },
  { $id: 'releasePlanMilestoneStrategySchema' },
);

const MILESTONE_FIELDS = {
  id: Type.String({ description: 'Id of the milestone, an ULID' }),
  name: Type.String({ description: 'Name of the milestone' }),
  sortOrder: Type.Integer({ description: 'Milestones with a lower number are started first' }),
  releasePlanDefinitionId: Type.String({ description: 'Id of the release template or the release plan' }),
  strategies: Type.Array(MilestoneStrategySchema, { description: 'The strategies, in the order of evaluation' }),
  transitionCondition: Nullable(TransitionCondition),
};

/** Contract: Release plan milestone, of a template. */
export const TemplateMilestoneSchema = Type.Object(MILESTONE_FIELDS, { $id: 'releasePlanTemplateMilestoneSchema' });

/** Contract: Release plan milestone. */
export const MilestoneSchema = Type.Object(
  {
    ...MILESTONE_FIELDS,
    startedAt: Nullable(Type.String({ ...DateTime, description: 'When the milestone was last started' })),
    progressionExecutedAt: Nullable(
      Type.String({ ...DateTime, description: 'When the milestone last ended because its time had passed' }),
    ),
  },
  { $id: 'releasePlanMilestoneSchema' },
);

export const SafeguardSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the safeguard, an ULID' }),
    ...answeredFields(
      SafeguardCondition,
      ...(['metricName', 'labels', 'aggregation', 'operator', 'threshold', 'windowMinutes', 'action'] as const),
    ),
    query: Nullable(Type.String({ description: 'The PromQL query that is compared instead of a metric' })),
    triggeredAt: Nullable(Type.String({ ...DateTime, description: 'When it last tripped; null if it never did' })),
    triggeredValue: Nullable(Type.Number({ description: 'The value that was measured then' })),
    changeRequest: Nullable(
      Type.Integer({ description: 'The change request that it opened then, in an environment that demands a review' }),
    ),
  },
  { $id: 'safeguardSchema' },
);

/** Contract: Release plan. */
export const PlanSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the release plan, an ULID' }),
    discriminator: Type.Enum(['plan'], { description: 'Distinguishes plans from templates' }),
    name: Type.String({ description: 'Name of the template when the plan was made' }),
    description: Nullable(Type.String({ description: 'Description of the template when the plan was made' })),
    featureName: Type.String({ description: 'The flag' }),
    environment: Type.String({ description: 'The environment' }),
    createdByUserId: Type.Integer({ description: 'Id of the user who added it; negative for an admin token' }),
    createdAt: Type.String({ ...DateTime, description: 'When it was added' }),
    releasePlanTemplateId: Type.String({ description: 'Id of the template; it may have been deleted since' }),
    activeMilestoneId: Nullable(Type.String({ description: 'Null until the first milestone is started' })),
    milestones: Type.Array(MilestoneSchema, { description: 'In the order in which they are started' }),
    nextMilestoneAt: Nullable(
      Type.String({
        ...DateTime,
        description: 'When the next milestone is started without a person; null: not while this state lasts',
      }),
    ),
    pausedAt: Nullable(Type.String({ ...DateTime, description: 'Since when the plan is paused; null if it is not' })),
    pauseReason: Nullable(Type.String({ description: 'Why the plan is paused' })),
    safeguards: Type.Array(SafeguardSchema, { description: 'What pauses the plan' }),
  },
  { $id: 'releasePlanSchema' },
);
