import { systemClock } from '../../src/base/clock.ts';
import { createLogger } from '../../src/base/logger.ts';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/products/server/service.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { LoopProbe } from './loop-probe.ts';

/** The service as `main.ts` starts it, with a probe on its event loop. Its parent controls it by messages: see `probed.ts`. */
const config = readConfig(process.env);
const logger = createLogger(config.logLevel);
const store = new LmdbStore({ directory: config.dataDirectory, logger });
const service = await startService({ config, store, clock: systemClock, logger, random: Math.random });
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
