import { describe, expect, it } from 'vitest';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import { isOn, resolve } from '../../src/evaluation/evaluate.ts';
import { normalizedHash } from './murmur3.ts';
import { Random } from './random.ts';
import { compileFlags, evaluationContext, type WireContext } from './wire.ts';

interface Asked extends WireContext {
  readonly hostname?: string;
}

function strategyOn(name: string, parameters: Record<string, string>, context: Asked = {}, drawn = 0.5): boolean {
  const lookup = compileFlags([{ name: 'flag', enabled: true, strategies: [{ name, parameters }] }]);
  const { hostname, ...fields } = context;
  const evaluated = evaluationContext(fields, { hostname, random: () => drawn });
  return isOn(lookup('flag') as CompiledFlag, evaluated, lookup);
}

describe('flexibleRollout', () => {
  const rollout = (parameters: Record<string, string>, context: WireContext = {}, drawn?: number) =>
    strategyOn('flexibleRollout', parameters, context, drawn);

  it('is on when the percentage is at least the bucket of the id in its group', () => {
    const bucket = normalizedHash('grp', 'user-1', 100);
    const at = (percentage: number) => rollout({ rollout: String(percentage), groupId: 'grp' }, { userId: 'user-1' });
    expect(at(bucket)).toBe(true);
    expect(at(bucket - 0.5)).toBe(false);
  });

  it('without a groupId uses the name of the flag', () => {
    const bucket = normalizedHash('flag', 'user-1', 100);
    expect(rollout({ rollout: String(bucket) }, { userId: 'user-1' })).toBe(true);
    expect(rollout({ rollout: String(bucket - 1) }, { userId: 'user-1' })).toBe(false);
    expect(rollout({ rollout: String(bucket - 1), groupId: '' }, { userId: 'user-1' })).toBe(false);
  });

  it('uses userId, then sessionId, and draws at random without both', () => {
    const share = { rollout: '50', groupId: 'grp' };
    const isIn = (id: string) => normalizedHash('grp', id, 100) <= 50;
    for (let index = 0; index < 20; index++) {
      const id = `id-${index}`;
      expect(rollout(share, { userId: id, sessionId: 'other' })).toBe(isIn(id));
      expect(rollout(share, { sessionId: id })).toBe(isIn(id));
      expect(rollout(share, { userId: '', sessionId: id })).toBe(isIn(id));
    }
    expect(drawnShare((drawn) => rollout(share, { remoteAddress: '10.0.0.1' }, drawn))).toBeCloseTo(0.5, 1);
  });

  it('with a custom field is off when the field is missing, even at 100 %', () => {
    expect(rollout({ rollout: '100', stickiness: 'region' })).toBe(false);
    expect(rollout({ rollout: '100', stickiness: 'region' }, { properties: { region: '' } })).toBe(false);
    expect(rollout({ rollout: '100', stickiness: 'region' }, { properties: { region: 'eu' } })).toBe(true);
    expect(rollout({ rollout: '100', stickiness: 'constructor' })).toBe(false);
  });

  it('with random stickiness is on for its percentage of the draws', () => {
    const share = { rollout: '20', stickiness: 'random' };
    expect(drawnShare((drawn) => rollout(share, { userId: 'always the same' }, drawn))).toBeCloseTo(0.2, 1);
    expect(drawnShare((drawn) => rollout({ ...share, rollout: '0' }, {}, drawn))).toBe(0);
    expect(drawnShare((drawn) => rollout({ ...share, rollout: '100' }, {}, drawn))).toBe(1);
  });

  it('that is random draws once per answer, so that flag and variant agree', () => {
    const strategies = [{ name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'random' } }];
    const lookup = compileFlags([{ name: 'flag', enabled: true, strategies, variants: [{ name: 'v', weight: 1000 }] }]);
    const random = new Random(3);
    for (let round = 0; round < 200; round++) {
      const answer = resolve(
        lookup('flag') as CompiledFlag,
        evaluationContext({}, { random: () => random.next() }),
        lookup,
      );
      expect(answer.variant.enabled).toBe(answer.on);
      expect(answer.variant.feature_enabled).toBe(answer.on);
    }
  });
});

describe('the older rollouts', () => {
  it('by user and by session are off without the id', () => {
    expect(strategyOn('gradualRolloutUserId', { percentage: '100' }, { sessionId: '1' })).toBe(false);
    expect(strategyOn('gradualRolloutSessionId', { percentage: '100' }, { userId: '1' })).toBe(false);
    expect(strategyOn('gradualRolloutUserId', { percentage: '100' }, { userId: '1' })).toBe(true);
    expect(strategyOn('gradualRolloutSessionId', { percentage: '100' }, { sessionId: '1' })).toBe(true);
  });

  it('at random are on for their percentage of the draws', () => {
    const at = (percentage: string) =>
      drawnShare((drawn) => strategyOn('gradualRolloutRandom', { percentage }, {}, drawn));
    expect([at('0'), at('100')]).toEqual([0, 1]);
    expect(at('35')).toBeCloseTo(0.35, 2);
  });
});

it('userWithId is on for the listed users, and ignores spaces around the commas', () => {
  const parameters = { userIds: 'a,b ,  c' };
  expect(['a', 'b', 'c', 'd', ''].map((userId) => strategyOn('userWithId', parameters, { userId }))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(strategyOn('userWithId', parameters)).toBe(false);
  expect(strategyOn('userWithId', {}, { userId: 'a' })).toBe(false);
});

it('remoteAddress is on for listed IPv4 ranges and for exact texts', () => {
  const parameters = { IPs: '10.0.0.0/8, 127.invalid, 192.168.1.1, ::1, 2001:db8::/32' };
  const on = (remoteAddress: string) => strategyOn('remoteAddress', parameters, { remoteAddress });
  expect(['10.9.9.9', '192.168.1.1', '::1', '127.invalid'].map(on)).toEqual([true, true, true, true]);
  expect(['11.0.0.1', '192.168.1.2', '2001:db8::1', ''].map(on)).toEqual([false, false, false, false]);
  expect(strategyOn('remoteAddress', parameters)).toBe(false);
});

it('applicationHostname is on for the listed machines, and ignores case', () => {
  const parameters = { hostNames: 'web-1, WEB-2' };
  expect(strategyOn('applicationHostname', parameters, { hostname: 'Web-2' })).toBe(true);
  expect(strategyOn('applicationHostname', parameters, { hostname: 'web-3' })).toBe(false);
  expect(strategyOn('applicationHostname', parameters)).toBe(false);
});

/** The share of evenly spread draws for which `on` holds. */
function drawnShare(on: (drawn: number) => boolean): number {
  const draws = 2000;
  let count = 0;
  for (let draw = 0; draw < draws; draw++) if (on(draw / draws)) count++;
  return count / draws;
}
