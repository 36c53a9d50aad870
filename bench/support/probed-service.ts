import { systemClock } from '../../src/base/clock.ts';
import { createLogger } from '../../src/base/logger.ts';
import { readConfig } from '../../src/config.ts';
import { readRelay } from '../../src/products/relay/serve.ts';
import { startService } from '../../src/products/server/service.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { LoopProbe } from './loop-probe.ts';

/**
 * The service as `main.ts` starts it, or a relay if `UPSTREAM_URL` is set, with a probe on its event loop. Its parent controls it by messages: see
 * `probed.ts`.
 */
const relay = process.env.UPSTREAM_URL === undefined ? undefined : await readRelay(process.env);
const config = relay?.config ?? readConfig(process.env);
const logger = createLogger(config.logLevel);
const store = relay ? new MemoryStore() : new LmdbStore({ directory: config.dataDirectory, logger });
const source = relay && { source: relay.source(systemClock, logger) };
const service = await startService({ config, store, clock: systemClock, logger, random: Math.random, ...source });
const probe = new LoopProbe();

process.on('message', async (order: 'holds' | 'snapshot') => {
  if (order === 'holds') {
    process.send?.(probe.take());
    return;
  }
  const startedMs = performance.now();
  const info = await service.snapshotter.snapshot();
  process.send?.({ tookMs: performance.now() - startedMs, sizeBytes: info?.sizeBytes ?? 0 });
});

async function stop(): Promise<void> {
  probe.stop();
  await service.close();
  process.exit(0);
}
process.once('SIGTERM', stop);
process.once('disconnect', stop);
