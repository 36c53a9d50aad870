import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { batchOf } from '../store-contract.ts';

/** Counts the turns of the event loop while `work` runs: other work gets that many chances to run. Durations would not be reliable. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let running = true;
  const turn = () => {
    turns += 1;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  running = false;
  return turns;
}

describe('LmdbStore shares the event loop', () => {
  let directory: string;
  let store: LmdbStore;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-loop-'));
    store = new LmdbStore({ directory, logger: silentLogger });
    await store.open();
  });

  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('while it saves, loads and replaces snapshots, with one transaction for each megabyte', async () => {
    await store.append(batchOf(0, [new Uint8Array(10)]));
    const pieces = async function* () {
      for (let index = 0; index < 400; index += 1) yield new Uint8Array(50_000).fill(index);
    };
    for (let round = 0; round < 2; round += 1) {
      // 20 MB: about twenty awaited writes, and hashing in slices of 3 ms.
      expect(await turnsDuring(() => store.saveSnapshot(1, pieces()))).toBeGreaterThan(20);
    }
    const loaded = await store.loadSnapshot();
    const load = async () => {
      for await (const _ of loaded?.pieces ?? []);
    };
    expect(await turnsDuring(load)).toBeGreaterThan(3);
  });

  it('while it trims and reads a long log', async () => {
    for (let tip = 0; tip < 20_000; tip += 1_000) {
      await store.append(batchOf(tip, Array(1_000).fill(new Uint8Array(200)), [tip + 1]));
    }
    expect(await turnsDuring(() => store.read(1, 20_000))).toBeGreaterThan(3);
    await store.saveSnapshot(
      20_000,
      (async function* () {
        yield new Uint8Array(1);
      })(),
    );
    expect(await turnsDuring(() => store.trim(20_000))).toBeGreaterThan(20_000 / 256);
  });

  it('and appends wait for one slice of a snapshot that is being saved, not for all of it', async () => {
    await store.append(batchOf(0, [new Uint8Array(10)]));
    let saved = false;
    const pieces = async function* () {
      for (let index = 0; index < 400; index += 1) yield new Uint8Array(50_000).fill(index);
    };
    const saving = store.saveSnapshot(1, pieces()).then(() => {
      saved = true;
    });
    let tip = 1;
    while (!saved) {
      await store.append(batchOf(tip, [new Uint8Array(10)]));
      tip += 1;
    }
    await saving;
    expect(tip).toBeGreaterThan(10);
  });
});
