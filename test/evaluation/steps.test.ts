import { describe, expect, it } from 'vitest';
import { type Work, workAtOnce } from '../../src/base/work.ts';
import { type CompiledFlag, compileInSteps } from '../../src/evaluation/compile.ts';
import { evaluationCostWithParents, resolve, resolveInSteps } from '../../src/evaluation/evaluate.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import { Random } from './random.ts';
import { compileFlags, evaluationContext, flagDefinition } from './wire.ts';
import { randomWorld } from './worlds.ts';

/** What each step took. */
function stepsOf(work: Work<unknown>): number[] {
  const steps: number[] = [];
  for (let step = work.next(); !step.done; step = work.next()) steps.push(step.value);
  return steps;
}

const texts = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `${'a'.repeat(length)}${index}`);

const LONGEST = 4_096;

/** Half a millisecond, about. */
const STEP_MAX = 25_000;

describe('an evaluation in steps', () => {
  it('comes to what the evaluation in one go comes to, and takes no more than was foretold', () => {
    const random = new Random(20_261_121);
    for (let round = 0; round < 30; round++) {
      const world = randomWorld(random);
      const flags = compileFlags(world.flags, world.segments);
      for (const context of world.contexts.slice(0, 20)) {
        const longestValue = 500;
        const evaluated = { ...evaluationContext(context), longestValue };
        for (const { name } of world.flags) {
          const flag = flags(name) as CompiledFlag;
          expect(workAtOnce(resolveInSteps(flag, evaluated, flags))).toBe(resolve(flag, evaluated, flags));
          const took = stepsOf(resolveInSteps(flag, evaluated, flags)).reduce((sum, step) => sum + step, 0);
          expect(took).toBeLessThanOrEqual(evaluationCostWithParents(flag, longestValue, flags) + 1e-6);
        }
      }
    }
  });

  it('can be paused inside a flag, inside a segment and inside a list of values', () => {
    const begins: Constraint = {
      ...{ contextName: 'text', operator: 'STR_STARTS_WITH', caseInsensitive: true },
      values: texts(1_000, 100),
    };
    const constraints = Array.from({ length: 30 }, () => ({ ...begins, inverted: true }));
    const segments = [{ id: 1, name: 'segment', constraints }];
    const strategy = { name: 'default', constraints, segments: [1] };
    const flags = compileFlags([{ name: 'flag', enabled: true, strategies: [strategy, strategy] }], segments);
    const context = {
      ...evaluationContext({ properties: { text: 'a'.repeat(LONGEST) } }),
      longestValue: LONGEST,
    };
    const steps = stepsOf(resolveInSteps(flags('flag') as CompiledFlag, context, flags));
    expect(steps.length).toBeGreaterThan(900);
    expect(Math.max(...steps)).toBeLessThan(STEP_MAX);
  });

  it('is preceded by a compilation in steps', () => {
    const addresses = Array.from({ length: 1_000 }, (_, index) => `2001:db8::${index.toString(16)}/112`);
    const constraints: Constraint[] = Array.from({ length: 30 }, () => ({
      ...{ contextName: 'remoteAddress', operator: 'IN_CIDR' as const },
      values: addresses,
    }));
    const strategies = Array.from({ length: 10 }, () => ({ name: 'default', constraints }));
    const steps = stepsOf(compileInSteps(flagDefinition({ name: 'flag', enabled: true, strategies }), () => undefined));
    expect(steps.length).toBeGreaterThan(300);
    expect(Math.max(...steps)).toBeLessThan(STEP_MAX);
  });
});
