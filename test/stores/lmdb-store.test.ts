import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { describeCountersContract } from './counters-contract.ts';
import { batchOf, describeStoreContract, type StoreBench } from './store-contract.ts';

const bench = (): StoreBench => {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-'));
  return {
    create: () => new LmdbStore({ directory, logger: silentLogger }),
    // As if the directory lock had failed: the log must not fork even then.
    createSecond: () =>
      new LmdbStore({ directory, logger: silentLogger, lock: async () => ({ release: async () => {} }) }),
    dispose: async () => rmSync(directory, { recursive: true, force: true }),
  };
};

describeStoreContract('LmdbStore', bench);
describeCountersContract('LmdbStore', bench);

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
