import Type, { type Static } from 'typebox';
import { conflict, invalid, Rejection, withPathPrefix } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import { Nullable, SortOrder } from '../../model/primitives.ts';
import type { Project } from '../../model/project.ts';
import { type Milestone, Milestone as MilestoneShape, TransitionCondition } from '../../model/release-plan.ts';
import { type Strategy, StrategyInput } from '../../model/strategy.ts';
import { contentOf } from '../flags/strategies/commands.ts';
import { type StrategyOwner, strategyForFlag, validateStrategy } from '../flags/strategies/validate.ts';
import { limitRejection } from '../shared/limit-checks.ts';
import { RELEASE_PLAN_LIMITS } from './limits.ts';
import { ulidOf } from './ulid.ts';

const Id = Type.String({ minLength: 1, maxLength: 36 });

/** A strategy of a milestone as commands take it. An id that the milestone does not have yet is replaced by a new one. */
export const MilestoneStrategyInput = Type.Object({ id: Type.Optional(Id), ...StrategyInput.properties });
export type MilestoneStrategyInput = Static<typeof MilestoneStrategyInput>;

export const MilestoneInput = Type.Object({
  id: Type.Optional(Id),
  name: MilestoneShape.properties.name,
  sortOrder: Type.Optional(SortOrder),
  strategies: Type.Optional(
    Type.Array(MilestoneStrategyInput, { maxItems: RELEASE_PLAN_LIMITS.milestoneStrategies.max }),
  ),
  transitionCondition: Type.Optional(Nullable(TransitionCondition)),
});
export type MilestoneInput = Static<typeof MilestoneInput>;

/**
 * Whose strategies those of a template are: they are for no flag yet. A template of no project can use only segments and context fields of all
 * projects.
 */
export function templateOwner(project: Project | undefined): StrategyOwner {
  return { project: project ?? { id: '', defaultStickiness: 'default' }, featureName: '' };
}

/** A template as its strategies are decided. */
export type TemplateContext = CommandContext & { readonly owner: StrategyOwner };

export const newUlid = ({ now, newId }: Pick<CommandContext, 'now' | 'newId'>): string => ulidOf(now, newId());

/** The strategy of a template as it is stored, or a rejection. */
export function* templateStrategy(
  context: TemplateContext,
  input: Partial<StrategyInput>,
  {
    id,
    sortOrder,
    before,
  }: { readonly id: string; readonly sortOrder: number; readonly before?: Strategy | undefined },
): Steps<Strategy | Rejection> {
  const wanted = contentOf(input, before);
  if (wanted.name === '') return invalid('A strategy needs the name of its type.', '/strategyName');
  const content = yield* validateStrategy(context.draft, context.owner, wanted, before);
  return content instanceof Rejection ? content : { id, ...content, sortOrder: input.sortOrder ?? sortOrder };
}

/** The milestones of a template as they are stored, in their order. Known milestones and strategies keep their ids. */
export function* templateMilestones(
  context: TemplateContext,
  inputs: readonly MilestoneInput[],
  before: readonly Milestone[],
): Steps<Milestone[] | Rejection> {
  const { limits } = context;
  if (inputs.length > limits.releaseTemplateMilestones)
    return limitRejection('The release template', 'releaseTemplateMilestones', inputs.length, limits);
  const milestones: Milestone[] = [];
  for (const [index, input] of inputs.entries()) {
    const known = before.find(({ id }) => id === input.id && !milestones.some((other) => other.id === id));
    const milestone = yield* templateMilestone(context, input, { sortOrder: index, before: known });
    if (milestone instanceof Rejection) return withPathPrefix(milestone, `/milestones/${index}`);
    milestones.push(milestone);
  }
  return sorted(milestones);
}

/** One milestone of a template as it is stored. Strategies that are left out stay as they are. */
export function* templateMilestone(
  context: TemplateContext,
  input: MilestoneInput,
  { sortOrder, before }: { readonly sortOrder: number; readonly before?: Milestone | undefined },
): Steps<Milestone | Rejection> {
  const { limits } = context;
  const inputs = input.strategies;
  if (inputs && inputs.length > limits.milestoneStrategies)
    return limitRejection(`The milestone ${input.name}`, 'milestoneStrategies', inputs.length, limits);
  const strategies: Strategy[] = [];
  for (const [index, strategy] of (inputs ?? []).entries()) {
    const known = before?.strategies.find(({ id }) => id === strategy.id && !strategies.some((one) => one.id === id));
    const id = known?.id ?? newUlid(context);
    const stored = yield* templateStrategy(context, strategy, { id, sortOrder: index });
    if (stored instanceof Rejection) return withPathPrefix(stored, `/strategies/${index}`);
    strategies.push(stored);
  }
  const {
    transitionCondition = before?.intervalMinutes === undefined ? null : { intervalMinutes: before.intervalMinutes },
  } = input;
  return {
    id: before?.id ?? newUlid(context),
    name: input.name,
    sortOrder: input.sortOrder ?? before?.sortOrder ?? sortOrder,
    strategies: inputs ? sorted(strategies) : [...(before?.strategies ?? [])],
    ...(transitionCondition && { intervalMinutes: transitionCondition.intervalMinutes }),
  };
}

export function sorted<Ordered extends { readonly sortOrder: number }>(items: readonly Ordered[]): Ordered[] {
  return [...items].sort((left, right) => left.sortOrder - right.sortOrder);
}

/** Why no plan can be made of these milestones; undefined if one can. */
export function incompleteProblem(name: string, milestones: readonly Milestone[]): Rejection | undefined {
  if (milestones.length === 0) return conflict(`The release template ${name} has no milestones.`);
  const without = milestones.find(({ strategies }) => strategies.every(({ disabled }) => disabled));
  return without && conflict(`The milestone ${without.name} of the release template ${name} has no active strategy.`);
}

/** The milestones of a plan for this flag: with ids of their own, and with the strategies as the flag has them when they start. */
export function* planMilestones(
  context: CommandContext,
  milestones: readonly Milestone[],
  owner: StrategyOwner,
): Steps<Milestone[] | Rejection> {
  const planned: Milestone[] = [];
  for (const { id: _id, ...milestone } of milestones) {
    const strategies: Strategy[] = [];
    for (const { id: _strategyId, sortOrder, ...content } of milestone.strategies) {
      const ofFlag = strategyForFlag(content, owner.featureName);
      const valid = yield* validateStrategy(context.draft, owner, ofFlag, ofFlag);
      if (valid instanceof Rejection)
        return invalid(`The milestone ${milestone.name} cannot be used: ${valid.message}`);
      strategies.push({ id: newUlid(context), ...valid, sortOrder });
    }
    planned.push({ id: newUlid(context), ...milestone, strategies });
  }
  return planned;
}
