import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/base/yield-control.ts';
import { ImpactMetrics } from '../../../src/features/impact-metrics/impact-metrics.ts';
import { SafeguardSamples } from '../../../src/features/safeguards/measuring.ts';
import { BOUNDS_MAX, MetricReadings, Reading } from '../../../src/features/safeguards/reading.ts';
import type { Safeguard } from '../../../src/model/safeguard.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const MINUTE_MS = 60_000;
const SCOPE = { environment: 'development', projects: null };
const SERVER = { scope: SCOPE, appName: 'shop', isPublic: false };

const safeguard = (rest: Partial<Safeguard>): Safeguard => ({
  id: 'guard',
  metricName: 'measured',
  labels: {},
  aggregation: 'count',
  operator: '>',
  threshold: 10,
  windowMinutes: 10,
  action: 'pause',
  ...rest,
});

/** A safeguard whose metrics are sampled every minute. */
class World {
  readonly metrics = new ImpactMetrics();
  nowMs = 1_000_000;
  readonly #safeguard: Safeguard;
  readonly #environment: string;
  readonly #samples: SafeguardSamples;

  constructor(rest: Partial<Safeguard>, environment = 'development') {
    this.#safeguard = safeguard(rest);
    this.#environment = environment;
    this.#samples = new SafeguardSamples(this.#safeguard, this.nowMs);
    this.sample();
  }

  report(type: string, sample: object, source: Parameters<ImpactMetrics['report']>[1] = SERVER): void {
    this.metrics.report([{ name: 'measured', type, samples: [sample] }], source, this.nowMs);
  }

  sample(): void {
    const reading = new Reading(this.#safeguard, this.#environment, this.nowMs);
    for (const series of this.metrics.readings('measured')) reading.add(series);
    if (this.#samples.isDue(this.nowMs)) this.#samples.add(reading, this.nowMs);
  }

  pass(minutes = 1): void {
    for (let count = 0; count < minutes; count++) {
      this.nowMs += MINUTE_MS;
      this.sample();
    }
  }

  /** Time in which no samples are taken; negative: the clock is set back. */
  wait(minutes: number): void {
    this.nowMs += minutes * MINUTE_MS;
    this.sample();
  }

  get value(): number | undefined {
    return this.#samples.value(this.nowMs);
  }

  get tripped(): number | undefined {
    return this.#samples.tripped(this.nowMs);
  }

  get size(): number {
    return this.#samples.size;
  }
}

describe('the samples of a safeguard', () => {
  it('are the increase of a counter in the window, whatever it was before, per second for `rps`', () => {
    for (const [aggregation, expected] of [
      ['count', 60],
      ['rps', 1],
    ] as const) {
      const world = new World({ aggregation });
      world.report('counter', { value: 60 });
      world.pass();
      expect(world.value).toBe(expected);
      world.pass(9);
      expect(world.value).toBe(aggregation === 'count' ? 60 : 0.1);
      world.pass();
      expect(world.value).toBe(0);
    }
  });

  it('compare too little only when the window is full, and nothing without reports', () => {
    const world = new World({ operator: '<', windowMinutes: 3 });
    world.pass(5);
    expect(world.tripped).toBeUndefined();
    world.report('counter', { value: 1 });
    world.pass();
    expect(world.tripped).toBe(1);
    const fresh = new World({ operator: '<', windowMinutes: 3 });
    fresh.report('counter', { value: 1 });
    fresh.pass(2);
    expect(fresh.tripped).toBeUndefined();
    fresh.pass();
    expect(fresh.tripped).toBe(1);
  });

  it('count only series of the environment with one of the values of each label, and no reports of pages', () => {
    const world = new World({ labels: { service: ['a', 'b'], region: ['eu'] } });
    for (const labels of [
      { service: 'a', region: 'eu' },
      { service: 'b', region: 'eu' },
    ])
      world.report('counter', { value: 1, labels });
    for (const labels of [{ service: 'c', region: 'eu' }, { service: 'a' }, { service: 'a', region: 'us' }])
      world.report('counter', { value: 100, labels });
    const production = { scope: { ...SCOPE, environment: 'production' }, appName: 'shop', isPublic: false };
    world.report('counter', { value: 100, labels: { service: 'a', region: 'eu' } }, production);
    world.report('counter', { value: 100, labels: { service: 'a', region: 'eu' } }, { ...SERVER, isPublic: true });
    world.pass();
    expect(world.value).toBe(2);
    const ofPages = new World({ labels: { origin: ['browser'] } });
    ofPages.report('counter', { value: 7 }, { ...SERVER, isPublic: true });
    ofPages.pass();
    expect(ofPages.value).toBe(7);
  });

  it('are the mean, the largest, the sum and the last value of gauges', () => {
    for (const [aggregation, expected] of [
      ['avg', 5],
      ['max', 9],
      ['sum', 4],
      ['last', 2],
    ] as const) {
      const world = new World({ aggregation });
      for (const [one, other] of [
        [7, 9],
        [3, 1],
      ]) {
        world.report('gauge', { value: one, labels: { instance: '1' } });
        world.report('gauge', { value: other, labels: { instance: '2' } });
        world.pass();
      }
      expect([aggregation, world.value]).toEqual([aggregation, expected]);
    }
  });

  it('are the mean and the quantiles of what a histogram observed in the window', () => {
    const observed = {
      sum: 60,
      count: 10,
      buckets: [
        { le: 5, count: 5 },
        { le: 10, count: 9 },
      ],
    };
    for (const [aggregation, expected] of [
      ['avg', 6],
      ['p50', 5],
      ['p95', 10],
      ['p99', 10],
    ] as const) {
      const world = new World({ aggregation, windowMinutes: 2 });
      world.report('histogram', observed);
      world.pass();
      expect([aggregation, world.value]).toEqual([aggregation, expected]);
      world.pass(2);
      expect(world.value).toBeUndefined();
    }
  });

  it('are not compared as quantiles with too many different bounds of buckets, which the mean does not need', () => {
    for (const [services, p50, mean] of [
      [2, 1, 1],
      [3, undefined, 1],
    ] as const) {
      const [quantile, average] = [new World({ aggregation: 'p50' }), new World({ aggregation: 'avg' })];
      for (const world of [quantile, average]) {
        for (let service = 0; service < services; service++) {
          const bounds = Array.from({ length: 39 }, (_, at) => 1 + (at * services + service) * 1_000);
          const labels = { service: String(service) };
          world.report('histogram', {
            sum: 2,
            count: 2,
            labels,
            buckets: bounds.map((le) => ({ le, count: 2 })),
          });
        }
        world.pass();
      }
      expect(services * 39 + 1 > BOUNDS_MAX).toBe(p50 === undefined);
      expect(average.value).toBe(mean);
      if (p50 === undefined) expect(quantile.value).toBeUndefined();
      else expect(quantile.value).toBeGreaterThan(0);
    }
  });

  it('never see an increase in a counter that began again', () => {
    const world = new World({});
    world.report('counter', { value: 50 });
    world.pass();
    world.metrics.clear();
    world.report('counter', { value: 3 });
    world.pass();
    expect(world.value).toBe(50);
  });

  it('begin again after a gap and after a clock that was set back', () => {
    const tooMany = new World({ threshold: 20 });
    tooMany.pass(10);
    tooMany.report('counter', { value: 30 });
    tooMany.wait(300);
    expect([tooMany.value, tooMany.tripped]).toEqual([undefined, undefined]);
    tooMany.report('counter', { value: 25 });
    tooMany.pass();
    expect(tooMany.tripped).toBe(25);
    for (const minutes of [120, -60]) {
      const tooFew = new World({ operator: '<', threshold: 50, windowMinutes: 60 });
      const steady = (count: number) => {
        for (let passed = 0; passed < count; passed++) {
          tooFew.report('counter', { value: 10 });
          tooFew.pass();
        }
      };
      steady(70);
      tooFew.wait(minutes);
      steady(59);
      expect([minutes, tooFew.value]).toEqual([minutes, undefined]);
      steady(1);
      expect([minutes, tooFew.value]).toEqual([minutes, 600]);
    }
  });

  it('keep what they have when one check is missed', () => {
    const world = new World({});
    world.report('counter', { value: 4 });
    world.pass();
    world.report('counter', { value: 5 });
    world.wait(2);
    expect(world.value).toBe(9);
  });

  it('are at most 60, and stay right for any window and any reports', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_440 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 100 }),
        (windowMinutes, values) => {
          const world = new World({ windowMinutes });
          for (const value of values) {
            if (value > 0) world.report('counter', { value });
            world.pass();
          }
          expect(world.size).toBeLessThanOrEqual(60);
          const all = values.reduce((sum, value) => sum + value, 0);
          expect(world.value ?? 0).toBeLessThanOrEqual(all);
          if (windowMinutes <= 60)
            expect(world.value ?? 0).toBe(values.slice(-windowMinutes).reduce((sum, value) => sum + value, 0));
        },
      ),
      { numRuns: atDepth({ quick: 50, full: 2_000 }) },
    );
  });
});

it('the readings of several safeguards of a metric are those of each alone', () => {
  const labels = fc.dictionary(
    fc.constantFrom('service', 'region', 'origin', 'environment', '__proto__'),
    fc.array(fc.constantFrom('a', 'b', 'browser', 'development'), { maxLength: 3 }),
    { maxKeys: 2 },
  );
  const guards = fc.array(
    fc.record({
      labels,
      aggregation: fc.constantFrom('count', 'avg', 'max', 'p95' as const),
      windowMinutes: fc.nat(1),
    }),
    { maxLength: 8 },
  );
  const metrics = new ImpactMetrics();
  for (const [index, [type, service, region]] of [
    ['counter', 'a', 'a'] as const,
    ['counter', 'a', 'b'] as const,
    ['gauge', 'b', 'a'] as const,
    ['histogram', 'a', 'a'] as const,
    ['histogram', 'b', 'b'] as const,
  ].entries()) {
    for (const isPublic of [false, true]) {
      const own = JSON.parse(`{ "service": "${service}", "region": "${region}", "__proto__": "a" }`);
      const sample = { value: index + 1, sum: index, count: 3, buckets: [{ le: index, count: 2 }], labels: own };
      metrics.report([{ name: 'measured', type, samples: [sample] }], { ...SERVER, isPublic }, index * MINUTE_MS);
    }
  }
  fc.assert(
    fc.property(guards, (drawn) => {
      const nowMs = 3 * MINUTE_MS;
      const together = new MetricReadings(nowMs);
      const compared = drawn.map((rest) => {
        const own = safeguard(rest);
        return { reading: together.of(own, 'development'), alone: new Reading(own, 'development', nowMs) };
      });
      for (const series of metrics.readings('measured')) {
        atOnce(together.add(series));
        for (const { alone } of compared) alone.add(series);
      }
      for (const { reading, alone } of compared) expect(reading.totals).toEqual(alone.totals);
    }),
    { numRuns: atDepth({ quick: 100, full: 5_000 }) },
  );
});
