import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import { compileFlag } from '../../src/evaluation/compile.ts';
import type { EvaluationContext } from '../../src/evaluation/context.ts';
import { resolve } from '../../src/evaluation/evaluate.ts';
import { judge } from '../../src/evaluation/judge.ts';
import { measureEnvironment } from '../../src/features/limits/measures.ts';
import { LIMITS } from '../../src/features/modules.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import { type Feature, featureEnvironment } from '../../src/model/feature.ts';
import type { Strategy } from '../../src/model/strategy.ts';
import type { Variant } from '../../src/model/variant.ts';
import { State } from '../../src/state/state.ts';
import { cpuMs } from '../support/programs/cpu.ts';
import { evaluationContext } from './wire.ts';

const state = new State();
const words = (count: number, piece: string) => Array.from({ length: count }, (_, index) => `${piece}${index}x`);

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

function flagOf(constraints: readonly Constraint[]): Feature {
  const strategies: Strategy[] = [];
  for (let from = 0; from < constraints.length; from += LIMITS.constraints.default) {
    strategies.push({
      ...{
        id: String(from),
        name: 'flexibleRollout',
        title: null,
        disabled: false,
        sortOrder: from,
        segments: [],
        variants: [],
      },
      // No context is in the rollout, but all conditions are evaluated.
      parameters: { rollout: '0.5', stickiness: 'text', groupId: 'g' },
      constraints: constraints.slice(from, from + LIMITS.constraints.default),
    });
  }
  return {
    ...{ name: 'worst', project: 'default', type: 'release', description: null, stale: false, impressionData: false },
    ...{
      archived: false,
      archivedAt: null,
      createdAt: '',
      createdBy: { id: 1, name: 'test' },
      tags: [],
      dependencies: [],
    },
    environments: [{ environment: 'development', enabled: true, variants: [], strategies }],
  };
}

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

/** The flag with the maximum number of conditions of a kind. */
function worstOf(constraint: (index: number) => Partial<Constraint>): Feature {
  const constraints: Constraint[] = [];
  for (;;) {
    const one = { contextName: 'text', inverted: true, ...constraint(constraints.length) } as Constraint;
    if (!isLegal(flagOf([...constraints, one]))) return flagOf(constraints);
    constraints.push(one);
  }
}

const ROUNDS = 20;
const TRIES = 5;

/** The CPU time of one evaluation of a new context, in both ways: the mean of some rounds, and the least of some tries. ms */
function measured(feature: Feature, context: EvaluationContext) {
  const [environment] = feature.environments;
  const flag = compileFlag(
    { ...feature, enabled: true, strategies: [], variants: [], ...environment },
    () => undefined,
  );
  expect(flag.warnings).toEqual([]);
  const lookup = () => undefined;
  const answers = new Set<boolean>();
  const meanMs = (evaluate: (context: EvaluationContext) => unknown) => {
    const means = Array.from({ length: TRIES }, () => {
      const contexts = Array.from({ length: ROUNDS }, () => ({ ...context }));
      return cpuMs(() => contexts.forEach(evaluate)) / ROUNDS;
    });
    return Math.min(...means);
  };
  const fast = meanMs((asked) => answers.add(resolve(flag, asked, lookup).on));
  const explained = meanMs((asked) => workAtOnce(judge(flag, asked, lookup)));
  return { answers: [...answers], fast, explained };
}

const LONGEST = LIMITS.contextValueLength.max;
const textOf = (piece: string) => piece.repeat(LONGEST).slice(0, LONGEST);

describe('a flag within the limits', () => {
  it.each(KINDS)('with only %s is evaluated in less than 5 ms for the longest text', (what, constraint, piece) => {
    const feature = worstOf(constraint);
    const context = evaluationContext({ properties: { text: textOf(piece) } }, {});
    const { answers, fast, explained } = measured(feature, context);
    expect(answers).toEqual([false]);
    const count = feature.environments[0]?.strategies.reduce((sum, strategy) => sum + strategy.constraints.length, 0);
    console.info(`${what}: ${count} conditions, ${fast.toFixed(2)} ms, explained ${explained.toFixed(2)} ms`);
    expect(Math.max(fast, explained)).toBeLessThan(5);
  });

  it('with the maximum number of overrides is evaluated in less than 2 ms', () => {
    const fields = LIMITS.overrideFields.max;
    const flagWith = (count: number): Feature => ({
      ...flagOf([]),
      environments: [{ environment: 'development', enabled: true, strategies: [], variants: overridden(count) }],
    });
    const overridden = (count: number): Variant[] =>
      Array.from({ length: LIMITS.featureVariants.default }, (_, at) => ({
        ...{ name: `v${at}`, weight: 10, stickiness: 'field-0' },
        overrides: Array.from({ length: LIMITS.variantOverrides.default }, (_item, index) => ({
          contextName: `field-${(at + index) % count}`,
          values: [`${at}-${index}`],
        })),
      }));
    expect(isLegal(flagWith(fields))).toBe(true);
    expect(isLegal(flagWith(fields + 1))).toBe(false);
    const properties = Object.fromEntries(
      Array.from({ length: fields }, (_, index) => [`field-${index}`, textOf(`Ж${index}`)]),
    );
    const { answers, fast, explained } = measured(flagWith(fields), evaluationContext({ properties }));
    console.info(`overrides: ${fast.toFixed(3)} ms, explained ${explained.toFixed(3)} ms`);
    expect(answers).toEqual([true]);
    expect(Math.max(fast, explained)).toBeLessThan(2);
  });

  it('that hashes a long id in every strategy is evaluated in about its computed cost', () => {
    const variants = ['a', 'b'].map((name) => ({
      ...{ name, weight: 500, weightType: 'variable' as const, stickiness: 'field-0' },
    }));
    const strategies = Array.from(
      { length: LIMITS.featureEnvironmentStrategies.default },
      (_, index): Strategy => ({
        ...{ id: `${index}`, name: 'flexibleRollout', title: null, disabled: false, sortOrder: index, segments: [] },
        parameters: { rollout: '1', stickiness: `field-${index}`, groupId: `group-${'x'.repeat(index % 4)}` },
        ...{ constraints: [], variants },
      }),
    );
    const environments = [{ environment: 'development', enabled: true, variants, strategies }];
    const feature: Feature = { ...flagOf([]), environments };
    expect(isLegal(feature)).toBe(true);
    const properties = Object.fromEntries(
      strategies.map((_strategy, index) => [`field-${index}`, textOf(`用${index}用用`)]),
    );
    const { fast, explained } = measured(feature, evaluationContext({ properties }));
    const { evaluationCost = 0 } = measureEnvironment(environments[0] as (typeof environments)[number], state);
    console.info(
      `hashes: ${fast.toFixed(3)} ms, explained ${explained.toFixed(3)}, priced ${evaluationCost.toFixed(0)} µs`,
    );
    expect(fast).toBeLessThan((4 * evaluationCost) / 1000);
  });
});
