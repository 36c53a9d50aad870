import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
