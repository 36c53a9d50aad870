import Type, { type Static } from 'typebox';
import { Nullable } from '../../model/primitives.ts';
import { TransitionCondition } from '../../model/release-plan.ts';
import { parametersAsText, SentStrategy } from '../../model/strategy.ts';
import { RELEASE_PLAN_LIMITS } from './limits.ts';
import { MilestoneInput, type MilestoneStrategyInput } from './milestones.ts';

const { name: _name, ...SentFields } = SentStrategy.properties;

/** A strategy of a milestone in a request. */
export const SentMilestoneStrategy = Type.Object(
  {
    id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 36, description: 'Id of a strategy of the milestone, which it replaces' }),
    ),
    strategyName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Name of the strategy type' }),
    ),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'The same as `strategyName`, which comes first' }),
    ),
    ...SentFields,
  },
  { $id: 'releasePlanMilestoneStrategyBody' },
);
export type SentMilestoneStrategy = Static<typeof SentMilestoneStrategy>;

/** A milestone in a request. */
export const SentMilestone = Type.Object(
  {
    id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 36, description: 'Id of a milestone of the template, which it replaces' }),
    ),
    name: MilestoneInput.properties.name,
    sortOrder: Type.Optional({
      ...MilestoneInput.properties.sortOrder,
      description: 'Milestones with a lower number are started first; by default in the order of the list',
    }),
    strategies: Type.Optional(
      Type.Array(SentMilestoneStrategy, {
        maxItems: RELEASE_PLAN_LIMITS.milestoneStrategies.max,
        description: 'The strategies of the flag while the milestone is active, beside its own strategies',
      }),
    ),
    transitionCondition: Type.Optional(Nullable(TransitionCondition)),
  },
  { $id: 'releasePlanMilestoneBody' },
);
export type SentMilestone = Static<typeof SentMilestone>;

/** The properties of a strategy that commands accept. The type of the strategy is missing if the body has none. */
export function strategyChanges(body: SentMilestoneStrategy): Partial<MilestoneStrategyInput> {
  const { id, strategyName, name, title, disabled, sortOrder, constraints, segments, variants } = body;
  const parameters = body.parameters && parametersAsText(body.parameters);
  return { id, name: strategyName ?? name, title, disabled, sortOrder, parameters, constraints, segments, variants };
}

/** A whole strategy. Without a type its name is empty, and no strategy type has an empty name. */
export function strategyInput(body: SentMilestoneStrategy): MilestoneStrategyInput {
  const changes = strategyChanges(body);
  return { ...changes, name: changes.name ?? '' };
}

export function milestoneInput({
  id,
  name,
  sortOrder,
  strategies,
  transitionCondition,
}: SentMilestone): MilestoneInput {
  return { id, name, sortOrder, transitionCondition, strategies: strategies?.map(strategyInput) };
}
