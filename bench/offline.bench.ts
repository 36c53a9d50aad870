import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './support/free-port.ts';
import { atMost, type Figure, finish, median, milliseconds, pair, settings } from './support/report.ts';
import { type Process, startProgram } from './support/service.ts';
import { removeDirectory, temporaryDirectory } from './support/temporary.ts';

/**
 * `burgee offline`, from the start of its process to its first answer: the packed program, the modules that it is packed from and, as the floor, a Node
 * process that does nothing. Measured in turn, because the machine may be busy. BENCH_ROUNDS, BENCH_FLAGS (in the file).
 */
const { ROUNDS, FLAGS } = settings({ ROUNDS: 9, FLAGS: 100 });
/** The maximum time of a start, and the maximum as a multiple of a start of Node, for busy machines. */
const START_MAX_MS = 300;
const START_MAX_RATIO = 6;

const PACKED = fileURLToPath(new URL('../packed/program/main.js', import.meta.url));
const MODULES = fileURLToPath(new URL('../src/main.js', import.meta.url));

interface Start {
  readonly ms: number;
  readonly cpuMs: number;
}

async function timeOffline(main: string, file: string): Promise<Start> {
  const port = await freePort();
  const startedMs = performance.now();
  const args = [main, 'offline', '-b', file, '-c', 'dev', '-i', '127.0.0.1', '-p', String(port)];
  const service = startProgram(process.execPath, args, {}, port);
  await firstAnswer(service);
  const start = { ms: performance.now() - startedMs, cpuMs: service.cpuS() * 1_000 };
  await service.end();
  return start;
}

async function firstAnswer({ url, child }: Process): Promise<void> {
  const headers = { authorization: 'dev' };
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/api/client/features`, { headers }).catch(() => undefined);
    const text = await answer?.text();
    if (answer?.status === 200 && text?.includes('flag-0')) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error('burgee offline ended before it answered');
}

async function timeNothing(): Promise<number> {
  const startedMs = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - startedMs;
}

const directory = temporaryDirectory();
try {
  const file = join(directory, 'flags.json');
  const flags = Object.fromEntries(Array.from({ length: FLAGS }, (_, index) => [`flag-${index}`, { enabled: true }]));
  writeFileSync(file, JSON.stringify(flags));
  const rounds: { packed: Start; modules: Start; nothing: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const packed = await timeOffline(PACKED, file);
    const nothing = await timeNothing();
    const modules = await timeOffline(MODULES, file);
    // The first round does not count: it reads the files from the disk.
    if (round > 0) rounds.push({ packed, modules, nothing });
  }
  const ms = median(rounds.map(({ packed }) => packed.ms));
  const nothing = median(rounds.map(({ nothing }) => nothing));
  const modulesMs = median(rounds.map(({ modules }) => modules.ms));
  const cpu = {
    packed: median(rounds.map(({ packed }) => packed.cpuMs)),
    modules: median(rounds.map(({ modules }) => modules.cpuMs)),
  };
  const figures: Figure[] = [
    atMost(1, pair(`burgee offline, ${FLAGS} flags, to its first answer`, 'ms', ms, START_MAX_MS)),
    atMost(START_MAX_RATIO, {
      name: 'the same, against node -e 0',
      ours: milliseconds(ms),
      floor: milliseconds(nothing),
      ratio: median(rounds.map((round) => round.packed.ms / round.nothing)),
    }),
    pair('the same, from the modules', 'ms', modulesMs, nothing),
    pair('processor time, packed, against modules', 'ms', cpu.packed, cpu.modules),
  ];
  finish(`Start of burgee offline, ${ROUNDS} rounds`, figures);
} finally {
  removeDirectory(directory);
}
