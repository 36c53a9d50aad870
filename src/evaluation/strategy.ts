import type { Strategy, StrategyParameters } from '../model/strategy.ts';
import type { Condition, Predicate } from './condition.ts';
import { compileConstraint } from './constraint.ts';
import { parameter } from './rollout.ts';
import { type CompiledSegment, compileSegment, type SegmentLookup } from './segment.ts';
import * as applicationHostname from './strategies/application-hostname.ts';
import * as byDefault from './strategies/default.ts';
import * as flexibleRollout from './strategies/flexible-rollout.ts';
import * as gradualRolloutRandom from './strategies/gradual-rollout-random.ts';
import * as gradualRolloutSessionId from './strategies/gradual-rollout-session-id.ts';
import * as gradualRolloutUserId from './strategies/gradual-rollout-user-id.ts';
import * as remoteAddress from './strategies/remote-address.ts';
import * as userWithId from './strategies/user-with-id.ts';
import { compileVariants, type VariantPicker } from './variant.ts';

/** What every file in strategies/ exports. */
interface StrategyModule {
  readonly name: string;
  readonly compile: (parameters: StrategyParameters, flagName: string) => Condition;
}

const MODULES: readonly StrategyModule[] = [
  ...[byDefault, flexibleRollout, userWithId, remoteAddress, applicationHostname],
  ...[gradualRolloutUserId, gradualRolloutSessionId, gradualRolloutRandom],
];

const STRATEGY_MODULES = new Map(MODULES.map((module) => [module.name, module]));

/** Something in a definition that evaluation cannot use as it stands. `strategyId` is the strategy it was found in. */
export interface EvaluationWarning {
  readonly strategyId: string;
  readonly message: string;
}

/** A strategy ready to be asked, disabled and custom ones included: those are explained but never satisfied. */
export interface CompiledStrategy {
  readonly definition: Strategy;
  /** What must hold: one predicate for each constraint of the definition, then one for each segment, in order. */
  readonly conditions: readonly Predicate[];
  readonly segments: readonly CompiledSegment[];
  /** The strategy's own rule; null for a custom strategy, which only its SDK can evaluate. */
  readonly activation: Predicate | null;
  readonly variants: VariantPicker | null;
}

/** A strategy the fast path asks: neither disabled nor custom. */
export interface ActiveStrategy extends CompiledStrategy {
  readonly activation: Predicate;
}

export function isActive(strategy: CompiledStrategy): strategy is ActiveStrategy {
  return strategy.activation !== null && !strategy.definition.disabled;
}

/** Most strategies have no conditions or no segments: they share one empty list. */
const NONE: readonly never[] = Object.freeze([]);

/** Compiles one strategy of the named flag and appends what is wrong with it to `warnings`. */
export function compileStrategy(
  definition: Strategy,
  flagName: string,
  segmentOf: SegmentLookup,
  warnings: EvaluationWarning[],
): CompiledStrategy {
  const { id, name, parameters } = definition;
  const warn = (message: string | null) => {
    if (message !== null) warnings.push({ strategyId: id, message });
  };
  const conditions: Predicate[] = [];
  for (const constraint of definition.constraints) {
    const { test, warning } = compileConstraint(constraint);
    warn(warning);
    conditions.push(test);
  }
  const segments =
    definition.segments.length === 0 ? NONE : definition.segments.map((id) => compileSegment(id, segmentOf));
  for (const segment of segments) {
    segment.warnings.forEach(warn);
    conditions.push(segment.test);
  }
  const activation = STRATEGY_MODULES.get(name)?.compile(parameters, flagName);
  warn(activation === undefined ? `unknown strategy "${name}"` : activation.warning);
  return {
    definition,
    conditions: conditions.length === 0 ? NONE : conditions.slice(),
    segments,
    activation: activation?.test ?? null,
    variants: compileVariants(
      definition.variants,
      parameter(parameters, 'groupId') || flagName,
      parameter(parameters, 'stickiness') || 'default',
    ),
  };
}
