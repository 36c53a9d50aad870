import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InvariantError } from '../../src/base/assert.ts';
import {
  type CounterBucket,
  type Counters,
  DELTAS_MAX,
  NAME_BYTES_MAX,
  RECORDERS_MAX,
  type Series,
} from '../../src/stores/counters.ts';
import { type Store, StoreError } from '../../src/stores/store.ts';
import type { StoreBench } from './store-contract.ts';

const HOUR_MS = 3_600_000;

export const SERIES: Series = {
  name: 'flag-uses',
  spanMs: HOUR_MS,
  bucketsMax: 4,
  namesMax: 1_000,
  nameBytesMax: 20_000,
};

const deltasOf = (deltas: Readonly<Record<string, number>>) => new Map(Object.entries(deltas));

export async function readAll(counters: Counters, series = SERIES, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER) {
  const buckets: CounterBucket[] = [];
  for await (const bucket of counters.read({ series, fromMs, toMs })) buckets.push(bucket);
  return buckets;
}

/** What every adapter of `Counters` must do, on a real store. */
export function describeCountersContract(name: string, createBench: () => StoreBench): void {
  describe(`${name}'s counters`, () => {
    let bench: StoreBench;
    let stores: Store[];
    let counters: Counters;

    const open = async (create: () => Store) => {
      const store = create();
      stores.push(store);
      await store.open();
      return store;
    };

    beforeEach(async () => {
      bench = createBench();
      stores = [];
      counters = (await open(() => bench.create())).counters;
    });
    afterEach(async () => {
      for (const store of stores) await store.close();
      await bench.dispose();
    });

    const add = (startMs: number, deltas: ReadonlyMap<string, number>, number: number, recorder = 'a') =>
      counters.add({ series: SERIES, startMs }, deltas, { recorder, number });

    it('are empty at first', async () => {
      expect(await readAll(counters)).toEqual([]);
    });

    it('sum additions in each bucket, and keep the sums when the store is opened again', async () => {
      await add(HOUR_MS, deltasOf({ on: 2, off: 1 }), 1);
      await add(0, deltasOf({ on: 10 }), 2);
      expect(await add(HOUR_MS, deltasOf({ on: 3, 'ä 🚩 : {x}': -4 }), 3)).toMatchObject({ isNew: true, dropped: 0 });
      await stores[0]?.close();
      counters = (await open(() => bench.create())).counters;
      const buckets = [
        { startMs: 0, counts: deltasOf({ on: 10 }), dropped: 0 },
        { startMs: HOUR_MS, counts: deltasOf({ on: 5, off: 1, 'ä 🚩 : {x}': -4 }), dropped: 0 },
      ];
      expect(await readAll(counters)).toEqual(buckets);
      expect(await readAll(counters, SERIES, 1)).toEqual(buckets.slice(1));
      expect(await readAll(counters, SERIES, 0, HOUR_MS)).toEqual(buckets.slice(0, 1));
      expect(await readAll(counters, { ...SERIES, name: 'flag' })).toEqual([]);
      expect(await readAll(counters, { ...SERIES, name: 'flag-uses-by-day' })).toEqual([]);
    });

    it('keep the largest number of a series that folds with max, whatever the recorder and however often it is added', async () => {
      const series: Series = { ...SERIES, name: 'flag-last-uses', fold: 'max' };
      const addTo = (deltas: Readonly<Record<string, number>>, number: number, recorder = 'a') =>
        counters.add({ series, startMs: 0 }, deltasOf(deltas), { recorder, number });
      const newest = 1_790_000_000_123;
      await addTo({ on: newest, off: -5 }, 1);
      await addTo({ on: newest - 1, off: -7 }, 2);
      await addTo({ on: 3 }, 1, 'another');
      await addTo({ on: 3 }, 1, 'another');
      await stores[0]?.close();
      counters = (await open(() => bench.create())).counters;
      expect(await readAll(counters, series)).toEqual([
        { startMs: 0, counts: deltasOf({ on: newest, off: -5 }), dropped: 0 },
      ]);
      const recorders = Array.from({ length: RECORDERS_MAX + 2 }, (_, count) => `recorder-${count}`);
      await Promise.all(recorders.map((recorder, count) => addTo({ on: newest + count }, 1, recorder)));
      expect((await readAll(counters, series))[0]?.counts.get('on')).toBe(newest + RECORDERS_MAX + 1);
      expect(await readAll(counters)).toEqual([]);
    });

    it('count an addition once if it is sent several times, also after the store was opened again', async () => {
      await add(0, deltasOf({ on: 1 }), 7);
      expect(await add(0, deltasOf({ on: 1 }), 7)).toMatchObject({ isNew: false, dropped: 0 });
      await stores[0]?.close();
      counters = (await open(() => bench.create())).counters;
      expect(await add(0, deltasOf({ on: 1 }), 7)).toMatchObject({ isNew: false, dropped: 0 });
      expect(await add(0, deltasOf({ on: 1 }), 6)).toMatchObject({ isNew: false, dropped: 0 });
      expect(await add(0, deltasOf({ on: 1 }), 7, 'another')).toMatchObject({ isNew: true, dropped: 0 });
      expect(await add(HOUR_MS, deltasOf({ on: 1 }), 8)).toMatchObject({ isNew: true, dropped: 0 });
      expect((await readAll(counters)).map(({ counts }) => counts.get('on'))).toEqual([2, 1]);
    });

    it('have the same sums whatever the order of the additions of several recorders, and however often each is sent', async () => {
      const text = fc.constantFrom('on', 'off', '__proto__', 'constructor', 'x'.repeat(200));
      const addition = fc.record({
        recorder: fc.constantFrom('a', 'b', 'c'),
        bucket: fc.nat(2),
        deltas: fc.dictionary(text, fc.integer({ min: -50, max: 1_000 }), { noNullPrototype: true }),
        repeats: fc.nat(1),
      });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(addition, { maxLength: 12 }), fc.infiniteStream(fc.nat()), async (all, picks) => {
          const series = { ...SERIES, name: `round-${String.fromCharCode(97 + (round % 26))}${'x'.repeat(++round)}` };
          const expected = new Map<number, Map<string, number>>();
          const queues = new Map<string, (typeof all)[number][]>();
          for (const one of all) {
            queues.set(one.recorder, [...(queues.get(one.recorder) ?? []), one]);
            const sums = expected.get(one.bucket * HOUR_MS) ?? new Map<string, number>();
            for (const [key, delta] of Object.entries(one.deltas)) sums.set(key, (sums.get(key) ?? 0) + delta);
            expected.set(one.bucket * HOUR_MS, sums);
          }
          const numbers = new Map<string, number>();
          while (queues.size > 0) {
            const recorders = [...queues.keys()];
            const recorder = recorders[(picks.next().value as number) % recorders.length] as string;
            const queue = queues.get(recorder) as (typeof all)[number][];
            const { bucket, deltas, repeats } = queue.shift() as (typeof all)[number];
            if (queue.length === 0) queues.delete(recorder);
            const number = (numbers.get(recorder) ?? 0) + 1;
            numbers.set(recorder, number);
            for (let times = 0; times <= repeats; times++) {
              const target = { series, startMs: bucket * HOUR_MS };
              await counters.add(target, new Map(Object.entries(deltas)), { recorder, number });
            }
          }
          const found = await readAll(counters, series);
          expect(new Map(found.map(({ startMs, counts }) => [startMs, counts]))).toEqual(expected);
        }),
        { numRuns: 15 },
      );
    });

    it('keep at most `namesMax` names in each bucket, count the dropped names, and still count the kept ones', async () => {
      const flood = (from: number) =>
        new Map(Array.from({ length: DELTAS_MAX }, (_, index) => [`flag-${from + index}`, 1]));
      let dropped = 0;
      for (let number = 1; number <= 20; number++) {
        dropped += (await add(0, flood((number - 1) * DELTAS_MAX), number)).dropped;
      }
      expect(dropped).toBe(20 * DELTAS_MAX - SERIES.namesMax);
      expect(await add(0, deltasOf({ 'flag-0': 5, 'one more': 1 }), 21)).toMatchObject({ isNew: true, dropped: 1 });
      const [bucket] = await readAll(counters);
      expect(bucket?.counts.size).toBe(SERIES.namesMax);
      expect(bucket?.counts.get('flag-0')).toBe(6);
      expect(bucket?.dropped).toBe(dropped + 1);
    });

    it('keep at most `nameBytesMax` bytes of names in each bucket', async () => {
      let number = 0;
      for (let index = 0; index < 100; index++) {
        await add(0, new Map([[`${'é'.repeat(NAME_BYTES_MAX / 2 - 2)}${String(index).padStart(4)}`, 1]]), ++number);
      }
      const [bucket] = await readAll(counters);
      expect(bucket?.counts.size).toBe(SERIES.nameBytesMax / NAME_BYTES_MAX);
      expect(bucket?.dropped).toBe(100 - SERIES.nameBytesMax / NAME_BYTES_MAX);
    });

    it('keep the newest `bucketsMax` buckets of each series, whatever the order of the additions', async () => {
      let number = 0;
      const other = { ...SERIES, name: 'other' };
      await counters.add({ series: other, startMs: 0 }, deltasOf({ on: 1 }), { recorder: 'a', number: ++number });
      for (const start of [5, 1, 9, 3, 7, 2, 8, 4, 6, 0]) await add(start * HOUR_MS, deltasOf({ on: start }), ++number);
      // Large enough to be removed in several steps.
      const many = new Map(Array.from({ length: DELTAS_MAX }, (_, index) => [`n${index}`, 1]));
      for (let index = 0; index < 3; index++) {
        const others = new Map([...many.keys()].map((key) => [`${key} ${index}`, 1]));
        await add(9 * HOUR_MS, others, ++number);
      }
      for (const start of [10, 11, 12, 13]) await add(start * HOUR_MS, deltasOf({ on: start }), ++number);
      expect((await readAll(counters)).map(({ startMs, counts }) => [startMs / HOUR_MS, counts.size])).toEqual([
        [10, 1],
        [11, 1],
        [12, 1],
        [13, 1],
      ]);
      expect(await readAll(counters, other)).toHaveLength(1);
    });

    it('accept additions of at most RECORDERS_MAX recorders in each bucket, and drop those of others', async () => {
      const recorders = Array.from({ length: RECORDERS_MAX }, (_, index) => `r${index}`);
      await Promise.all(recorders.map((recorder) => add(0, deltasOf({ on: 1 }), 1, recorder)));
      expect(await add(0, deltasOf({ on: 1, off: 1 }), 1, 'one-more')).toMatchObject({ isNew: true, dropped: 2 });
      expect(await add(0, deltasOf({ on: 1 }), 2, 'r7')).toMatchObject({ isNew: true, dropped: 0 });
      expect(await readAll(counters)).toEqual([
        { startMs: 0, counts: deltasOf({ on: RECORDERS_MAX + 1 }), dropped: 2 },
      ]);
    });

    it('stay at the largest exact number, in both directions', async () => {
      const most = Number.MAX_SAFE_INTEGER;
      for (let number = 1; number <= 3; number++) await add(0, deltasOf({ up: most, down: -most }), number);
      const [bucket] = await readAll(counters);
      expect([bucket?.counts.get('up'), bucket?.counts.get('down')]).toEqual([most, -most]);
    });

    it('refuse invalid additions', async () => {
      const attempt = (startMs: number, deltas: ReadonlyMap<string, number>, number = 1, recorder = 'a') =>
        expect((async () => add(startMs, deltas, number, recorder))()).rejects.toThrow(InvariantError);
      await attempt(-1, deltasOf({ on: 1 }));
      await attempt(1.5, deltasOf({ on: 1 }));
      await attempt(0, deltasOf({ on: 1.5 }));
      await attempt(0, deltasOf({ on: Number.NaN }));
      await attempt(0, deltasOf({ '': 1 }));
      await attempt(0, deltasOf({ ['x'.repeat(NAME_BYTES_MAX + 1)]: 1 }));
      await attempt(0, deltasOf({ on: 1 }), 0);
      await attempt(0, deltasOf({ on: 1 }), 1, '');
      await attempt(0, new Map(Array.from({ length: DELTAS_MAX + 1 }, (_, index) => [`n${index}`, 1])));
      expect(await readAll(counters)).toEqual([]);
    });

    it('throw StoreError once the store is closed', async () => {
      await stores[0]?.close();
      await expect((async () => add(0, deltasOf({ on: 1 }), 1))()).rejects.toThrow(StoreError);
      await expect(readAll(counters)).rejects.toThrow(StoreError);
    });
  });
}
