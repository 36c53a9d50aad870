import { type Steps, stepsOf } from '../../base/yield-control.ts';
import { HASHING_COST } from '../../evaluation/condition.ts';
import { type CompiledConstraint, compileConstraint, compileConstraintInSteps } from '../../evaluation/constraint.ts';
import { compilationCost, listCompilationCost, overridesCompilationCost, worstCost } from '../../evaluation/cost.ts';
import { overriddenFields, overridesCost } from '../../evaluation/overrides.ts';
import type { Constraint } from '../../model/constraint.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import type { Segment } from '../../model/segment.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { Variant } from '../../model/variant.ts';
import type { StateReader } from '../../state/collections.ts';
import type { Measures } from '../shared/limit-checks.ts';

/** Returns `compute` with a cache: it runs once for each object. The objects must be immutable. */
function oncePerObject<Of extends object, Value>(compute: (of: Of) => Value): (of: Of) => Value {
  const cached = new WeakMap<Of, Value>();
  return (of) => {
    let value = cached.get(of);
    if (value === undefined) {
      value = compute(of);
      cached.set(of, value);
    }
    return value;
  };
}

const bytesOf = oncePerObject((value: object) => Buffer.byteLength(JSON.stringify(value)));

export const maximum = <T>(items: readonly T[], countOf: (item: T) => number): number =>
  items.reduce((largest, item) => Math.max(largest, countOf(item)), 0);

const total = <T>(items: readonly T[], countOf: (item: T) => number): number =>
  items.reduce((sum, item) => sum + countOf(item), 0);

const valueCount = ({ values }: Constraint) => values?.length ?? 0;

/** The cost in µs of hashing a sticky id. The rule of a strategy and the choice of a variant need such a hash. */
const HASH_COST = worstCost(HASHING_COST);

const choiceCost = (variants: readonly unknown[]) => (variants.length > 1 ? HASH_COST : 0);

const costs = new WeakMap<Constraint, ReturnType<typeof cacheCost>>();

function cacheCost(constraint: Constraint, compiled: CompiledConstraint) {
  const cost = { evaluation: worstCost(compiled.cost), compilation: compilationCost(constraint) };
  costs.set(constraint, cost);
  return cost;
}

const costOfOne = (constraint: Constraint) =>
  costs.get(constraint) ?? cacheCost(constraint, compileConstraint(constraint));

const costOf = (constraints: readonly Constraint[]) => ({
  evaluation: total(constraints, (constraint) => costOfOne(constraint).evaluation),
  compilation: total(constraints, (constraint) => costOfOne(constraint).compilation),
});

export const measureSegment = oncePerObject(
  ({ constraints }: Segment): Measures => ({
    constraints: constraints.length,
    segmentValues: total(constraints, valueCount),
    featureBytes: bytesOf(constraints),
    evaluationCost: costOf(constraints).evaluation,
    expressionCost: costOf(constraints).compilation,
  }),
);

/** Measures of a strategy, without its segments. */
const measureStrategy = oncePerObject((strategy: Strategy) => {
  const { constraints, segments, variants } = strategy;
  return {
    bytes: bytesOf(strategy),
    constraints: constraints.length,
    constraintValues: maximum(constraints, valueCount),
    strategySegments: segments.length,
    featureVariants: variants.length,
    evaluationCost: HASH_COST + choiceCost(variants) + costOf(constraints).evaluation,
    expressionCost: costOf(constraints).compilation + listCompilationCost(strategy),
  };
});

const measureVariants = oncePerObject((variants: readonly Variant[]) => ({
  bytes: bytesOf(variants),
  featureVariants: variants.length,
  variantOverrides: maximum(variants, ({ overrides }) => overrides?.length ?? 0),
  overrideValues: maximum(variants, ({ overrides }) => maximum(overrides ?? [], ({ values }) => values.length)),
  ...measureOverrides(variants),
}));

function measureOverrides(variants: readonly Variant[]) {
  const overrideFields = overriddenFields(variants).size;
  return {
    overrideFields,
    evaluationCost: choiceCost(variants) + worstCost(overridesCost(overrideFields)),
    expressionCost: overridesCompilationCost(variants),
  };
}

/** Measures of a flag in all its environments together. */
export function measureAllEnvironments({ environments }: Feature): Measures {
  const bytes = ({ strategies, variants, releasePlan, safeguards = [] }: FeatureEnvironment) =>
    bytesOf(variants) +
    total(strategies, bytesOf) +
    (releasePlan ? bytesOf(releasePlan) : 0) +
    total(safeguards, bytesOf);
  return { storedFeatureBytes: total(environments, bytes) };
}

/** Computes and caches, in steps, the slow parts of a measurement: the costs of constraints, which must be compiled first, and the sizes as JSON. */
export function* prepareMeasuring({ strategies }: FeatureEnvironment, reader: StateReader): Steps<void> {
  for (const { constraints, segments } of strategies) {
    yield* prepareCosts(constraints);
    for (const id of segments) yield* prepareCosts(reader.get('segments', String(id))?.constraints ?? []);
  }
  yield* prepareBytes(strategies);
}

/** Computes and caches, in steps, the sizes as JSON that `measureAllEnvironments` needs. */
export function* prepareAllEnvironments({ environments }: Feature): Steps<void> {
  for (const { strategies } of environments) yield* prepareBytes(strategies);
}

function* prepareBytes(strategies: readonly Strategy[]): Steps<void> {
  for (const strategy of strategies) {
    bytesOf(strategy);
    yield;
  }
}

/** Computes and caches, in steps, the costs of the constraints. */
export function* prepareCosts(constraints: readonly Constraint[]): Steps<void> {
  for (const constraint of constraints) {
    if (!costs.has(constraint)) cacheCost(constraint, yield* stepsOf(compileConstraintInSteps(constraint)));
    yield;
  }
}

/** Measures of a flag in one environment. */
export function measureEnvironment({ strategies, variants }: FeatureEnvironment, reader: StateReader): Measures {
  const strategyMeasures = strategies.map(measureStrategy);
  const variantMeasures = measureVariants(variants);
  const segmentMeasures = strategies.flatMap(({ segments }) => segments.map((id) => measureSegmentWithId(id, reader)));
  const ownBytes = variantMeasures.bytes + total(strategyMeasures, ({ bytes }) => bytes);
  return {
    featureEnvironmentStrategies: strategies.length,
    constraints: maximum(strategyMeasures, ({ constraints }) => constraints),
    constraintValues: maximum(strategyMeasures, ({ constraintValues }) => constraintValues),
    strategySegments: maximum(strategyMeasures, ({ strategySegments }) => strategySegments),
    featureVariants: Math.max(
      variantMeasures.featureVariants,
      maximum(strategyMeasures, (strategy) => strategy.featureVariants),
    ),
    variantOverrides: variantMeasures.variantOverrides,
    overrideValues: variantMeasures.overrideValues,
    overrideFields: variantMeasures.overrideFields,
    featureBytes: ownBytes + total(segmentMeasures, ({ featureBytes = 0 }) => featureBytes),
    evaluationCost:
      variantMeasures.evaluationCost +
      total(strategyMeasures, (strategy) => strategy.evaluationCost) +
      total(segmentMeasures, (segment) => segment.evaluationCost ?? 0),
    expressionCost:
      variantMeasures.expressionCost +
      total(strategyMeasures, (strategy) => strategy.expressionCost) +
      total(segmentMeasures, (segment) => segment.expressionCost ?? 0),
  };
}

const NO_MEASURES: Measures = {};

function measureSegmentWithId(id: number, reader: StateReader): Measures {
  const segment = reader.get('segments', String(id));
  return segment === undefined ? NO_MEASURES : measureSegment(segment);
}
