import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../../../src/base/clock.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { readConfig } from '../../../src/config.ts';
import { chooseStore } from '../../../src/products/server/open-store.ts';
import { startService } from '../../../src/products/server/service.ts';

/** Memory of a process after garbage collection, in bytes. */
export interface Memory {
  /** Objects, and the buffers they hold outside the heap. */
  readonly keptBytes: number;
  readonly residentBytes: number;
}

/** The service as `main.ts` starts it. When its parent sends a message, it collects garbage and sends its memory: see `soak.ts`. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const config = readConfig(process.env);
const logger = createLogger(config.logLevel);
const { store, copy } = await chooseStore(config, systemClock, logger);
const service = await startService({ config, store, copy, clock: systemClock, logger, random: Math.random });

process.on('message', async () => {
  // Finalisers of the first collection release buffers that the second one frees.
  for (let count = 0; count < 3; count++) {
    collect();
    await sleep(5);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  const memory: Memory = { keptBytes: heapUsed + external, residentBytes: rss };
  process.send?.(memory);
});

async function stop(): Promise<void> {
  await service.close();
  process.exit(0);
}
process.once('SIGTERM', stop);
process.once('disconnect', stop);
