import { describe, expect, it } from 'vitest';
import { type Logger, silentLogger } from '../../../src/base/logger.ts';
import { CounterRecorder } from '../../../src/features/usage/counter-recorder.ts';
import { DELTAS_MAX, NAME_BYTES_MAX } from '../../../src/stores/counters.ts';
import { MemoryBacking, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { readAll, SERIES } from '../../stores/counters-contract.ts';
import { ManualClock } from '../../support/manual-clock.ts';

async function prepare(options: { waitingNamesMax?: number } = {}) {
  const backing = new MemoryBacking();
  const store = new MemoryStore({ backing });
  await store.open();
  const clock = new ManualClock(10 * SERIES.spanMs + 5);
  const start = (recorder: string) =>
    new CounterRecorder(store.counters, clock, silentLogger, { recorder, flushMs: 1_000, ...options });
  return { store, clock, start, recorder: start('first'), sums: () => readAll(store.counters) };
}

/** Lets promises that are ready run as far as they can. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

describe('the recorder of counters', () => {
  it('hands counts over at an interval, each to the bucket of its time', async () => {
    const { recorder, clock, sums } = await prepare();
    recorder.count(SERIES, 'on');
    recorder.count(SERIES, 'on', 2);
    recorder.count(SERIES, 'off', 1, 8 * SERIES.spanMs + 7);
    recorder.count(SERIES, 'off', 1, 99 * SERIES.spanMs);
    expect(await sums()).toEqual([]);
    expect(recorder.risk).toMatchObject({ waitingNames: 3, waitingSince: '1970-01-01T10:00:00.005Z' });
    await settle();
    clock.advance(1_000);
    await settle();
    recorder.count(SERIES, 'on');
    clock.advance(1_000);
    await settle();
    expect(await sums()).toEqual([
      { startMs: 8 * SERIES.spanMs, counts: new Map([['off', 1]]), dropped: 0 },
      {
        startMs: 10 * SERIES.spanMs,
        counts: new Map([
          ['on', 4],
          ['off', 1],
        ]),
        dropped: 0,
      },
    ]);
    expect(recorder.risk).toEqual({ waitingNames: 0, waitingSince: null, refused: 0, dropped: 0, lost: 0 });
    await recorder.close();
  });

  it('reports counts as lost that the store accepted and no longer has, when it next adds to the same bucket', async () => {
    const { store, clock } = await prepare();
    let isEmptied = false;
    const { counters } = store;
    const recorder = new CounterRecorder(
      {
        read: (range) => counters.read(range),
        async add(bucket, deltas, flush) {
          const isFirst = isEmptied || flush.number === 1;
          isEmptied = false;
          return { ...(await counters.add(bucket, deltas, flush)), isFirst };
        },
      },
      clock,
      silentLogger,
      { recorder: 'only', flushMs: 1_000 },
    );
    for (const name of ['a', 'b', 'c']) recorder.count(SERIES, name);
    await recorder.flush();
    expect(recorder.risk.lost).toBe(0);
    isEmptied = true;
    recorder.count(SERIES, 'a');
    await recorder.flush();
    expect(recorder.risk.lost).toBe(3);
    recorder.count(SERIES, 'a');
    await recorder.flush();
    expect(recorder.risk.lost).toBe(3);
    await recorder.close();
  });

  it('hands over everything at a stop, and nothing is missing after the next start', async () => {
    const { recorder, start, sums } = await prepare();
    for (let index = 0; index < 3 * DELTAS_MAX + 1; index++) recorder.count(SERIES, `flag-${index}`);
    await recorder.close();
    const next = start('second');
    next.count(SERIES, 'flag-0');
    await next.close();
    const [bucket] = await sums();
    expect(bucket?.counts.size).toBe(3 * DELTAS_MAX + 1);
    expect(bucket?.counts.get('flag-0')).toBe(2);
  });

  it('loses the counts since the last flush in a crash, and reports their number before', async () => {
    const { recorder, start, sums } = await prepare();
    recorder.count(SERIES, 'kept', 5);
    await recorder.flush();
    recorder.count(SERIES, 'lost', 5);
    expect(recorder.risk.waitingNames).toBe(1);
    // The first recorder is not used any more, as after a kill.
    const next = start('second');
    next.count(SERIES, 'kept');
    await next.close();
    expect((await sums())[0]?.counts).toEqual(new Map([['kept', 6]]));
  });

  it('counts nothing twice and loses nothing while the store fails or loses answers, and counting continues', async () => {
    const { recorder, store, sums } = await prepare();
    const add = store.counters.add.bind(store.counters);
    let failing: 'before' | 'after' | null = null;
    store.counters.add = async (...addition) => {
      if (failing === 'before') throw new StoreError('away', 'not-appended');
      const added = await add(...addition);
      if (failing === 'after') throw new StoreError('the answer got lost', 'unknown');
      return added;
    };
    const expected = new Map<string, number>();
    for (let round = 0; round < 30; round++) {
      failing = ([null, 'before', 'after'] as const)[round % 3] ?? null;
      for (let index = 0; index < 400; index++) {
        const name = `flag-${(index * (round + 1)) % 700}`;
        recorder.count(SERIES, name, round);
        expected.set(name, (expected.get(name) ?? 0) + round);
      }
      await recorder.flush();
      if (failing) expect(recorder.risk.waitingNames).toBeGreaterThan(0);
    }
    failing = null;
    await recorder.close();
    expect((await sums())[0]?.counts).toEqual(expected);
    expect(recorder.risk).toMatchObject({ waitingNames: 0, refused: 0, dropped: 0, lost: 0 });
  });

  it('keeps at most `waitingNamesMax` names in a flood of names, and reports how many it refused', async () => {
    const { recorder, store, sums } = await prepare({ waitingNamesMax: 500 });
    store.faults.beforeCounters = () => {
      throw new StoreError('away', 'not-appended');
    };
    for (let round = 0; round < 10; round++) {
      for (let index = 0; index < 1_000; index++) recorder.count(SERIES, `flag-${round}-${index}`);
      recorder.count(SERIES, 'flag-0-0');
      await recorder.flush();
    }
    recorder.count(SERIES, '');
    recorder.count(SERIES, 'x'.repeat(NAME_BYTES_MAX + 1));
    for (let hour = 0; hour <= 6; hour++) recorder.count(SERIES, 'too old', 1, hour * SERIES.spanMs);
    // Once handed over, a name needs a slot again: 500 got one, all others got none.
    expect(recorder.risk.waitingNames).toBe(500);
    expect(recorder.risk.refused).toBe(10_000 + 9 + 2 + 7 - 500);
    store.faults.beforeCounters = undefined;
    await recorder.close();
    expect((await sums())[0]?.counts.size).toBe(500);
  });

  it('uses one slot for a waiting name, and one for its new counts, however long the store is unreachable', async () => {
    const { recorder, store } = await prepare();
    const series = { ...SERIES, namesMax: 4_000, nameBytesMax: 100_000 };
    let away = false;
    store.faults.beforeCounters = () => {
      if (away) throw new StoreError('away', 'not-appended');
    };
    recorder.count(series, 'flag-0');
    await recorder.flush();
    away = true;
    for (let round = 0; round < 200; round++) {
      for (let index = 0; index < 3_000; index++) recorder.count(series, `flag-${index}`);
      await recorder.flush();
      expect(recorder.risk.waitingNames).toBe(round === 0 ? 3_000 : 6_000);
    }
    expect(recorder.risk.refused).toBe(0);
    away = false;
    await recorder.flush();
    expect(recorder.risk).toEqual({ waitingNames: 0, waitingSince: null, refused: 0, dropped: 0, lost: 0 });
    const [bucket] = await readAll(store.counters, series);
    expect(bucket?.counts.size).toBe(3_000);
    for (const [name, sum] of bucket?.counts ?? []) expect(sum).toBe(name === 'flag-0' ? 201 : 200);
    await recorder.close();
  });

  it('logs each outage of the store once, however often it tries to hand counts over', async () => {
    const { store, clock } = await prepare();
    const warnings: string[] = [];
    const logger = {
      ...silentLogger,
      warn: (_fields: object, text: string) => warnings.push(text),
    } as unknown as Logger;
    const recorder = new CounterRecorder(store.counters, clock, logger, { recorder: 'only', flushMs: 1_000 });
    const outage = async () => {
      store.faults.beforeCounters = () => {
        throw new StoreError('away', 'not-appended');
      };
      for (let attempt = 0; attempt < 3; attempt++) {
        recorder.count(SERIES, 'on');
        await recorder.flush();
      }
      store.faults.beforeCounters = undefined;
      await recorder.flush();
    };
    await outage();
    expect(warnings).toEqual([expect.stringContaining('the store does not accept counts now')]);
    await outage();
    expect(warnings).toHaveLength(2);
    await recorder.close();
  });

  it('reports the names that the store dropped', async () => {
    const { recorder, sums } = await prepare();
    for (let index = 0; index < SERIES.namesMax + 44; index++) recorder.count(SERIES, `flag-${index}`);
    await recorder.close();
    expect(recorder.risk.dropped).toBe(44);
    expect((await sums())[0]?.dropped).toBe(44);
  });
});
