import { systemClock } from '../../src/base/clock.ts';
import { createLogger } from '../../src/base/logger.ts';
import { readConfig } from '../../src/config.ts';
import { chooseStore } from '../../src/products/server/open-store.ts';
import { startService } from '../../src/products/server/service.ts';

/** The service as `main.ts` starts it. It also counts the outcomes of its appends, and sends the counts when its parent asks: see `replicas.ts`. */
const config = readConfig(process.env);
const logger = createLogger(config.logLevel);
const { store, copy } = await chooseStore(config, systemClock, logger);
const counts = { appended: 0, conflict: 0 };
const append = store.append.bind(store);
store.append = async (batch) => {
  const outcome = await append(batch);
  counts[outcome.status]++;
  return outcome;
};
const service = await startService({ config, store, copy, clock: systemClock, logger, random: Math.random });

process.on('message', () => {
  process.send?.({ ...counts });
  counts.appended = 0;
  counts.conflict = 0;
});

async function stop(): Promise<void> {
  await service.close();
  process.exit(0);
}
process.once('SIGTERM', stop);
process.once('disconnect', stop);
