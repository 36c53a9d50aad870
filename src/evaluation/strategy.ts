import type { Strategy, StrategyParameters } from '../model/strategy.ts';
import { allOf, type Condition, type Predicate } from './condition.ts';
import { type CompiledConstraint, compileConstraint } from './constraint.ts';
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

export interface CompiledStrategy {
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly disabled: boolean;
  readonly parameters: StrategyParameters;
  readonly constraints: readonly CompiledConstraint[];
  readonly segments: readonly CompiledSegment[];
  /** The strategy's own rule, apart from constraints and segments; null for a custom strategy, which only its SDK can evaluate. */
  readonly activation: Predicate | null;
  readonly variants: VariantPicker | null;
}

/** A strategy the fast path asks: neither disabled nor custom. `test` joins everything that must hold. */
export interface ActiveStrategy {
  readonly test: Predicate;
  readonly variants: VariantPicker | null;
}

/** Compiles one strategy of the named flag and appends what is wrong with it to `warnings`. */
export function compileStrategy(
  definition: Strategy,
  flagName: string,
  segments: SegmentLookup,
  warnings: EvaluationWarning[],
): CompiledStrategy {
  const { id, name, title, disabled, parameters } = definition;
  const warn = (message: string | null) => {
    if (message !== null) warnings.push({ strategyId: id, message });
  };
  const constraints = definition.constraints.map(compileConstraint);
  const compiledSegments = definition.segments.map((id) => compileSegment(id, segments));
  const activation = STRATEGY_MODULES.get(name)?.compile(parameters, flagName);
  for (const constraint of constraints) warn(constraint.warning);
  for (const segment of compiledSegments) segment.warnings.forEach(warn);
  warn(activation === undefined ? `unknown strategy "${name}"` : activation.warning);
  return {
    id,
    name,
    title,
    disabled,
    parameters,
    constraints,
    segments: compiledSegments,
    activation: activation?.test ?? null,
    variants: compileVariants(
      definition.variants,
      parameter(parameters, 'groupId') || flagName,
      parameter(parameters, 'stickiness') || 'default',
    ),
  };
}

/** The strategy as the fast path asks it; null when that path passes it over. */
export function activeStrategy(strategy: CompiledStrategy): ActiveStrategy | null {
  const { activation, constraints, segments, variants } = strategy;
  if (strategy.disabled || activation === null) return null;
  const parts = [...constraints, ...segments].map((part) => part.test);
  return { test: allOf([...parts, activation]), variants };
}
