import { describe, expect, it } from 'vitest';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import type { EvaluationContext } from '../../src/evaluation/context.ts';
import { resolve } from '../../src/evaluation/evaluate.ts';
import { nextToggle, toggleJson } from '../../src/evaluation/toggle-json.ts';
import { OFF } from '../../src/evaluation/variant.ts';
import { Random } from './random.ts';
import { compileFlags, evaluationContext, type WireFlag } from './wire.ts';
import { randomWorld } from './worlds.ts';

const random = new Random(20_261_122);
const worlds = Array.from({ length: 30 }, () => randomWorld(random));

/** The two contexts' values for these fields: the first's; everything else is the second's, chance included. */
function mixed(one: EvaluationContext, other: EvaluationContext, fields: readonly string[]): EvaluationContext {
  const properties: Record<string, unknown> = Object.assign(Object.create(null), other.properties);
  const context: Record<string, unknown> = { ...other, properties };
  for (const field of fields) {
    if (field === 'currentTime') context.currentTimeMs = one.currentTimeMs;
    else context[field] = one[field as keyof EvaluationContext];
    if (one.properties !== undefined && Object.hasOwn(one.properties, field)) properties[field] = one.properties[field];
    else delete properties[field];
  }
  return context as unknown as EvaluationContext;
}

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

describe('what a compiled flag says it reads', () => {
  it('decides its answer: contexts that agree on it get the same', () => {
    let compared = 0;
    for (const { flag, contexts } of everyFlag()) {
      if (flag.reads.draws) continue;
      for (const [index, one] of contexts.entries()) {
        const other = contexts[(index + 1) % contexts.length] as EvaluationContext;
        expect(resolve(flag, mixed(one, other, flag.reads.fields), noFlags)).toBe(resolve(flag, one, noFlags));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(5_000);
  });

  it('is no more than its definition names', () => {
    const flags = compileFlags(
      [
        {
          name: 'plan',
          enabled: true,
          strategies: [{ name: 'default', constraints: [{ contextName: 'plan', operator: 'IN', values: ['a'] }] }],
        },
        { name: 'sticky', enabled: true, strategies: [{ name: 'flexibleRollout', parameters: { rollout: '50' } }] },
        {
          name: 'chance',
          enabled: true,
          strategies: [{ name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'random' } }],
        },
        { name: 'segment', enabled: true, strategies: [{ name: 'default', segments: [1] }] },
      ],
      [{ id: 1, name: 'one', constraints: [{ contextName: 'version', operator: 'SEMVER_GT', value: '1.0.0' }] }],
    );
    const readsOf = (name: string) => (flags(name) as CompiledFlag).reads;
    expect(readsOf('plan')).toEqual({ fields: ['plan'], draws: false });
    expect(readsOf('sticky')).toEqual({ fields: ['sessionId', 'userId'], draws: false });
    expect(readsOf('chance')).toEqual({ fields: [], draws: true });
    expect(readsOf('segment')).toEqual({ fields: ['version'], draws: false });
  });

  it('is nothing where the answer is known beforehand', () => {
    let known = 0;
    for (const { flag, contexts, definition } of everyFlag()) {
      if (flag.answer === null) continue;
      known++;
      for (const context of contexts) {
        // Without the shortcut.
        if (definition.enabled) expect(resolve({ ...flag, answer: null }, context, noFlags)).toBe(flag.answer);
        else expect(flag.answer).toBe(OFF);
      }
    }
    expect(known).toBeGreaterThan(50);
  });
});

it('answers noted for one context are no answers for another, in whatever order they are asked', () => {
  for (const world of worlds) {
    const flags = compileFlags(world.flags, world.segments);
    const contexts = world.contexts.map((context) => evaluationContext(context));
    const inTurn = contexts.map((context) =>
      world.flags.map(({ name }) => resolve(flags(name) as CompiledFlag, context, flags)),
    );
    for (const [at, { name }] of world.flags.entries()) {
      for (const [index, context] of contexts.entries()) {
        // A context of its own has nothing noted.
        expect(resolve(flags(name) as CompiledFlag, { ...context }, flags)).toBe(inTurn[index]?.[at]);
        expect(resolve(flags(name) as CompiledFlag, context, flags)).toBe(inTurn[index]?.[at]);
      }
    }
  }
});

it('a toggle behind another is the toggle with a comma', () => {
  const flag = compileFlags([{ name: 'a "flag"', enabled: true, strategies: [] }])('a "flag"') as CompiledFlag;
  const resolution = resolve(flag, evaluationContext({}), noFlags);
  expect(nextToggle(flag, resolution)).toBe(`,${toggleJson(flag, resolution)}`);
  expect(JSON.parse(toggleJson(flag, resolution))).toEqual({
    ...{ name: 'a "flag"', enabled: true, impressionData: false },
    variant: { name: 'disabled', enabled: false, feature_enabled: true, featureEnabled: true },
  });
});
