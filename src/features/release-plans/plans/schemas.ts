import Type from 'typebox';
import { DateTime, NameReference, Nullable } from '../../../model/primitives.ts';
import { TransitionCondition } from '../../../model/release-plan.ts';
import { SafeguardCondition } from '../../../model/safeguard.ts';
import { answeredFields } from '../../shared/resource-schemas.ts';
import { MilestoneSchema } from '../milestone-schemas.ts';
import { PauseReason } from './commands.ts';
import { SafeguardFields } from './safeguards.ts';

export const AddPlanBody = Type.Object(
  { templateId: { ...NameReference, description: 'Id of the release template' } },
  { $id: 'releasePlanTemplateIdSchema' },
);

export const PauseBody = Type.Object({ reason: Type.Optional(PauseReason) }, { $id: 'pauseReleasePlanBody' });

export const ProgressionBody = Type.Object(
  { transitionCondition: TransitionCondition },
  { $id: 'changeMilestoneProgressionSchema' },
);

/** Contract: Milestone progression. */
export const ProgressionSchema = Type.Object(
  {
    sourceMilestone: Type.String({ description: 'Id of the milestone that ends' }),
    targetMilestone: Nullable(
      Type.String({ description: 'Id of the milestone that is then started; null after the last' }),
    ),
    transitionCondition: TransitionCondition,
    executedAt: Nullable(Type.String({ ...DateTime, description: 'When this last happened' })),
  },
  { $id: 'milestoneProgressionSchema' },
);

export const SafeguardBody = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 36,
        description: 'Id of the safeguard that is replaced; without it, one is added',
      }),
    ),
    ...SafeguardFields,
  },
  { $id: 'createSafeguardSchema' },
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
