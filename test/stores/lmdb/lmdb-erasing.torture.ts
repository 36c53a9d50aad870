import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { filesWith } from '../../support/http/raw-bytes.ts';
import { StoreChild } from '../children.ts';
import { dropThrough } from '../store-contract.ts';
import { batch, expectWhole, type Filling, fill, pieces, SECRET } from './erased-store.ts';

const FILLING: Filling = { trimmedSeq: 150, secretSeq: 300, snapshotSeq: 360, tip: 450 };
const bytes = (content: string) => new TextEncoder().encode(content);

describe('LmdbStore that erases what it trims', () => {
  let directory: string;
  let stores: LmdbStore[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-erasing-'));
    stores = [];
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const open = async () => {
    const store = new LmdbStore({ directory, logger: silentLogger });
    stores.push(store);
    return { store, opening: await store.open() };
  };

  it('leaves no trimmed content in any file, and keeps everything else', async () => {
    const { store, opening } = await open();
    await fill(store, FILLING);
    await store.trim(300);
    expect(filesWith(directory, SECRET)).toEqual(['data.mdb']);
    await store.trim(360, { erase: true });
    expect(filesWith(directory, SECRET)).toEqual([]);
    expect(existsSync(join(directory, 'rewritten'))).toBe(false);
    await expectWhole(store, 360, 361, 450);
    expect((await store.append(batch(450, 'harmless'))).status).toBe('appended');
    await store.close();
    const again = await open();
    expect(again.opening).toEqual({ epoch: opening.epoch, tip: 453, firstSeq: 361, hasResidue: false });
    await expectWhole(again.store, 360, 361, 453);
  });

  it('keeps the counts, which can be read while it erases', async () => {
    const { store } = await open();
    await fill(store, FILLING);
    const series = { name: 'test', spanMs: 1_000, bucketsMax: 9, namesMax: 5_000, nameBytesMax: 1_000_000 };
    const deltas = new Map(Array.from({ length: 250 }, (_, at) => [`name-${at}`, at + 1]));
    for (const startMs of [0, 1_000]) {
      await store.counters.add({ series, startMs }, deltas, { recorder: 'r', number: 1 + startMs });
    }
    const counted = async () => {
      const buckets = [];
      for await (const bucket of store.counters.read({ series, fromMs: 0, toMs: 9_000 })) buckets.push(bucket.counts);
      return buckets;
    };
    let erased = false;
    const erasing = store.trim(360, { erase: true }).then(() => {
      erased = true;
    });
    while (!erased) {
      expect(await counted()).toEqual([deltas, deltas]);
      // A read of one slice does not yield to other work by itself.
      await setImmediate();
    }
    await erasing;
    expect(await counted()).toEqual([deltas, deltas]);
    await store.close();
    const { store: again } = await open();
    const buckets = [];
    for await (const { counts } of again.counters.read({ series, fromMs: 0, toMs: 9_000 })) buckets.push(counts);
    expect(buckets).toEqual([deltas, deltas]);
  });

  it('serves appends and reads while it erases', async () => {
    const { store } = await open();
    await fill(store, FILLING);
    let tip = 450;
    let erased = false;
    const erasing = store.trim(360, { erase: true }).then(() => {
      erased = true;
    });
    for (let rounds = 0; !erased || rounds < 20; rounds += 1) {
      await store.append(batch(tip, 'harmless'));
      tip += 3;
      expect((await store.read(tip - 2, 3)).map(({ seq }) => seq)).toEqual([tip - 2, tip - 1, tip]);
    }
    await erasing;
    await expectWhole(store, 360, 361, tip);
    expect(filesWith(directory, SECRET)).toEqual([]);
    await store.close();
    await expectWhole((await open()).store, 360, 361, tip);
  });

  it('keeps the counters, with the additions made while it erases', async () => {
    const { store } = await open();
    await fill(store, FILLING);
    const series = { name: 'uses', spanMs: 1_000, bucketsMax: 10, namesMax: 20_000, nameBytesMax: 1_000_000 };
    const names = (number: number) =>
      new Map(Array.from({ length: 256 }, (_, index) => [`${number} ${index}`, number]));
    const add = (number: number) =>
      store.counters.add({ series, startMs: 0 }, names(number), { recorder: 'a', number });
    for (let number = 1; number <= 30; number++) await add(number);
    const trimming = store.trim(360, { erase: true });
    for (let number = 31; number <= 40; number++) await add(number);
    await trimming;
    await store.close();
    const { store: again } = await open();
    for await (const { counts } of again.counters.read({ series, fromMs: 0, toMs: 1 })) {
      expect(counts.size).toBe(40 * 256);
      expect(counts.get('40 255')).toBe(40);
    }
    expect(again.status()).toEqual({ reachable: true });
  });

  it('does not keep audit events that are dropped while it erases', async () => {
    const { store } = await open();
    await fill(store, FILLING);
    const events = Array.from({ length: 3_000 }, (_, index) => ({
      id: 1_001 + index,
      bytes: bytes(`event ${1_001 + index} `.padEnd(400, '.')),
    }));
    await store.append({ ...batch(450, 'harmless'), events });
    const erasing = store.trim(360, { erase: true });
    await dropThrough(store, 3_100);
    await erasing;
    await dropThrough(store, 3_200);
    const check = async (reader: LmdbStore) => {
      const ids = (await reader.readEventsForward(1, 10_000)).map(({ id }) => id);
      expect(ids).toEqual(Array.from({ length: 800 }, (_, index) => 3_201 + index));
    };
    await check(store);
    await store.close();
    await check((await open()).store);
  });

  it('stops when the store is closed, and keeps all entries that are not trimmed', async () => {
    const { store } = await open();
    await fill(store, FILLING);
    const erasing = store.trim(360, { erase: true }).catch((error: Error) => error);
    await store.close();
    const outcome = await erasing;
    const again = await open();
    expect(again.opening.hasResidue).toBe(outcome !== undefined);
    await expectWhole(again.store, 360, 361, 450);
  });

  it('keeps every acknowledged entry, and nothing that was erased, whatever the moment of the kill', async () => {
    const marks: string[] = [];
    let acknowledged = 0;
    let finished = 0;
    for (let round = 0; round < 12; round += 1) {
      const mark = `SECRET-OF-ROUND-${round}-`;
      const child = new StoreChild('erases', directory, { argument: mark });
      try {
        const { opening } = await child.line((line) => line.opening !== undefined);
        expect(opening?.tip).toBeGreaterThanOrEqual(acknowledged);
        await child.line((line) => (round % 3 === 0 ? line.erased : line.erasing) !== undefined);
        await sleep((round * 37) % 50);
      } finally {
        await child.kill();
      }
      acknowledged = Math.max(0, ...child.lines.map(({ tip }) => tip ?? 0));
      const erased = Math.max(0, ...child.lines.map((line) => line.erased ?? 0));
      finished += erased > 0 ? 1 : 0;
      const { store, opening } = await open();
      expect(opening.tip).toBeGreaterThanOrEqual(acknowledged);
      const entries = await store.read(opening.firstSeq, opening.tip);
      expect(entries.length).toBe(opening.tip - opening.firstSeq + 1);
      expect(opening.firstSeq).toBeGreaterThan(erased);
      await store.saveSnapshot(opening.tip, pieces('clean'));
      await store.trim(opening.tip, { erase: true });
      await store.close();
      marks.push(mark);
      for (const each of marks) expect(filesWith(directory, each)).toEqual([]);
    }
    expect(finished).toBeGreaterThanOrEqual(4);
  });
});
