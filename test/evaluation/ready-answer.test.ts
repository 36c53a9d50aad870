import { describe, expect, it } from 'vitest';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import type { EvaluationContext } from '../../src/evaluation/context.ts';
import { resolve } from '../../src/evaluation/evaluate.ts';
import { toggleAfterComma, toggleJson } from '../../src/evaluation/toggle-json.ts';
import { OFF } from '../../src/evaluation/variant.ts';
import { Random } from './random.ts';
import { compileFlags, evaluationContext, type WireFlag } from './wire.ts';
import { randomWorld } from './worlds.ts';

const random = new Random(20_261_122);
const worlds = Array.from({ length: 30 }, () => randomWorld(random));

function* everyFlag(): Generator<{ flag: CompiledFlag; contexts: readonly EvaluationContext[]; definition: WireFlag }> {
  for (const world of worlds) {
    const flags = compileFlags(world.flags, world.segments);
    const contexts = world.contexts.map((context) =>
      evaluationContext({ ...context, sessionId: context.sessionId || 'a-session' }, { random: () => random.next() }),
    );
    for (const definition of world.flags) {
      const flag = flags(definition.name) as CompiledFlag;
      if (flag.dependencies.length === 0) yield { flag, contexts, definition };
    }
  }
}

const noFlags = () => undefined;

describe('the precomputed answer of a compiled flag', () => {
  it('is the result of its rules for any context', () => {
    let known = 0;
    const wrong: unknown[] = [];
    for (const { flag, contexts, definition } of everyFlag()) {
      if (flag.answer === null) continue;
      known++;
      for (const context of contexts) {
        // Without the shortcut.
        const expected = definition.enabled ? resolve({ ...flag, answer: null }, context, noFlags) : OFF;
        if (flag.answer !== expected) wrong.push({ definition, context });
      }
    }
    expect(wrong).toEqual([]);
    expect(known).toBeGreaterThan(50);
  });
});

it('answers that are cached for one context are not used for another, in any order of contexts', () => {
  const wrong: unknown[] = [];
  for (const world of worlds) {
    const flags = compileFlags(world.flags, world.segments);
    const contexts = world.contexts.map((context) => evaluationContext(context));
    const inTurn = contexts.map((context) =>
      world.flags.map(({ name }) => resolve(flags(name) as CompiledFlag, context, flags)),
    );
    for (const [at, { name }] of world.flags.entries()) {
      for (const [index, context] of contexts.entries()) {
        // A new context object has no cached answers.
        const anew = resolve(flags(name) as CompiledFlag, { ...context }, flags);
        const again = resolve(flags(name) as CompiledFlag, context, flags);
        const expected = inTurn[index]?.[at];
        if (anew !== expected || again !== expected) wrong.push({ name, context });
      }
    }
  }
  expect(wrong).toEqual([]);
});

it('the text of a following toggle is the text of the toggle after a comma', () => {
  const flag = compileFlags([{ name: 'a "flag"', enabled: true, strategies: [] }])('a "flag"') as CompiledFlag;
  const resolution = resolve(flag, evaluationContext({}), noFlags);
  expect(toggleAfterComma(flag, resolution)).toBe(`,${toggleJson(flag, resolution)}`);
  expect(JSON.parse(toggleJson(flag, resolution))).toEqual({
    name: 'a "flag"',
    enabled: true,
    impressionData: false,
    variant: { name: 'disabled', enabled: false, feature_enabled: true, featureEnabled: true },
  });
});
