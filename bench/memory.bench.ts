import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from '../test/processes/soak/load.ts';
import { makeFlags } from './support/flags.ts';
import { aside, atMost, finish, megabytes, settings } from './support/report.ts';
import { seedDirectory, startService } from './support/service.ts';
import { removeDirectory, temporaryDirectory } from './support/temporary.ts';

/**
 * Resident memory of a large instance: after its start, a minute after one request of each kind, and a minute after a load of all kinds (`soak/load.ts`). What
 * a service has answered once it keeps ready (lists, compiled flags), so the second figure is the floor of the third.
 * BENCH_FLAGS (default 99,000: the load creates some, and the limit is 100,000), BENCH_SECONDS of load, BENCH_QUIET_S.
 */
const { FLAGS, SECONDS: LOAD_S, QUIET_S } = settings({ FLAGS: 99_000, SECONDS: 40, QUIET_S: 60 });
const AFTER_START_MS = 5_000;
/** Shorter than any round of the load, so that each kind is requested once. */
const ONE_ROUND_MS = 50;

const directory = temporaryDirectory();
await seedDirectory(directory, makeFlags(FLAGS, { seed: 1 }), { snapshot: true });
const service = await startService(directory, { env: { UNLEASH_CONSTRAINT_VALUES_LIMIT: '10000' } });
try {
  await sleep(AFTER_START_MS);
  const fresh = service.residentBytes();
  await new Load(service.url).prepare();
  await loadFor(ONE_ROUND_MS);
  const once = service.residentBytes();
  await loadFor(LOAD_S * 1_000);
  const loaded = service.residentBytes();
  const [what, ofStart, ofOnce] = [FLAGS.toLocaleString('en'), `${megabytes(fresh)} after the start`, megabytes(once)];
  finish('Memory a minute after load', [
    aside({ name: `${what} flags, after one request of each kind`, ours: ofOnce, floor: ofStart, ratio: once / fresh }),
    atMost(1.5, {
      name: `${what} flags, after ${LOAD_S} s of load`,
      ours: megabytes(loaded),
      floor: `${ofOnce} after one request of each kind`,
      ratio: loaded / once,
    }),
  ]);
} finally {
  await service.end();
  removeDirectory(directory);
}

/** Runs every kind of request until the time is over, and waits until the service has had time to give memory back. */
async function loadFor(ms: number): Promise<void> {
  const load = new Load(service.url);
  const running = load.run({ consoles: false });
  await sleep(ms);
  load.stop();
  await running;
  await sleep(QUIET_S * 1_000);
}
