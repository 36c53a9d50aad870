import { type EvaluationContext, fieldReader } from './context.ts';

/** The id whose hash decides; undefined when the context has none and no random one may stand in. */
export type StickyId = (context: EvaluationContext) => string | undefined;

/** Random ids are drawn from this many values in a rollout, as SDKs do. */
const ROLLOUT_RANDOM_RANGE = 10_000;
const VARIANT_RANDOM_RANGE = 100_000;

/**
 * Rollout: `default` is userId, sessionId, then random; `random` is random; any other field is its value, and without a value
 * the context is not in the rollout.
 */
export function rolloutStickiness(stickiness: string): StickyId {
  if (stickiness === 'default') return defaultRolloutId;
  if (stickiness === 'random') return randomRolloutId;
  return fieldReader(stickiness);
}

/**
 * Variants: `default` is userId, sessionId, remoteAddress (as SDKs do, so that both sides of a network see the same variant),
 * then random; any other field is its value, and without a value random.
 */
export function variantStickiness(stickiness: string): (context: EvaluationContext) => string {
  if (stickiness === 'default') return defaultVariantId;
  if (stickiness === 'random') return randomVariantId;
  const read = fieldReader(stickiness);
  return (context) => read(context) || randomVariantId(context);
}

function defaultRolloutId(context: EvaluationContext): string {
  return context.userId || context.sessionId || randomRolloutId(context);
}

function defaultVariantId(context: EvaluationContext): string {
  return context.userId || context.sessionId || context.remoteAddress || randomVariantId(context);
}

function randomRolloutId(context: EvaluationContext): string {
  return String(Math.round(context.random() * ROLLOUT_RANDOM_RANGE) + 1);
}

function randomVariantId(context: EvaluationContext): string {
  return String(Math.round(context.random() * VARIANT_RANDOM_RANGE));
}
