import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import { measureEnvironment } from '../../src/commands/measures.ts';
import { compileFlag } from '../../src/evaluation/compile.ts';
import { resolve } from '../../src/evaluation/evaluate.ts';
import { judge } from '../../src/evaluation/judge.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import { type Feature, featureEnvironment } from '../../src/model/feature.ts';
import { LIMITS } from '../../src/model/limits.ts';
import type { Strategy } from '../../src/model/strategy.ts';
import { State } from '../../src/state/state.ts';
import { cpuMs } from '../support/cpu.ts';
import { evaluationContext } from './wire.ts';

const state = new State();
const words = (count: number, piece: string) => Array.from({ length: count }, (_, index) => `${piece}${index}x`);

/** Conditions that go on to the end of a long text, one of each costly kind. They are inverted: all of them hold, so that all are asked. */
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
      parameters: { rollout: '0', stickiness: 'text', groupId: 'g' },
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
  } = measureEnvironment(featureEnvironment(feature, 'development'), state);
  return (
    evaluationCost <= LIMITS.evaluationCost.max &&
    expressionCost <= LIMITS.expressionCost.max &&
    featureEnvironmentStrategies <= LIMITS.featureEnvironmentStrategies.default
  );
};

/** The flag with as many conditions of a kind as it may have. */
function worstOf(constraint: (index: number) => Partial<Constraint>): Feature {
  const constraints: Constraint[] = [];
  for (;;) {
    const one = { contextName: 'text', inverted: true, ...constraint(constraints.length) } as Constraint;
    if (!isLegal(flagOf([...constraints, one]))) return flagOf(constraints);
    constraints.push(one);
  }
}

describe('a flag that may be stored', () => {
  it.each(KINDS)(
    'and has nothing but %s is evaluated in about a millisecond at the longest text',
    (what, constraint, piece) => {
      const feature = worstOf(constraint);
      const [environment] = feature.environments;
      const flag = compileFlag(
        { ...feature, enabled: true, strategies: [], variants: [], ...environment },
        () => undefined,
      );
      expect(flag.warnings).toEqual([]);
      const text = piece.repeat(LIMITS.contextValueLength.max).slice(0, LIMITS.contextValueLength.max);
      const context = evaluationContext({ properties: { text } }, {});
      const lookup = () => undefined;
      const rounds = 20;
      const fast = cpuMs(() => {
        for (let round = 0; round < rounds; round++) expect(resolve(flag, context, lookup).on).toBe(false);
      });
      const explained = cpuMs(() => {
        for (let round = 0; round < rounds; round++) workAtOnce(judge(flag, context, lookup));
      });
      const count = environment?.strategies.reduce((sum, strategy) => sum + strategy.constraints.length, 0);
      console.info(
        `${what}: ${count} conditions, ${(fast / rounds).toFixed(2)} ms, explained ${(explained / rounds).toFixed(2)} ms`,
      );
      expect(Math.max(fast, explained) / rounds).toBeLessThan(5);
    },
  );
});
