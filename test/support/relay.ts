import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { type Logger, silentLogger } from '../../src/base/logger.ts';
import { readConfig } from '../../src/config.ts';
import { Relay } from '../../src/products/relay/relay.ts';
import type { RelayOptions } from '../../src/products/relay/relay-options.ts';
import { type RunningService, startService } from '../../src/products/server/service.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';

/** Short times, so that tests do not wait as long as users do. */
export const QUICK: Omit<RelayOptions, 'upstreamUrl'> = {
  tokens: [],
  pretrusted: [],
  isStrict: false,
  refreshMs: 50,
  metricsMs: 100,
  revalidateMs: 3_600_000,
  // Only a request that hangs reaches these times: upstream is the same process, on a machine that may be busy.
  connectMs: 60_000,
  timeoutMs: 60_000,
  answers: { eachBytes: 32 * 1024 * 1024, totalBytes: 64 * 1024 * 1024 },
  isStreaming: false,
  authHeader: 'authorization',
  headers: {},
  tls: {},
  appName: 'a-relay',
  instanceId: 'an-instance',
};

export interface TestRelay {
  readonly url: string;
  /** The directory of the store's files, if it was passed; otherwise it is an error to read this. */
  readonly directory: string;
  readonly running: RunningService;
  readonly relay: Relay;
  close(): Promise<void>;
}

export interface TestRelayOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Reuse a directory, as after a restart. */
  readonly directory?: string;
  readonly logger?: Logger;
}

/** A relay in this process, on a free port of the loopback interface, on real LMDB files if their directory is passed. */
export async function startTestRelay(
  upstreamUrl: string,
  options: Partial<RelayOptions> = {},
  { env = {}, directory: passed, logger = silentLogger }: TestRelayOptions = {},
): Promise<TestRelay> {
  const directory = passed ?? (await mkdtemp(join(tmpdir(), 'burgee-relay-')));
  const config = readConfig({ HTTP_HOST: '127.0.0.1', HTTP_PORT: '0', DATA_DIR: directory, ...env });
  const relay = new Relay({ ...QUICK, ...options, upstreamUrl }, systemClock, logger);
  const store = passed === undefined ? new MemoryStore() : new LmdbStore({ directory, logger });
  const running = await startService({ config, store, clock: systemClock, logger, random: Math.random, source: relay });
  return {
    url: `http://127.0.0.1:${running.port}${config.basePath}`,
    get directory() {
      if (passed === undefined) throw new Error('the store of this relay is in memory: pass a directory');
      return passed;
    },
    running,
    relay,
    async close() {
      await running.close();
      if (passed === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}
