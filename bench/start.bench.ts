import { join } from 'node:path';
import { Packr } from 'msgpackr';
import { makeFlags } from './support/flags.ts';
import { atMost, type Figure, finish, median, milliseconds, settings } from './support/report.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, seedDirectory, startService } from './support/service.ts';
import { removeDirectory, temporaryDirectory } from './support/temporary.ts';

/**
 * Start-up of a large instance: from starting the process to `/ready`, against `msgpackr` unpacking the same flags in this process. The process's own start
 * (Node, modules) is measured on an empty store and reported separately.
 * BENCH_FLAGS (default 100,000), BENCH_ROUNDS.
 */
const { FLAGS, ROUNDS } = settings({ FLAGS: 100_000, ROUNDS: 5 });

async function timeStart(directory: string): Promise<number> {
  const startedMs = performance.now();
  const service = await startService(directory);
  const ms = performance.now() - startedMs;
  await service.end();
  return ms;
}

/** Resident memory once every view has been built: both formats of the list, identity and gzip, and the compiled flags. */
async function measureMemory(directory: string): Promise<number> {
  const service = await startService(directory);
  for (const specification of ['3.0.0', '5.2.0']) {
    for (const encoding of ['identity', 'gzip']) {
      const answer = await fetch(`${service.url}/api/client/features`, {
        headers: { authorization: CLIENT_TOKEN, 'accept-encoding': encoding, 'unleash-client-spec': specification },
      });
      await answer.arrayBuffer();
    }
  }
  await (
    await fetch(`${service.url}/api/frontend?userId=1`, { headers: { authorization: FRONTEND_TOKEN } })
  ).arrayBuffer();
  const residentBytes = service.residentBytes();
  await service.end();
  return residentBytes;
}

function timeUnpack(packed: Uint8Array): number {
  const packr = new Packr({ useRecords: true });
  const startedMs = performance.now();
  packr.unpack(packed);
  return performance.now() - startedMs;
}

const root = temporaryDirectory();
try {
  const flags = makeFlags(FLAGS, { seed: 11, strategies: 2, environments: ['development'] });
  const jsonBytes = flags.reduce((sum, flag) => sum + Buffer.byteLength(JSON.stringify(flag)), 0);
  const [empty, full] = [join(root, 'empty'), join(root, 'full')];
  await seedDirectory(empty, []);
  await seedDirectory(full, flags, { snapshot: true });
  const packed = Uint8Array.from(new Packr({ useRecords: true }).pack(flags));
  const rounds: { full: number; empty: number; unpack: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ full: await timeStart(full), empty: await timeStart(empty), unpack: timeUnpack(packed) });
  }
  const recovery = median(rounds.map((round) => round.full - round.empty));
  const unpack = median(rounds.map((round) => round.unpack));
  const ratio = median(rounds.map((round) => (round.full - round.empty) / round.unpack));
  const memory = (await measureMemory(full)) - (await measureMemory(empty));
  const figures: Figure[] = [
    atMost(3, {
      name: `recovery of ${FLAGS.toLocaleString('en')} flags to /ready`,
      ours: milliseconds(recovery),
      floor: `${milliseconds(unpack)} unpack`,
      ratio,
    }),
    atMost(4, {
      name: 'resident memory a flag, all views built, an empty service taken off',
      ours: `${Math.round(memory / FLAGS)} B`,
      floor: `${Math.round(jsonBytes / FLAGS)} B of JSON`,
      ratio: memory / jsonBytes,
    }),
  ];
  finish(`Start-up, an empty service's ${milliseconds(median(rounds.map((round) => round.empty)))} taken off`, figures);
} finally {
  removeDirectory(root);
}
