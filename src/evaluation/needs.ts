import type { Constraint } from '../model/constraint.ts';
import type { Strategy, StrategyParameters } from '../model/strategy.ts';
import type { StrategyVariant, Variant } from '../model/variant.ts';
import type { FlagDefinition } from './compile.ts';
import { CURRENT_TIME } from './context.ts';
import { ROLLOUT_BUCKETS } from './hashing.ts';
import { Interner } from './interner.ts';
import { overriddenFields } from './overrides.ts';
import { parameter, parsePercentage } from './rollout.ts';
import type { SegmentDefinition, SegmentLookup } from './segment.ts';

/**
 * The parts of a context that can change the answer of a flag, derived from its definition: two contexts with equal parts get the same answer. It may
 * include more than evaluation reads, never less (test/evaluation/needs.test.ts). The needs of parents are not included.
 */
export interface Needs {
  /** Names of context fields. */
  readonly fields: ReadonlySet<string>;
  /** Whether the answer depends on the default sticky id of rollouts: userId, else sessionId, else a random number. */
  readonly isSticky: boolean;
  /** Whether the answer depends on the default sticky id of variants: userId, else sessionId, else the remote address, else a random number. */
  readonly isVariantSticky: boolean;
  /** Whether a random number may be drawn for every context. */
  readonly drawsRandom: boolean;
  /** The fields (a subset of `fields`) that a random number replaces in a context without them. */
  readonly randomIfMissing: ReadonlySet<string>;
  /** When the answer depends on `currentTime`: each moment is the first millisecond with a different answer. Unix milliseconds, ascending. */
  readonly momentsMs: readonly number[];
  /** Whether a rule other than a date comparison reads `currentTime`: the answer may change at every moment. */
  readonly readsClock: boolean;
}

/** Collects the needs of several definitions. */
export class NeedsBuilder implements Needs {
  readonly fields = new Set<string>();
  isSticky = false;
  isVariantSticky = false;
  drawsRandom = false;
  readonly randomIfMissing = new Set<string>();
  readonly momentsMs: number[] = [];
  readsClock = false;

  add(needs: Needs): void {
    if (needs === NO_NEEDS) return;
    for (const field of needs.fields) this.fields.add(field);
    this.isSticky ||= needs.isSticky;
    this.isVariantSticky ||= needs.isVariantSticky;
    this.drawsRandom ||= needs.drawsRandom;
    for (const field of needs.randomIfMissing) this.randomIfMissing.add(field);
    for (const moment of needs.momentsMs) this.momentsMs.push(moment);
    this.readsClock ||= needs.readsClock;
  }

  /** The collected needs; moments are sorted, without duplicates. */
  get result(): Needs {
    if (this.fields.size === 0 && this.momentsMs.length === 0 && !this.#hasOtherNeeds) return NO_NEEDS;
    const { fields, isSticky, isVariantSticky, drawsRandom, randomIfMissing, readsClock } = this;
    // All flags of a scope may have a hundred thousand moments: a Float64Array sorts them in a few milliseconds.
    const sortedMoments = Float64Array.from(this.momentsMs).sort();
    const momentsMs = Array.from(sortedMoments.filter((moment, index) => moment !== sortedMoments[index - 1]));
    return { fields, isSticky, isVariantSticky, drawsRandom, randomIfMissing, momentsMs, readsClock };
  }

  /** Whether there are needs besides fields and moments. */
  get #hasOtherNeeds(): boolean {
    return this.isSticky || this.isVariantSticky || this.drawsRandom || this.readsClock;
  }

  addField(name: string): void {
    if (name === CURRENT_TIME) this.readsClock = true;
    // The token decides the environment: it is the same for all contexts that are compared.
    else if (name !== 'environment') this.fields.add(name);
  }
}

/** The needs of flags that have the same answer for every context. */
export const NO_NEEDS: Needs = {
  fields: new Set(),
  isSticky: false,
  isVariantSticky: false,
  drawsRandom: false,
  randomIfMissing: new Set(),
  momentsMs: [],
  readsClock: false,
};

/**
 * Position of a time among the moments: equal positions give equal answers. It is the time itself if the answer may change at any time
 * (`readsClock`).
 */
export function timePosition(needs: Needs, timeMs: number): number {
  return needs.readsClock ? timeMs : momentsPassed(needs, timeMs);
}

/** Number of moments that are not later than the time. */
export function momentsPassed({ momentsMs }: Needs, timeMs: number): number {
  let low = 0;
  let high = momentsMs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((momentsMs[middle] as number) <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The needs of the definition and of its segments. */
export function needsOf({ enabled, strategies, variants }: FlagDefinition, segmentOf: SegmentLookup): Needs {
  if (!enabled) return NO_NEEDS;
  const needs = new NeedsBuilder();
  for (const strategy of strategies) if (!strategy.disabled) readStrategy(strategy, segmentOf, needs);
  readVariants(variants, 'default', needs);
  return shared(needs.result);
}

const interned = new Interner<Needs>();

/** One object for equal needs without moments: most flags read the same few fields, and each flag keeps its needs. */
function shared(needs: Needs): Needs {
  if (needs === NO_NEEDS || needs.momentsMs.length > 0) return needs;
  const { fields, isSticky, isVariantSticky, drawsRandom, randomIfMissing, readsClock } = needs;
  const key = JSON.stringify([isSticky, isVariantSticky, drawsRandom, readsClock, [...fields], [...randomIfMissing]]);
  return interned.get(key, () => needs);
}

function readStrategy(
  { name, parameters, constraints, segments, variants }: Strategy,
  segmentOf: SegmentLookup,
  needs: NeedsBuilder,
): void {
  const readActivation = ACTIVATION_READERS.get(name);
  // A custom strategy: the server does not evaluate it.
  if (readActivation === undefined) return;
  for (const constraint of constraints) readConstraint(constraint, needs);
  for (const id of segments) {
    const segment = segmentOf(id);
    if (segment) needs.add(needsOfSegment(segment));
  }
  readActivation(parameters, needs);
  readVariants(variants, parameter(parameters, 'stickiness') || 'default', needs);
}

/** Cached, because many flags use the same segment. */
const segmentNeeds = new WeakMap<SegmentDefinition, Needs>();

function needsOfSegment(segment: SegmentDefinition): Needs {
  let known = segmentNeeds.get(segment);
  if (known === undefined) {
    const needs = new NeedsBuilder();
    for (const constraint of segment.constraints) readConstraint(constraint, needs);
    known = needs.result;
    segmentNeeds.set(segment, known);
  }
  return known;
}

function readConstraint({ contextName, operator, value }: Constraint, needs: NeedsBuilder): void {
  if (contextName !== CURRENT_TIME || (operator !== 'DATE_AFTER' && operator !== 'DATE_BEFORE')) {
    needs.addField(contextName);
    return;
  }
  const operandMs = Date.parse(value ?? '');
  if (Number.isNaN(operandMs)) return;
  // DATE_BEFORE becomes false at the date; DATE_AFTER becomes true one millisecond after it.
  needs.momentsMs.push(operator === 'DATE_BEFORE' ? operandMs : operandMs + 1);
}

type ReadActivation = (parameters: StrategyParameters, needs: NeedsBuilder) => void;

/** The needs of the strategies of `strategies/`. Both must contain the same strategies (a test checks it). */
export const ACTIVATION_READERS: ReadonlyMap<string, ReadActivation> = new Map<string, ReadActivation>([
  ['default', () => {}],
  // The evaluating machine supplies the hostname: it is the same for all its callers.
  ['applicationHostname', () => {}],
  ['userWithId', (_parameters, needs) => needs.addField('userId')],
  ['remoteAddress', (_parameters, needs) => needs.addField('remoteAddress')],
  ['flexibleRollout', readRollout],
  [
    'gradualRolloutUserId',
    (parameters, needs) => {
      if (shareOf(parameters, 'percentage') !== 'none') needs.addField('userId');
    },
  ],
  [
    'gradualRolloutSessionId',
    (parameters, needs) => {
      if (shareOf(parameters, 'percentage') !== 'none') needs.addField('sessionId');
    },
  ],
  [
    'gradualRolloutRandom',
    (parameters, needs) => {
      if (shareOf(parameters, 'percentage') === 'some') needs.drawsRandom = true;
    },
  ],
]);

/**
 * A rollout to 100 % includes every context with an id. With the default stickiness every context has an id: a missing id is replaced by a random
 * number.
 */
function readRollout(parameters: StrategyParameters, needs: NeedsBuilder): void {
  const share = shareOf(parameters, 'rollout');
  const stickiness = parameter(parameters, 'stickiness') || 'default';
  if (share === 'none') return;
  if (stickiness === 'default') needs.isSticky ||= share === 'some';
  else if (stickiness === 'random') needs.drawsRandom ||= share === 'some';
  else needs.addField(stickiness);
}

/** The part of all contexts that the percentage includes. Reads the parameter in the same way as `compileRollout`. */
function shareOf(parameters: StrategyParameters, name: string): 'none' | 'some' | 'all' {
  const percentage = parsePercentage(parameter(parameters, name));
  if (!(percentage > 0)) return 'none';
  return percentage >= ROLLOUT_BUCKETS ? 'all' : 'some';
}

function readVariants(
  variants: readonly ((Variant | StrategyVariant) & Pick<Variant, 'overrides'>)[],
  fallbackStickiness: string,
  needs: NeedsBuilder,
): void {
  const [first] = variants;
  if (first === undefined) return;
  for (const field of overriddenFields(variants)) needs.addField(field);
  // With one possible variant there is no choice.
  if (variants.filter(({ weight }) => weight !== 0).length < 2) return;
  const stickiness = first.stickiness || fallbackStickiness;
  if (stickiness === 'default') needs.isVariantSticky = true;
  else if (stickiness === 'random') needs.drawsRandom = true;
  else {
    needs.addField(stickiness);
    if (needs.fields.has(stickiness)) needs.randomIfMissing.add(stickiness);
  }
}
