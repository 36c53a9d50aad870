import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type Work, workAtOnce } from '../../src/base/work.ts';
import { type CompiledFlag, compileFlagInSteps } from '../../src/evaluation/compile.ts';
import { evaluationCost, resolve, resolveInSteps } from '../../src/evaluation/evaluate.ts';
import { judge } from '../../src/evaluation/judge.ts';
import { compileStrategy } from '../../src/evaluation/strategy.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import type { Strategy } from '../../src/model/strategy.ts';
import { LONG_LISTS, manyOverrides } from './long-lists.ts';
import { Random } from './random.ts';
import { compileFlags, evaluationContext, flagDefinition } from './wire.ts';
import { randomWorld } from './worlds.ts';

/** The cost of each step. */
function stepsOf(work: Work<unknown>): number[] {
  const steps: number[] = [];
  for (let step = work.next(); !step.done; step = work.next()) steps.push(step.value);
  return steps;
}

const LONGEST = 4_096;

/** About half a millisecond. */
const STEP_MAX = 25_000;

/** A set of short texts takes about forty bytes per text. */
const KEPT_PER_CHAR = 14;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The memory that the result of the work occupies. */
function keptOf(begin: () => Work<unknown>, text: string): { readonly chars: number; readonly bytes: number } {
  const kept: unknown[] = [];
  collect();
  const before = process.memoryUsage();
  for (let count = 0; count < 4; count++) kept.push(workAtOnce(begin()));
  collect();
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  return { chars: text.length, bytes: Math.round(grown / kept.length) };
}

describe('an evaluation in steps', () => {
  it('has the same result as the evaluation at once, and costs at most the predicted cost', () => {
    const random = new Random(20_261_121);
    const wrong: unknown[] = [];
    for (let round = 0; round < 30; round++) {
      const world = randomWorld(random);
      const flags = compileFlags(world.flags, world.segments);
      for (const context of world.contexts.slice(0, 20)) {
        const longestValue = 500;
        const evaluated = { ...evaluationContext(context), longestValue };
        for (const { name } of world.flags) {
          const flag = flags(name) as CompiledFlag;
          const isAlike = workAtOnce(resolveInSteps(flag, evaluated, flags)) === resolve(flag, evaluated, flags);
          const took = stepsOf(resolveInSteps(flag, evaluated, flags)).reduce((sum, step) => sum + step, 0);
          const predicted = evaluationCost(flag, longestValue, flags);
          if (!isAlike || !(took <= predicted + 1e-6)) wrong.push({ name, context, isAlike, took, predicted });
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('can be paused before each parent and before the flag, explained or not, and never inside a flag', () => {
    const constraints = [{ contextName: 'text', operator: 'REGEX' as const, value: 'a+$' }];
    const heavy = (name: string) => ({ name, enabled: true, strategies: [{ name: 'default', constraints }] });
    const dependencies = ['one', 'two'].map((feature) => ({ feature }));
    const flags = compileFlags([heavy('one'), heavy('two'), { ...heavy('child'), dependencies }], []);
    const context = { ...evaluationContext({ properties: { text: 'a'.repeat(LONGEST) } }), longestValue: LONGEST };
    const flag = flags('child') as CompiledFlag;
    const each = evaluationCost(flags('one') as CompiledFlag, LONGEST, flags);
    expect(evaluationCost(flag, LONGEST, flags)).toBe(3 * each);
    expect(stepsOf(resolveInSteps(flag, context, flags))).toEqual([each, each, each]);
    expect(stepsOf(judge(flag, context, flags))).toHaveLength(3);
  });
});

describe('a compilation in steps', () => {
  it.each(LONG_LISTS)(
    'pauses in a list of %s, whose result takes a few times the length of the list',
    (_what, name, parameters) => {
      const strategy = flagDefinition({ name: 'flag', enabled: true, strategies: [{ name, parameters }] })
        .strategies[0];
      const begin = () =>
        compileStrategy(strategy as Strategy, {
          flagName: 'flag',
          segmentOf: () => undefined,
          hashEncoding: 'low-bytes',
          warnings: [],
        });
      const steps = stepsOf(begin());
      expect(steps.length).toBeGreaterThan(20);
      expect(Math.max(...steps)).toBeLessThan(STEP_MAX);
      const { chars, bytes } = keptOf(begin, Object.values(parameters)[0] ?? '');
      expect(bytes).toBeLessThan(KEPT_PER_CHAR * chars);
    },
  );

  it('pauses in overrides', () => {
    const definition = flagDefinition({ name: 'flag', enabled: true, variants: manyOverrides() });
    const steps = stepsOf(compileFlagInSteps(definition, () => undefined));
    expect(steps.length).toBeGreaterThan(90);
    expect(Math.max(...steps)).toBeLessThan(STEP_MAX);
  });

  it('pauses in constraints', () => {
    const addresses = Array.from({ length: 1_000 }, (_, index) => `2001:db8::${index.toString(16)}/112`);
    const constraints: Constraint[] = Array.from({ length: 30 }, () => ({
      contextName: 'remoteAddress',
      operator: 'IN_CIDR' as const,
      values: addresses,
    }));
    const strategies = Array.from({ length: 10 }, () => ({ name: 'default', constraints }));
    const steps = stepsOf(
      compileFlagInSteps(flagDefinition({ name: 'flag', enabled: true, strategies }), () => undefined),
    );
    expect(steps.length).toBeGreaterThan(300);
    expect(Math.max(...steps)).toBeLessThan(STEP_MAX);
  });
});
