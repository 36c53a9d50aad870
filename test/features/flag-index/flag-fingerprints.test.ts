import { describe, expect, it } from 'vitest';
import { Mulberry32 } from '../../../src/base/mulberry32.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { fingerprintOf } from '../../../src/features/flag-index/fingerprint.ts';
import type { FeatureEnvironment } from '../../../src/model/feature.ts';
import { atDepth } from '../../support/tiers/depth.ts';

type Any = Record<string, unknown>;

const random = new Mulberry32(2_026);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
const maybe = (fields: Any): Any => (random.next() < 0.5 ? fields : {});

/** Few distinct values, so that many settings are equal. */
function someConstraint(): Any {
  const operator = pick(['IN', 'NUM_EQ']);
  return {
    contextName: pick(['userId', 'region']),
    operator,
    ...maybe({ inverted: random.next() < 0.3 }),
    ...maybe({ caseInsensitive: random.next() < 0.3 }),
    ...(operator === 'IN' ? { values: pick([['a'], ['b', 'a']]), ...maybe({ value: 'unused' }) } : { value: '1' }),
  };
}

const someVariant = (): Any => ({
  name: pick(['x', 'y']),
  weight: 1_000,
  weightType: 'variable',
  stickiness: 'default',
  ...maybe({ payload: { type: 'string', value: pick(['1', '2']) } }),
});

const list = <T>(make: () => T, max: number): T[] =>
  Array.from({ length: Math.floor(random.next() * (max + 1)) }, make);

function someSettings(): FeatureEnvironment {
  const strategy = (): Any => ({
    id: String(random.next()),
    name: pick(['default', 'flexibleRollout']),
    title: pick([null, null, 'title']),
    disabled: random.next() < 0.2,
    sortOrder: Math.floor(random.next() * 9),
    parameters: pick([
      {},
      { rollout: '1', stickiness: 'userId' },
      { stickiness: 'userId', rollout: '1' },
      { rollout: '2' },
    ]),
    constraints: list(someConstraint, 1),
    segments: pick([[], [1, 2], [2, 1], [1]]),
    variants: list(someVariant, 1),
  });
  const variants = random.next() < 0.8 ? [] : [someVariant()];
  const environment = {
    environment: pick(['a', 'b']),
    enabled: random.next() < 0.5,
    ...maybe({ firstEnabledAt: 'now' }),
  };
  return { ...environment, strategies: list(strategy, 2), variants } as unknown as FeatureEnvironment;
}

/** The settings without what makes no difference, with sorted properties. */
function normalised({ strategies, variants }: FeatureEnvironment): string {
  const plain = strategies.map(({ id: _id, sortOrder: _sortOrder, segments, constraints, ...rest }) => ({
    ...rest,
    segments: [...segments].sort(),
    constraints: constraints.map(({ values, value, ...constraint }) => ({
      inverted: false,
      caseInsensitive: false,
      ...constraint,
      compared: constraint.operator === 'IN' ? values : value,
    })),
  }));
  return JSON.stringify([plain, variants], (_key, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

describe('fingerprints', () => {
  it('are equal exactly if the settings are equal', () => {
    const byFingerprint = new Map<string, string>();
    const bySettings = new Map<string, string>();
    const count = atDepth({ quick: 15_000, full: 100_000 });
    for (let each = 0; each < count; each++) {
      const settings = someSettings();
      const [fingerprint, normal] = [atOnce(fingerprintOf(settings)), normalised(settings)];
      expect(byFingerprint.get(fingerprint) ?? normal).toBe(normal);
      expect(bySettings.get(normal) ?? fingerprint).toBe(fingerprint);
      byFingerprint.set(fingerprint, normal);
      bySettings.set(normal, fingerprint);
    }
    expect(byFingerprint.size).toBeGreaterThan(1_000);
    expect(byFingerprint.size).toBeLessThan(count / 2);
    expect(byFingerprint.get('')).toBe('[[],[]]');
  });

  it('cover settings of any size', () => {
    const constraint = { contextName: 'userId', operator: 'IN', values: ['x'.repeat(100)] };
    const strategy = { name: 'default', title: null, disabled: false, parameters: {}, segments: [], variants: [] };
    const settings = (length: number) =>
      ({ strategies: [{ ...strategy, constraints: Array.from({ length }, () => constraint) }], variants: [] }) as never;
    const found = [2_000, 2_001, 2_001].map((length) => atOnce(fingerprintOf(settings(length))));
    expect(found[0]).not.toBe(found[1]);
    expect(found[1]).toBe(found[2]);
    let steps = 0;
    for (const _step of fingerprintOf(settings(2_000))) steps++;
    expect(steps).toBeGreaterThan(3);
  });
});
