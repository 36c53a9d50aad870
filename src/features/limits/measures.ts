import { type Steps, uncounted } from '../../base/yield-control.ts';
import { HASHED } from '../../evaluation/condition.ts';
import { type CompiledConstraint, compileConstraint, compileCounted } from '../../evaluation/constraint.ts';
import { compilationCost, listCompilationCost, overridesCompilationCost, worstCost } from '../../evaluation/cost.ts';
import { overriddenFields, overridesCost } from '../../evaluation/overrides.ts';
import type { Constraint } from '../../model/constraint.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import type { LimitName } from '../../model/limits.ts';
import type { Project } from '../../model/project.ts';
import type { Segment } from '../../model/segment.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { Variant } from '../../model/variant.ts';
import type { StateReader } from '../../state/collections.ts';
import type { ChangeRequest } from '../change-requests/change-request.ts';
import type { ContextField } from '../context-fields/context-field.ts';

/** Limit → the measured value. */
export type Measures = { readonly [Name in LimitName]?: number };

/** Caches a value per immutable object. */
function once<Of extends object, Value>(find: (of: Of) => Value): (of: Of) => Value {
  const known = new WeakMap<Of, Value>();
  return (of) => {
    let value = known.get(of);
    if (value === undefined) {
      value = find(of);
      known.set(of, value);
    }
    return value;
  };
}

const bytesOf = once((value: object) => Buffer.byteLength(JSON.stringify(value)));

const most = <T>(items: readonly T[], countOf: (item: T) => number): number =>
  items.reduce((largest, item) => Math.max(largest, countOf(item)), 0);

const total = <T>(items: readonly T[], countOf: (item: T) => number): number =>
  items.reduce((sum, item) => sum + countOf(item), 0);

const valuesOf = ({ values }: Constraint) => values?.length ?? 0;

/** The cost in µs of hashing a sticky id. The rule of a strategy and the choice of a variant need such a hash. */
const HASH_COST = worstCost(HASHED);

const choiceCost = (variants: readonly unknown[]) => (variants.length > 1 ? HASH_COST : 0);

const costs = new WeakMap<Constraint, ReturnType<typeof keepCost>>();

function keepCost(constraint: Constraint, compiled: CompiledConstraint) {
  const cost = { evaluation: worstCost(compiled.cost), compilation: compilationCost(constraint) };
  costs.set(constraint, cost);
  return cost;
}

const costOfOne = (constraint: Constraint) =>
  costs.get(constraint) ?? keepCost(constraint, compileConstraint(constraint));

const costOf = (constraints: readonly Constraint[]) => ({
  evaluation: total(constraints, (constraint) => costOfOne(constraint).evaluation),
  compilation: total(constraints, (constraint) => costOfOne(constraint).compilation),
});

export const measureSegment = once(
  ({ constraints }: Segment): Measures => ({
    constraints: constraints.length,
    segmentValues: total(constraints, valuesOf),
    featureBytes: bytesOf(constraints),
    evaluationCost: costOf(constraints).evaluation,
    expressionCost: costOf(constraints).compilation,
  }),
);

export function measureContextField(field: ContextField): Measures {
  return { legalValues: field.legalValues.length, contextFieldBytes: bytesOf(field) };
}

/** Measures of a project, without its content. */
export function measureProject({ linkTemplates = [] }: Project): Measures {
  return { linkTemplates: linkTemplates.length };
}

/** Measures of a strategy, without its segments. */
const measureStrategy = once((strategy: Strategy) => {
  const { constraints, segments, variants } = strategy;
  return {
    bytes: bytesOf(strategy),
    constraints: constraints.length,
    constraintValues: most(constraints, valuesOf),
    strategySegments: segments.length,
    featureVariants: variants.length,
    evaluationCost: HASH_COST + choiceCost(variants) + costOf(constraints).evaluation,
    expressionCost: costOf(constraints).compilation + listCompilationCost(strategy),
  };
});

const measureVariants = once((variants: readonly Variant[]) => ({
  bytes: bytesOf(variants),
  featureVariants: variants.length,
  variantOverrides: most(variants, ({ overrides }) => overrides?.length ?? 0),
  overrideValues: most(variants, ({ overrides }) => most(overrides ?? [], ({ values }) => values.length)),
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

/** Measures of a flag that do not depend on the environment. */
export function measureFlag({ tags, dependencies, links }: Feature): Measures {
  return {
    featureTags: tags.length,
    featureLinks: links?.length ?? 0,
    featureDependencies: dependencies.length,
    dependencyVariants: most(dependencies, ({ variants }) => variants.length),
  };
}

/** Measures of a flag in all its environments together. */
export function measureWhole({ environments }: Feature): Measures {
  const bytes = ({ strategies, variants }: FeatureEnvironment) => bytesOf(variants) + total(strategies, bytesOf);
  return { storedFeatureBytes: total(environments, bytes) };
}

/** Computes in steps, and caches, the slow parts of a measurement: the costs of conditions, which must be compiled first, and the sizes as JSON. */
export function* prepareMeasuring({ strategies }: FeatureEnvironment, reader: StateReader): Steps<void> {
  for (const { constraints, segments } of strategies) {
    yield* prepareCosts(constraints);
    for (const id of segments) yield* prepareCosts(reader.get('segments', String(id))?.constraints ?? []);
  }
  yield* prepareBytes(strategies);
}

/** Computes in steps, and caches, the sizes as JSON that `measureWhole` needs. */
export function* prepareWhole({ environments }: Feature): Steps<void> {
  for (const { strategies } of environments) yield* prepareBytes(strategies);
}

function* prepareBytes(strategies: readonly Strategy[]): Steps<void> {
  for (const strategy of strategies) {
    bytesOf(strategy);
    yield;
  }
}

export function* prepareCosts(constraints: readonly Constraint[]): Steps<void> {
  for (const constraint of constraints) {
    if (!costs.has(constraint)) keepCost(constraint, yield* uncounted(compileCounted(constraint)));
    yield;
  }
}

/** Measures of a flag in one environment. */
export function measureEnvironment({ strategies, variants }: FeatureEnvironment, reader: StateReader): Measures {
  const own = strategies.map(measureStrategy);
  const ofVariants = measureVariants(variants);
  const shared = strategies.flatMap(({ segments }) => segments.map((id) => segmentOf(id, reader)));
  const stored = ofVariants.bytes + total(own, ({ bytes }) => bytes);
  return {
    featureEnvironmentStrategies: strategies.length,
    constraints: most(own, ({ constraints }) => constraints),
    constraintValues: most(own, ({ constraintValues }) => constraintValues),
    strategySegments: most(own, ({ strategySegments }) => strategySegments),
    featureVariants: Math.max(
      ofVariants.featureVariants,
      most(own, (strategy) => strategy.featureVariants),
    ),
    variantOverrides: ofVariants.variantOverrides,
    overrideValues: ofVariants.overrideValues,
    overrideFields: ofVariants.overrideFields,
    featureBytes: stored + total(shared, ({ featureBytes = 0 }) => featureBytes),
    evaluationCost:
      ofVariants.evaluationCost +
      total(own, (strategy) => strategy.evaluationCost) +
      total(shared, (segment) => segment.evaluationCost ?? 0),
    expressionCost:
      ofVariants.expressionCost +
      total(own, (strategy) => strategy.expressionCost) +
      total(shared, (segment) => segment.expressionCost ?? 0),
  };
}

export function measureChangeRequest({ changes, comments }: ChangeRequest): Measures {
  return {
    changeRequestChanges: changes.length,
    changeRequestBytes: total(changes, ({ bytes }) => bytes),
    changeRequestComments: comments.length,
  };
}

const NOTHING: Measures = {};

function segmentOf(id: number, reader: StateReader): Measures {
  const segment = reader.get('segments', String(id));
  return segment === undefined ? NOTHING : measureSegment(segment);
}
