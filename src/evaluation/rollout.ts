import type { StrategyParameters } from '../model/strategy.ts';
import { type Condition, condition, HASHING_COST, never, unsatisfiableCondition } from './condition.ts';
import type { EvaluationContext } from './context.ts';
import { bucketOf, bucketOfNumber, groupState, type HashEncoding, ROLLOUT_BUCKETS, ROLLOUT_SEED } from './hashing.ts';
import { fixedRolloutId, type Stickiness } from './stickiness.ts';

/** One parameter of a strategy; only own properties, so a missing parameter is never read from the prototype. */
export function parameter(parameters: StrategyParameters, name: string): string | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

/** A percentage as a number; NaN when it is missing or not a percentage. */
export function parsePercentage(text: string | undefined): number {
  return text === undefined || text === null ? Number.NaN : Number(text);
}

export function unusablePercentageCondition(text: string | undefined): Condition {
  return unsatisfiableCondition(text === undefined ? 'the percentage is missing' : `"${text}" is not a percentage`);
}

/** The parameters of a rollout by a sticky id. */
export interface Rollout {
  readonly percentageText: string | undefined;
  readonly groupId: string;
  readonly stickiness: Stickiness;
}

/** Where a context is among all ids of a rollout, and how far the rollout reaches: it is on up to this position. */
export interface RolloutPosition {
  /** From 1 to 100. */
  readonly position: number;
  readonly percentage: number;
}

/** Undefined if the position is random, or the context has no id. */
export function positionIn(
  { percentageText, groupId, stickiness }: Rollout,
  hashEncoding: HashEncoding,
  context: EvaluationContext,
): RolloutPosition | undefined {
  const percentage = parsePercentage(percentageText);
  const id = fixedRolloutId(stickiness, context);
  if (!id || Number.isNaN(percentage)) return undefined;
  return { position: bucketOf(groupState(groupId, ROLLOUT_SEED, hashEncoding), id, ROLLOUT_BUCKETS), percentage };
}

/** The rollout is on if the hash of the sticky id within the group is at most the percentage. Without an id it is off, even at 100 %. */
export function compileRollout(
  { percentageText, groupId, stickiness }: Rollout,
  hashEncoding: HashEncoding,
): Condition {
  const percentage = parsePercentage(percentageText);
  if (Number.isNaN(percentage)) return unusablePercentageCondition(percentageText);
  if (percentage <= 0) return condition(never);
  const { idOf, draw, hasher } = stickiness;
  if (percentage >= ROLLOUT_BUCKETS) return condition((context) => Boolean(idOf(context)));
  const group = groupState(groupId, ROLLOUT_SEED, hashEncoding);
  if (draw !== null) {
    return condition((context) => bucketOfNumber(group, draw(context), ROLLOUT_BUCKETS) <= percentage);
  }
  return condition((context) => {
    const id = idOf(context);
    return id ? hasher.bucketOf(group, id, ROLLOUT_BUCKETS) <= percentage : false;
  }, HASHING_COST);
}
