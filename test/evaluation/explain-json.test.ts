import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import { verdictJson } from '../../src/evaluation/explain-json.ts';
import { judge } from '../../src/evaluation/judge.ts';
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
            verdictJson(verdict, evaluated, { flag, editLink: '/edit?id=' }),
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
