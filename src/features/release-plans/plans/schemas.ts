import Type from 'typebox';
import { DateTime, NameReference, Nullable } from '../../../model/primitives.ts';
import { TransitionCondition } from '../../../model/release-plan.ts';
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
