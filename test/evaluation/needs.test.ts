import { describe, expect, it } from 'vitest';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import { dependenciesHold, resolve } from '../../src/evaluation/evaluate.ts';
import { ACTIVATION_READERS, type Needs, NeedsBuilder, needsOf, timePosition } from '../../src/evaluation/needs.ts';
import { restrict } from '../../src/evaluation/restricted-context.ts';
import { listStrategies } from '../../src/evaluation/strategies/list-strategies.ts';
import { rolloutStrategies } from '../../src/evaluation/strategies/rollouts.ts';
import type { Strategy } from '../../src/model/strategy.ts';
import { Random } from './random.ts';
import { compileFlags, evaluationContext, flagDefinition } from './wire.ts';
import { randomWorld } from './worlds.ts';

const WORLDS = Number(process.env.BURGEE_READS_WORLDS ?? 12);

/** The needs of a flag and of its parents. */
function needsWithParents(name: string, own: ReadonlyMap<string, Needs>, flag: CompiledFlag): Needs {
  const needs = new NeedsBuilder();
  needs.add(own.get(name) as Needs);
  for (const { feature } of flag.dependencies) {
    const parent = own.get(feature);
    if (parent) needs.add(parent);
  }
  return needs.result;
}

describe('the needs of a flag', () => {
  it('are defined for every strategy that is evaluated', () => {
    expect([...ACTIVATION_READERS.keys()].sort()).toEqual(
      [...Object.keys(listStrategies), ...Object.keys(rolloutStrategies)].sort(),
    );
  });

  it('decide its answer: contexts with the same needed values have the same answer', () => {
    const random = new Random(20_260_301);
    let answers = 0;
    let shared = 0;
    for (let count = 0; count < WORLDS; count++) {
      const world = randomWorld(random);
      const find = compileFlags(world.flags, world.segments);
      const segmentOf = (id: number) => world.segments.find((segment) => segment.id === id);
      const own = new Map(world.flags.map((flag) => [flag.name, needsOf(flagDefinition(flag), segmentOf)]));
      for (const { name } of world.flags) {
        const flag = find(name) as CompiledFlag;
        const needs = needsWithParents(name, own, flag);
        const known = new Map<string, string>();
        for (const wire of world.contexts) {
          const draw = random.next();
          const context = evaluationContext({ ...wire, environment: 'development' }, { random: () => draw });
          const restricted = restrict(context, needs, draw);
          // All times between two moments have the same answer.
          const time = timePosition(needs, context.currentTimeMs);
          const answer = JSON.stringify([resolve(flag, context, find), dependenciesHold(flag, context, find)]);
          const where = `${name} for ${restricted.key}`;
          expect(
            JSON.stringify([resolve(flag, restricted.context, find), dependenciesHold(flag, restricted.context, find)]),
            where,
          ).toBe(answer);
          const key = `${time} ${restricted.key}`;
          const before = known.get(key);
          if (before !== undefined) {
            shared++;
            expect(answer, where).toBe(before);
          }
          known.set(key, answer);
          answers++;
        }
      }
    }
    // Without many shared answers nothing was compared.
    expect(answers).toBeGreaterThan(2_000);
    expect(shared / answers).toBeGreaterThan(0.2);
  });

  it('are nothing for a rollout to all, and the id for a partial rollout', () => {
    const flag = (parameters: Record<string, string>) =>
      needsOf(definition('flexibleRollout', parameters), () => undefined);
    expect(flag({ rollout: '100', stickiness: 'default' })).toMatchObject({ isSticky: false, drawsRandom: false });
    expect(flag({ rollout: '100', stickiness: 'default' }).fields.size).toBe(0);
    expect(flag({ rollout: '50' })).toMatchObject({ isSticky: true, drawsRandom: false });
    expect(flag({ rollout: '50', stickiness: 'random' })).toMatchObject({ isSticky: false, drawsRandom: true });
    expect([...flag({ rollout: '50', stickiness: 'tenant' }).fields]).toEqual(['tenant']);
    expect([...flag({ rollout: '100', stickiness: 'tenant' }).fields]).toEqual(['tenant']);
    expect(flag({ rollout: '0', stickiness: 'tenant' }).fields.size).toBe(0);
  });

  it('are the random number of a context that has nothing to draw a variant from', () => {
    const builder = new NeedsBuilder();
    builder.add({ ...builder.result, isVariantSticky: true });
    const keyOf = (wire: object, draw: number) => restrict(evaluationContext(wire), builder.result, draw).key;
    expect(keyOf({}, 0.1)).not.toBe(keyOf({}, 0.2));
    for (const wire of [{ userId: 'u' }, { sessionId: 's' }, { remoteAddress: '10.0.0.1' }])
      expect(keyOf(wire, 0.1)).toBe(keyOf(wire, 0.2));
  });

  it('include the exact moments of dates', () => {
    const at = '2026-03-01T12:00:00.000Z';
    const constraint = (operator: 'DATE_AFTER' | 'DATE_BEFORE') => ({
      contextName: 'currentTime',
      operator,
      value: at,
    });
    const needs = (operator: 'DATE_AFTER' | 'DATE_BEFORE') =>
      needsOf(definition('default', {}, [constraint(operator)]), () => undefined).momentsMs;
    expect(needs('DATE_BEFORE')).toEqual([Date.parse(at)]);
    expect(needs('DATE_AFTER')).toEqual([Date.parse(at) + 1]);
  });
});

function definition(name: string, parameters: Record<string, string>, constraints: Strategy['constraints'] = []) {
  const strategy = { id: '1', name, title: null, disabled: false, sortOrder: 0, parameters, constraints, segments: [] };
  const strategies = [{ ...strategy, variants: [] }];
  return { name: 'flag', enabled: true, impressionData: false, strategies, variants: [], dependencies: [] };
}
