import type { Constraint } from '../model/constraint.ts';
import type { Strategy, StrategyParameters } from '../model/strategy.ts';
import type { StrategyVariant, Variant } from '../model/variant.ts';
import type { FlagDefinition } from './compile.ts';
import { CURRENT_TIME } from './context.ts';
import { ROLLOUT_BUCKETS } from './hashing.ts';
import { overriddenFields } from './overrides.ts';
import { parameter, parsePercentage } from './rollout.ts';
import type { SegmentDefinition, SegmentLookup } from './segment.ts';

/**
 * What of a context can make a difference to a flag, by its definition: two contexts that agree in it get the same answer. More may be in it than is
 * read; nothing that is read is left out (test/evaluation/needs.test.ts). Parents are not looked at: what they read is theirs.
 */
export interface Needs {
  /** Names of context fields. */
  readonly fields: ReadonlySet<string>;
  /** Whether the id counts that rollouts go by unless they say otherwise: userId, else sessionId, else a draw. */
  readonly isSticky: boolean;
  /** The same of variants, which go by the address before they draw. */
  readonly isVariantSticky: boolean;
  /** Whether something may be drawn whatever the context holds. */
  readonly draws: boolean;
  /** Fields, each of `fields`, in the place of which something is drawn for who lacks them. */
  readonly drawsWithout: ReadonlySet<string>;
  /** When `currentTime` makes a difference: each is the first millisecond of which something else holds. Unix milliseconds, in order. */
  readonly momentsMs: readonly number[];
  /** Whether `currentTime` is read other than by dates: every moment may make a difference. */
  readonly readsClock: boolean;
}

/** Gathers what several definitions read. */
export class NeedsBuilder implements Needs {
  readonly fields = new Set<string>();
  isSticky = false;
  isVariantSticky = false;
  draws = false;
  readonly drawsWithout = new Set<string>();
  readonly momentsMs: number[] = [];
  readsClock = false;

  add(needs: Needs): void {
    if (needs === NO_NEEDS) return;
    for (const field of needs.fields) this.fields.add(field);
    this.isSticky ||= needs.isSticky;
    this.isVariantSticky ||= needs.isVariantSticky;
    this.draws ||= needs.draws;
    for (const field of needs.drawsWithout) this.drawsWithout.add(field);
    for (const moment of needs.momentsMs) this.momentsMs.push(moment);
    this.readsClock ||= needs.readsClock;
  }

  /** What was gathered; moments in order, each once. */
  get result(): Needs {
    if (this.fields.size === 0 && this.momentsMs.length === 0 && !this.#counts) return NO_NEEDS;
    const { fields, isSticky, isVariantSticky, draws, drawsWithout, readsClock } = this;
    // Of all flags of a scope there may be a hundred thousand: as numbers they are put in order in some milliseconds.
    const inOrder = Float64Array.from(this.momentsMs).sort();
    const momentsMs = Array.from(inOrder.filter((moment, index) => moment !== inOrder[index - 1]));
    return { fields, isSticky, isVariantSticky, draws, drawsWithout, momentsMs, readsClock };
  }

  get #counts(): boolean {
    return this.isSticky || this.isVariantSticky || this.draws || this.readsClock;
  }

  field(name: string): void {
    if (name === CURRENT_TIME) this.readsClock = true;
    // The environment is the token's: the same for everybody whose answers are compared.
    else if (name !== 'environment') this.fields.add(name);
  }
}

/** Read by flags that are the same for everybody. */
export const NO_NEEDS: Needs = {
  fields: new Set(),
  isSticky: false,
  isVariantSticky: false,
  draws: false,
  drawsWithout: new Set(),
  momentsMs: [],
  readsClock: false,
};

/** Where a time stands: equal numbers, equal answers at both times. The time itself where every moment may make a difference. */
export function timePosition(needs: Needs, timeMs: number): number {
  return needs.readsClock ? timeMs : momentsPassed(needs, timeMs);
}

/** How many of the moments have come. */
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

/** What the definition needs, its segments included. */
export function needsOf({ enabled, strategies, variants }: FlagDefinition, segmentOf: SegmentLookup): Needs {
  if (!enabled) return NO_NEEDS;
  const needs = new NeedsBuilder();
  for (const strategy of strategies) if (!strategy.disabled) readStrategy(strategy, segmentOf, needs);
  readVariants(variants, 'default', needs);
  return needs.result;
}

function readStrategy(
  { name, parameters, constraints, segments, variants }: Strategy,
  segmentOf: SegmentLookup,
  needs: NeedsBuilder,
): void {
  const readActivation = ACTIVATIONS.get(name);
  // Nobody evaluates it.
  if (readActivation === undefined) return;
  for (const constraint of constraints) readConstraint(constraint, needs);
  for (const id of segments) {
    const segment = segmentOf(id);
    if (segment) needs.add(needsOfSegment(segment));
  }
  readActivation(parameters, needs);
  readVariants(variants, parameter(parameters, 'stickiness') || 'default', needs);
}

/** Many flags share a segment. */
const ofSegments = new WeakMap<SegmentDefinition, Needs>();

function needsOfSegment(segment: SegmentDefinition): Needs {
  let known = ofSegments.get(segment);
  if (known === undefined) {
    const needs = new NeedsBuilder();
    for (const constraint of segment.constraints) readConstraint(constraint, needs);
    known = needs.result;
    ofSegments.set(segment, known);
  }
  return known;
}

function readConstraint({ contextName, operator, value }: Constraint, needs: NeedsBuilder): void {
  if (contextName !== CURRENT_TIME || (operator !== 'DATE_AFTER' && operator !== 'DATE_BEFORE')) {
    needs.field(contextName);
    return;
  }
  const operandMs = Date.parse(value ?? '');
  if (Number.isNaN(operandMs)) return;
  // "Before" ends with the moment, "after" begins behind it.
  needs.momentsMs.push(operator === 'DATE_BEFORE' ? operandMs : operandMs + 1);
}

type ReadActivation = (parameters: StrategyParameters, needs: NeedsBuilder) => void;

/** What the strategies of `strategies/` read. One that is not here is not evaluated there either (a test holds them together). */
export const ACTIVATIONS: ReadonlyMap<string, ReadActivation> = new Map<string, ReadActivation>([
  ['default', () => {}],
  // Told by the machine that evaluates, the same for all its callers.
  ['applicationHostname', () => {}],
  ['userWithId', (_parameters, needs) => needs.field('userId')],
  ['remoteAddress', (_parameters, needs) => needs.field('remoteAddress')],
  ['flexibleRollout', readRollout],
  [
    'gradualRolloutUserId',
    (parameters, needs) => {
      if (shareOf(parameters, 'percentage') !== 'none') needs.field('userId');
    },
  ],
  [
    'gradualRolloutSessionId',
    (parameters, needs) => {
      if (shareOf(parameters, 'percentage') !== 'none') needs.field('sessionId');
    },
  ],
  [
    'gradualRolloutRandom',
    (parameters, needs) => {
      if (shareOf(parameters, 'percentage') === 'some') needs.draws = true;
    },
  ],
]);

/** Whoever has an id is in a rollout to all, and by default everybody has one: it is drawn where there is none. */
function readRollout(parameters: StrategyParameters, needs: NeedsBuilder): void {
  const share = shareOf(parameters, 'rollout');
  const stickiness = parameter(parameters, 'stickiness') || 'default';
  if (share === 'none') return;
  if (stickiness === 'default') needs.isSticky ||= share === 'some';
  else if (stickiness === 'random') needs.draws ||= share === 'some';
  else needs.field(stickiness);
}

/** As `compileRollout` reads a percentage. */
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
  for (const field of overriddenFields(variants)) needs.field(field);
  // One that everybody gets is not chosen.
  if (variants.filter(({ weight }) => weight !== 0).length < 2) return;
  const stickiness = first.stickiness || fallbackStickiness;
  if (stickiness === 'default') needs.isVariantSticky = true;
  else if (stickiness === 'random') needs.draws = true;
  else {
    needs.field(stickiness);
    if (needs.fields.has(stickiness)) needs.drawsWithout.add(stickiness);
  }
}
