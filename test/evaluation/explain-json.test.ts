import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import { verdictJsonAtOnce, verdictJsonInSteps } from '../../src/evaluation/explain-json.ts';
import { judge, judgeAtOnce, judgingCost } from '../../src/evaluation/judge.ts';
import { explain } from './explain.ts';
import { Random } from './random.ts';
import { compileFlags, evaluationContext } from './wire.ts';
import { randomWorld } from './worlds.ts';

interface Entry {
  readonly result: { readonly evaluationStatus: string; readonly enabled: unknown };
  readonly constraints: readonly { readonly result: boolean }[];
  readonly segments: readonly { readonly result: boolean }[];
  readonly rollout?: { readonly position: number; readonly percentage: number };
}

/** Whether the position in the rollout decides alone. The result must then follow from it. */
function isDecidedByRollout({ result, constraints, segments, rollout }: Entry): boolean {
  const holds = [...constraints, ...segments].every((one) => one.result);
  if (!rollout || !holds || result.evaluationStatus !== 'complete') return false;
  expect(result.enabled).toBe(rollout.position <= rollout.percentage);
  return true;
}

describe('an explanation as text', () => {
  it('has the same content as the explanation as objects, and the link, in random worlds', () => {
    const random = new Random(20_260_301);
    let strategies = 0;
    let rollouts = 0;
    for (let round = 0; round < 20; round++) {
      const world = randomWorld(random);
      const flags = compileFlags(world.flags, world.segments);
      for (const context of world.contexts.slice(0, 10)) {
        const evaluated = evaluationContext(context);
        for (const { name } of world.flags) {
          const flag = flags(name) as CompiledFlag;
          const texts = workAtOnce(judge(flag, evaluated, flags)).strategies.data.map((verdict) =>
            workAtOnce(verdictJsonInSteps(verdict, evaluated, { flag, editLink: '/edit?id=' })),
          );
          const expected = explain(flag, evaluated, flags).strategies.data.map((strategy) => ({
            ...strategy,
            links: { edit: `/edit?id=${encodeURIComponent(strategy.id)}` },
          }));
          const parsed = texts.map((text) => JSON.parse(text));
          rollouts += parsed.filter(isDecidedByRollout).length;
          expect(parsed.map(({ rollout: _rollout, ...rest }) => rest)).toEqual(JSON.parse(JSON.stringify(expected)));
          strategies += texts.length;
        }
      }
    }
    expect(strategies).toBeGreaterThan(5_000);
    expect(rollouts).toBeGreaterThan(100);
  });
});

describe('judging and explaining at once', () => {
  it('has the same result as in steps, in random worlds', () => {
    const random = new Random(20_260_302);
    let light = 0;
    for (let round = 0; round < 20; round++) {
      const world = randomWorld(random);
      const flags = compileFlags(world.flags, world.segments);
      for (const context of world.contexts.slice(0, 10)) {
        // Random values are drawn equally often, and are the same.
        const evaluated = { ...evaluationContext(context), random: () => 0.3 };
        for (const { name } of world.flags) {
          const flag = flags(name) as CompiledFlag;
          if (judgingCost(flag, evaluated.longestValue) === null) continue;
          light++;
          const verdict = judgeAtOnce(flag, evaluated);
          expect(verdict).toEqual(workAtOnce(judge(flag, evaluated, flags)));
          for (const ofStrategy of verdict.strategies.data) {
            const inSteps = workAtOnce(verdictJsonInSteps(ofStrategy, evaluated, { flag, editLink: '/edit?id=' }));
            expect(verdictJsonAtOnce(ofStrategy, evaluated, { flag, editLink: '/edit?id=' })).toBe(inSteps);
          }
        }
      }
    }
    expect(light).toBeGreaterThan(1_000);
  });

  it('applies only to cheap flags without parents', () => {
    const world = randomWorld(new Random(20_260_303));
    const flags = compileFlags(world.flags, world.segments);
    for (const { name } of world.flags) {
      const flag = flags(name) as CompiledFlag;
      if (flag.dependencies.length > 0) expect(judgingCost(flag, 32)).toBeNull();
      if (flag.strategies.length > 0) expect(judgingCost(flag, 10_000_000)).toBeNull();
    }
  });
});
