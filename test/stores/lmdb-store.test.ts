import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { describeCountersContract } from './counters-contract.ts';
import { batchOf, describeStoreContract, type StoreBench } from './store-contract.ts';

const bench = (directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-'))): StoreBench => {
  return {
    create: () => new LmdbStore({ directory, logger: silentLogger }),
    // As if the directory lock had failed: the log must not fork even then.
    createSecond: () =>
      new LmdbStore({ directory, logger: silentLogger, lock: async () => ({ release: async () => {} }) }),
    dispose: async () => rmSync(directory, { recursive: true, force: true }),
  };
};

describeStoreContract('LmdbStore', () => bench());
describeCountersContract('LmdbStore', () => bench());

it('an LMDB store that is opened again knows which write is its newest, and of older ones that it does not', async () => {
  const place = bench();
  const first = place.create();
  const { epoch } = await first.open();
  const batches = [batchOf(0, [Uint8Array.of(1)]), batchOf(1, [Uint8Array.of(2)])];
  for (const batch of batches) await first.append(batch);
  await first.close();
  const again = place.create();
  await again.open();
  expect(again.lineAt(2)).toEqual({ epoch, seq: 2, writeId: batches[1]?.writeId, ancestors: [] });
  expect(again.lineAt(1)).toEqual({ epoch, seq: 1, writeId: '', ancestors: [] });
  await again.close();
  await place.dispose();
});

it('an LMDB store of an older version loses what that searched its events by, and nothing else', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-'));
  const place = bench(directory);
  const tables = async () => {
    const root = open({ path: directory, noSubdir: false, encoding: 'binary', readOnly: true });
    const names = [...root.getKeys()];
    await root.close();
    return names;
  };
  const first = place.create();
  await first.open();
  await first.append({ ...batchOf(0, [Uint8Array.of(1)]), events: [{ id: 1, bytes: Uint8Array.of(2) }] });
  await first.close();
  expect(await tables()).not.toContain('facts');
  const root = open({ path: directory, noSubdir: false, encoding: 'binary' });
  const facts = root.openDB('facts', { encoding: 'binary', cache: false });
  await root.batch(() => {
    for (let page = 0; page < 100; page++) facts.put(page, Buffer.alloc(8_004, page));
  });
  await root.close();
  for (let start = 0; start < 2; start++) {
    const again = place.create();
    await again.open();
    expect(await again.readEventsForward(1, 10)).toMatchObject([{ id: 1 }]);
    expect(await again.tip()).toBe(1);
    await again.close();
    expect(await tables()).not.toContain('facts');
  }
  await place.dispose();
});
