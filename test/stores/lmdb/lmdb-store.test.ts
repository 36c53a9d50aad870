import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { describeCountersContract } from '../counters-contract.ts';
import { batchOf, describeStoreContract, type StoreBench } from '../store-contract.ts';

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

it('an LMDB store that is opened again has the id of its newest write, and no ids of older ones', async () => {
  const storeBench = bench();
  const first = storeBench.create();
  const { epoch } = await first.open();
  const batches = [batchOf(0, [Uint8Array.of(1)]), batchOf(1, [Uint8Array.of(2)])];
  for (const batch of batches) await first.append(batch);
  await first.close();
  const again = storeBench.create();
  await again.open();
  expect(again.lineAt(2)).toEqual({ epoch, seq: 2, writeId: batches[1]?.writeId, ancestors: [] });
  expect(again.lineAt(1)).toEqual({ epoch, seq: 1, writeId: '', ancestors: [] });
  await again.close();
  await storeBench.dispose();
});

it('an LMDB store of an older version loses its search index of events when it is opened, and nothing else', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-'));
  const storeBench = bench(directory);
  const tables = async () => {
    const root = open({ path: directory, noSubdir: false, encoding: 'binary', readOnly: true });
    const names = [...root.getKeys()];
    await root.close();
    return names;
  };
  const first = storeBench.create();
  await first.open();
  await first.append({ ...batchOf(0, [Uint8Array.of(1)]), events: [{ id: 1, bytes: Uint8Array.of(2) }] });
  await first.close();
  expect(await tables()).not.toContain('facts');
  const root = open({ path: directory, noSubdir: false, encoding: 'binary' });
  const oldIndex = root.openDB('facts', { encoding: 'binary', cache: false });
  await root.batch(() => {
    for (let page = 0; page < 100; page++) oldIndex.put(page, Buffer.alloc(8_004, page));
  });
  await root.close();
  for (let start = 0; start < 2; start++) {
    const again = storeBench.create();
    await again.open();
    expect(await again.readEventsForward(1, 10)).toMatchObject([{ id: 1 }]);
    expect(await again.tip()).toBe(1);
    await again.close();
    expect(await tables()).not.toContain('facts');
  }
  await storeBench.dispose();
});
