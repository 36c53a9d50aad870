import { type CompiledFlag, compileFlag } from '../../../src/evaluation/compile.ts';
import type { EvaluationContext } from '../../../src/evaluation/context.ts';
import { measureEnvironment } from '../../../src/features/flags/rule-costs.ts';
import { LIMITS } from '../../../src/features/modules.ts';
import type { Constraint } from '../../../src/model/constraint.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../../src/model/feature.ts';
import type { Strategy } from '../../../src/model/strategy.ts';
import type { Variant } from '../../../src/model/variant.ts';
import { State } from '../../../src/state/state.ts';

const state = new State();
const words = (count: number, piece: string) => Array.from({ length: count }, (_, index) => `${piece}${index}x`);

const LONGEST = LIMITS.contextValueLength.max;
const textOf = (piece: string) => piece.repeat(LONGEST).slice(0, LONGEST);

/** Conditions that read a long text to its end, one of each costly kind. They are inverted and satisfied, so that all are evaluated. */
const KINDS: readonly [what: string, constraint: (index: number) => Partial<Constraint>, piece: string][] = [
  ['an expression of ASCII', (i) => ({ operator: 'REGEX', value: `a+${i}$` }), 'a'],
  [
    'an expression of every script',
    (i) => ({ operator: 'REGEX', value: `\\pL+${i}\\pN$`, caseInsensitive: true }),
    'ЖЀ',
  ],
  ['one value to contain', (i) => ({ operator: 'STR_CONTAINS', values: [`aab${i}`] }), 'a'],
  ['many values to contain', (i) => ({ operator: 'STR_CONTAINS', values: words(200, `aaaa${i}`) }), 'a'],
  ['a long value to contain', (i) => ({ operator: 'STR_CONTAINS', values: [`${'a'.repeat(1_000)}b${i}`] }), 'a'],
  [
    'many values to begin with',
    (i) => ({ operator: 'STR_STARTS_WITH', values: words(250, `aaaaaaaaaaaaaaa${i}`) }),
    'a',
  ],
  ['folded values', (i) => ({ operator: 'STR_ENDS_WITH', values: [`b${i}`], caseInsensitive: true }), 'Ж'],
  ['many ids', (i) => ({ operator: 'IN', values: words(250, `id-${i}-`) }), 'a'],
  [
    'ranges of addresses',
    (i) => ({
      operator: 'IN_CIDR',
      values: words(250, '').map((_, at) => `2001:db8:${i.toString(16)}:${at.toString(16)}::/64`),
    }),
    'a:',
  ],
  ['numbers', (i) => ({ operator: 'NUM_EQ', value: String(i) }), '1'],
  ['dates', (i) => ({ operator: 'DATE_BEFORE', value: new Date(i * 1e9).toISOString() }), ':'],
  ['versions', (i) => ({ operator: 'SEMVER_GT', value: `1.2.${i}` }), '1.'],
];

function flagWith(constraints: readonly Constraint[]): Feature {
  const strategies: Strategy[] = [];
  for (let from = 0; from < constraints.length; from += LIMITS.constraints.default) {
    strategies.push({
      id: String(from),
      name: 'flexibleRollout',
      title: null,
      disabled: false,
      sortOrder: from,
      segments: [],
      variants: [],
      // No context is in the rollout, but all conditions are evaluated.
      parameters: { rollout: '0.5', stickiness: 'text', groupId: 'g' },
      constraints: constraints.slice(from, from + LIMITS.constraints.default),
    });
  }
  return flagOf({ strategies });
}

function flagOf(parts: Partial<FeatureEnvironment>): Feature {
  return {
    name: 'dearest',
    project: 'default',
    type: 'release',
    description: null,
    stale: false,
    impressionData: false,
    archived: false,
    archivedAt: null,
    createdAt: '',
    createdBy: { id: 1, name: 'bench' },
    tags: [],
    dependencies: [],
    environments: [{ environment: 'development', enabled: true, variants: [], strategies: [], ...parts }],
  };
}

/** Whether the limits accept the flag. */
const isLegal = (feature: Feature) => {
  const {
    evaluationCost = 0,
    expressionCost = 0,
    featureEnvironmentStrategies = 0,
    overrideFields = 0,
  } = measureEnvironment(featureEnvironment(feature, 'development'), state);
  return (
    evaluationCost <= LIMITS.evaluationCost.max &&
    expressionCost <= LIMITS.expressionCost.max &&
    featureEnvironmentStrategies <= LIMITS.featureEnvironmentStrategies.default &&
    overrideFields <= LIMITS.overrideFields.max
  );
};

/** The flag with the maximum number of conditions of a kind. `from`: the index of its first condition. */
function fullOf(constraint: (index: number) => Partial<Constraint>, from = 0): Feature {
  const constraints: Constraint[] = [];
  for (;;) {
    const one = { contextName: 'text', inverted: true, ...constraint(from + constraints.length) } as Constraint;
    if (!isLegal(flagWith([...constraints, one]))) return flagWith(constraints);
    constraints.push(one);
  }
}

/** A flag at a limit, the context for which its evaluation is dearest, and what that costs by computation. */
export interface DearestFlag {
  readonly what: string;
  readonly flag: CompiledFlag;
  readonly context: EvaluationContext;
  readonly priceUs: number;
}

/** @throws Error if the limits refuse the flag, or if a part of it cannot be evaluated. */
function dearest(what: string, feature: Feature, properties: Readonly<Record<string, string>>): DearestFlag {
  if (!isLegal(feature)) throw new Error(`the limits refuse the flag with ${what}`);
  const environment = featureEnvironment(feature, 'development');
  const { evaluationCost = 0 } = measureEnvironment(environment, state);
  const flag = compileFlag({ ...feature, ...environment, enabled: true }, () => undefined);
  if (flag.warnings.length > 0) throw new Error(JSON.stringify(flag.warnings));
  const context = { properties, currentTimeMs: Date.parse('2026-01-01T00:00:00.000Z'), random: () => 0.5 };
  return { what, flag, context: { ...context, longestValue: LONGEST }, priceUs: evaluationCost };
}

/** The maximum number of overridden fields, each with a long value. */
function withOverrides(): DearestFlag {
  const fields = LIMITS.overrideFields.max;
  const variantsWith = (count: number) =>
    Array.from(
      { length: LIMITS.featureVariants.default },
      (_, at): Variant => ({
        name: `v${at}`,
        weight: 10,
        stickiness: 'field-0',
        overrides: Array.from({ length: LIMITS.variantOverrides.default }, (_item, index) => ({
          contextName: `field-${(at + index) % count}`,
          values: [`${at}-${index}`],
        })),
      }),
    );
  if (isLegal(flagOf({ variants: variantsWith(fields + 1) }))) throw new Error('the limits accept more fields');
  const properties = Object.fromEntries(
    Array.from({ length: fields }, (_, index) => [`field-${index}`, textOf(`Ж${index}`)]),
  );
  return dearest('overrides of every field', flagOf({ variants: variantsWith(fields) }), properties);
}

/** The maximum number of strategies, each of which hashes a long id of its own. */
function withHashes(): DearestFlag {
  const variants = ['a', 'b'].map((name) => ({
    name,
    weight: 500,
    weightType: 'variable' as const,
    stickiness: 'field-0',
  }));
  const strategies = Array.from(
    { length: LIMITS.featureEnvironmentStrategies.default },
    (_, index): Strategy => ({
      id: `${index}`,
      name: 'flexibleRollout',
      title: null,
      disabled: false,
      sortOrder: index,
      segments: [],
      parameters: { rollout: '1', stickiness: `field-${index}`, groupId: `group-${'x'.repeat(index % 4)}` },
      constraints: [],
      variants,
    }),
  );
  const properties = Object.fromEntries(strategies.map((_, index) => [`field-${index}`, textOf(`用${index}用用`)]));
  return dearest('a long id to hash in every strategy', flagOf({ strategies, variants }), properties);
}

/** Of all kinds, what takes longest to evaluate, measured. */
const [, DEAREST_KIND] = KINDS as [unknown, (typeof KINDS)[number]];

/** The text for which the evaluation of `dependentFlags` takes longest. */
export const DEAREST_TEXT = textOf(DEAREST_KIND[2]);

/**
 * Flags that take longest to evaluate: each has as many parents as the limits allow, and all are of the dearest kind. No two have a condition in common,
 * because answers to a condition are remembered.
 */
export function dependentFlags(count: number): Feature[] {
  const parentCount = LIMITS.featureDependencies.default;
  const [, constraint] = DEAREST_KIND;
  const flags = Array.from({ length: count * (1 + parentCount) }, (_, index) => ({
    ...fullOf(constraint, index * 1_000),
    name: `dearest-${String(index).padStart(4, '0')}`,
  }));
  // No context is in their rollout, so a child that expects its parents to be off evaluates all of them.
  const dependencies = (child: number) =>
    Array.from({ length: parentCount }, (_, at) => ({
      feature: `dearest-${String(count + child * parentCount + at).padStart(4, '0')}`,
      enabled: false,
      variants: [],
    }));
  return flags.map((flag, index) => (index < count ? { ...flag, dependencies: dependencies(index) } : flag));
}

/** The dearest flags that the limits accept, one of each kind. */
export function dearestFlags(): DearestFlag[] {
  const full = KINDS.map(([what, constraint, piece]) => dearest(what, fullOf(constraint), { text: textOf(piece) }));
  return [...full, withOverrides(), withHashes()];
}
