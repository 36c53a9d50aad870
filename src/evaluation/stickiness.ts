import { type EvaluationContext, fieldReader } from './context.ts';
import { IdHasher } from './hashing.ts';
import { Interner } from './interner.ts';

/** Finds the sticky id of a context: its hash decides about rollouts and variants. */
export interface Stickiness<Id extends string | undefined = string | undefined> {
  /** The sticky id; undefined when the context has none and a random id is not allowed. */
  readonly idOf: (context: EvaluationContext) => Id;
  /** Draws a random id as a number. Null unless `idOf` draws a random id for every context. */
  readonly draw: ((context: EvaluationContext) => number) | null;
  /** Hashes the sticky ids. All flags with this stickiness use this object, mostly for the same ids. */
  readonly hasher: IdHasher;
}

/** Random ids are drawn from this many values in a rollout, as SDKs do. */
const ROLLOUT_RANDOM_RANGE = 10_000;
const VARIANT_RANDOM_RANGE = 100_000;

function stickiness<Id extends string | undefined>(
  idOf: (context: EvaluationContext) => Id,
  draw: ((context: EvaluationContext) => number) | null = null,
): Stickiness<Id> {
  return { idOf, draw, hasher: new IdHasher() };
}

/** Both read only the fields, never properties with the same names. */
export const USER_ID = stickiness((context) => context.userId);
export const SESSION_ID = stickiness((context) => context.sessionId);

const DEFAULT_ROLLOUT = stickiness(defaultRolloutId);
const RANDOM_ROLLOUT = stickiness(randomRolloutId, drawRolloutId);
const DEFAULT_VARIANT = stickiness(defaultVariantId);
const RANDOM_VARIANT = stickiness(randomVariantId, drawVariantId);

const rolloutFields = new Interner<Stickiness>();
const variantFields = new Interner<Stickiness<string>>();

/**
 * Rollout: `default` uses userId, then sessionId, then a random id; `random` uses a random id; any other name uses the value of that field. A context
 * without that value is not in the rollout.
 */
export function rolloutStickiness(name: string): Stickiness {
  if (name === 'default') return DEFAULT_ROLLOUT;
  if (name === 'random') return RANDOM_ROLLOUT;
  return rolloutFields.get(name, () => stickiness(fieldReader(name)));
}

/** The sticky id of a rollout that is the same in each evaluation; undefined if the context has none. It draws nothing. */
export function fixedRolloutId(of: Stickiness, context: EvaluationContext): string | undefined {
  if (of === DEFAULT_ROLLOUT) return context.userId || context.sessionId;
  return of.draw === null ? of.idOf(context) : undefined;
}

/**
 * Variants: `default` uses userId, then sessionId, then remoteAddress (as SDKs do, so that server and SDK choose the same variant),
 * then a random id; any other name uses the value of that field, or a random id without a value.
 */
export function variantStickiness(name: string): Stickiness<string> {
  if (name === 'default') return DEFAULT_VARIANT;
  if (name === 'random') return RANDOM_VARIANT;
  return variantFields.get(name, () => {
    const read = fieldReader(name);
    return stickiness((context) => read(context) || randomVariantId(context));
  });
}

function defaultRolloutId(context: EvaluationContext): string {
  return context.userId || context.sessionId || randomRolloutId(context);
}

function defaultVariantId(context: EvaluationContext): string {
  return context.userId || context.sessionId || context.remoteAddress || randomVariantId(context);
}

function randomRolloutId(context: EvaluationContext): string {
  return String(drawRolloutId(context));
}

function randomVariantId(context: EvaluationContext): string {
  return String(drawVariantId(context));
}

function drawRolloutId(context: EvaluationContext): number {
  return Math.round(context.random() * ROLLOUT_RANDOM_RANGE) + 1;
}

function drawVariantId(context: EvaluationContext): number {
  return Math.round(context.random() * VARIANT_RANDOM_RANGE);
}
