import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/logger.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { describeCountersContract } from './counters-contract.ts';
import { describeStoreContract, type StoreBench } from './store-contract.ts';

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
