import { resultOf, type Work } from '../base/work.ts';
import type { Strategy } from '../model/strategy.ts';
import { always, type Cost, never, type Question, sumOf } from './condition.ts';
import { compileConstraintInSteps } from './constraint.ts';
import type { HashEncoding } from './hashing.ts';
import { parameter } from './rollout.ts';
import { type CompiledSegment, compileSegment, type SegmentLookup } from './segment.ts';
import { listStrategies } from './strategies/list-strategies.ts';
import { rolloutStrategies } from './strategies/rollouts.ts';
import { compileVariants, type VariantPicker } from './variant.ts';

const ACTIVATION_COMPILERS = new Map(Object.entries({ ...listStrategies, ...rolloutStrategies }));

/** A part of a definition that evaluation cannot use. `strategyId` is the strategy that contains it. */
export interface EvaluationWarning {
  readonly strategyId: string;
  readonly message: string;
}

/** A compiled strategy. Disabled and custom strategies are included: they are explained but never satisfied. */
export interface CompiledStrategy {
  readonly definition: Strategy;
  /** All of them must be true: one question for each constraint of the definition, then one for each segment, in order. */
  readonly conditions: readonly Question[];
  readonly segments: readonly CompiledSegment[];
  /** The strategy's own rule; null for a custom strategy, which only its SDK can evaluate. */
  readonly activation: Question | null;
  readonly variants: VariantPicker | null;
  /** Cost of evaluating all questions, including the choice of a variant. */
  readonly cost: Cost;
}

/** A strategy that the fast path evaluates: neither disabled nor custom, and some context can satisfy it. */
export interface ActiveStrategy extends CompiledStrategy {
  readonly activation: Question;
}

export function isActive({ activation, conditions, definition }: CompiledStrategy): boolean {
  if (activation === null || definition.disabled || activation.test === never) return false;
  return !conditions.some(({ test }) => test === never);
}

/** Whether every context satisfies the strategy. */
export function isAlwaysSatisfied({ activation, conditions }: ActiveStrategy): boolean {
  return activation.test === always && conditions.every(({ test }) => test === always);
}

/** Shared by all strategies without conditions or without segments, which most strategies are. */
const EMPTY_LIST: readonly never[] = Object.freeze([]);

/** Inputs of the compilation besides the strategy's definition. */
interface StrategyCompilation {
  readonly flagName: string;
  readonly segmentOf: SegmentLookup;
  /** The encoding of the texts that rollouts and variants hash. */
  readonly hashEncoding: HashEncoding;
  readonly warnings: EvaluationWarning[];
}

/** Compiles one strategy of the named flag, in counted steps, and appends its problems to `warnings`. */
export function* compileStrategy(
  definition: Strategy,
  { flagName, segmentOf, hashEncoding, warnings }: StrategyCompilation,
): Work<CompiledStrategy> {
  const { id, name, parameters } = definition;
  const warn = (message: string | null) => {
    if (message !== null) warnings.push({ strategyId: id, message });
  };
  const conditions: Question[] = [];
  for (const constraint of definition.constraints) {
    const compiled = yield* compileConstraintInSteps(constraint);
    warn(compiled.warning);
    conditions.push(compiled);
  }
  const segments: CompiledSegment[] = [];
  for (const segmentId of definition.segments) segments.push(yield* compileSegment(segmentId, segmentOf));
  for (const segment of segments) {
    segment.warnings.forEach(warn);
    conditions.push(segment.question);
  }
  const compilation = ACTIVATION_COMPILERS.get(name)?.(parameters, flagName, hashEncoding);
  const activation = compilation && (yield* resultOf(compilation));
  warn(activation === undefined ? `unknown strategy "${name}"` : activation.warning);
  const variants = yield* compileVariants(definition.variants, {
    groupId: groupOfVariants(definition, flagName, hashEncoding),
    fallbackStickiness: parameter(parameters, 'stickiness') || 'default',
    hashEncoding,
  });
  yield COMPILE_COST + definition.variants.length * VARIANT_COST;
  return {
    conditions: conditions.length === 0 ? EMPTY_LIST : conditions.slice(),
    activation: activation ?? null,
    variants,
    definition,
    segments: segments.length === 0 ? EMPTY_LIST : segments.slice(),
    cost: costOf(conditions, activation, variants),
  };
}

/**
 * The group for the hash of a strategy's variants. Unleash stores a group with each `flexibleRollout`: the name of its flag. For other strategies
 * without a group, Unleash's server and the SDK for Node hash the text "undefined"; Edge and the shared core hash the name of the flag.
 */
function groupOfVariants({ name, parameters }: Strategy, flagName: string, hashEncoding: HashEncoding): string {
  const groupId = parameter(parameters, 'groupId');
  if (name === 'flexibleRollout' || hashEncoding === 'utf-8') return groupId || flagName;
  return groupId ?? 'undefined';
}

/** Units of work to compile a strategy, without its constraints and the lists in its parameters. */
const COMPILE_COST = 100;
const VARIANT_COST = 50;

function costOf(
  conditions: readonly Question[],
  activation: Question | undefined,
  variants: VariantPicker | null,
): Cost {
  const costs = [STRATEGY_COST, ...conditions.map(({ cost }) => cost)];
  if (activation !== undefined) costs.push(activation.cost);
  if (variants !== null) costs.push(variants.cost);
  return sumOf(costs);
}

/** Fixed cost of a strategy, without its questions. */
const STRATEGY_COST: Cost = { fixed: 3, perChar: 0.05 };
