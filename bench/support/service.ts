import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SERVICE } from '../../src/base/asking/asker.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { Rejection } from '../../src/base/rejection.ts';
import type { CommandContext, Decidable } from '../../src/engine/command.ts';
import { recover } from '../../src/engine/replica.ts';
import { Writer } from '../../src/engine/writer.ts';
import { loadGuards } from '../../src/features/guards.ts';
import { bootstrap } from '../../src/features/instance/bootstrap.ts';
import type { Feature } from '../../src/model/feature.ts';
import type { Draft } from '../../src/state/draft.ts';
import { encodeSnapshot } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { makeSegments } from './flags.ts';
import { freePort } from './free-port.ts';
import { removeDirectory, temporaryDirectory } from './temporary.ts';

const GUARDS = await loadGuards();

export const ADMIN_TOKEN = '*:*.bench-admin';
export const CLIENT_TOKEN = '*:development.bench-client';
export const FRONTEND_TOKEN = '*:development.bench-frontend';

export const BY = { id: 1, name: 'bench' };
const SEED_BATCH = 500;

const seedFlags: Decidable<readonly Feature[], void> = {
  decide: ({ draft, emit }, features) => {
    for (const feature of features) {
      draft.put('features', feature);
      emit({
        type: 'feature-created',
        project: feature.project,
        featureName: feature.name,
        data: { name: feature.name },
      });
    }
  },
};

const seedSegments: Decidable<void, void> = {
  decide: ({ draft }) => {
    for (const segment of makeSegments(7)) draft.put('segments', segment);
    draft.put('counters', { value: 1000 }, 'segments');
  },
};

/** As if users had created the environments and added them to the project before it had flags. */
const seedEnvironments: Decidable<readonly string[], void> = {
  decide: ({ draft }, names) => {
    const fresh = names.filter((name) => !draft.get('environments', name));
    for (const name of fresh) {
      draft.put('environments', { name, type: 'test', enabled: true, protected: false, sortOrder: 9_999 });
    }
    const project = draft.get('projects', 'default');
    if (project) draft.put('projects', { ...project, environments: [...project.environments, ...fresh] });
  },
};

/** Puts the tokens' environments, the segments and these flags into an empty service. */
export async function seed(
  writer: Writer,
  features: readonly Feature[],
  environments: readonly string[] = [],
): Promise<void> {
  await writer.submit(bootstrap, {}, BY);
  await writer.submit(seedEnvironments, environments, BY);
  await writer.submit(seedSegments, undefined, BY);
  for (let start = 0; start < features.length; start += SEED_BATCH) {
    const outcome = await writer.submit(seedFlags, features.slice(start, start + SEED_BATCH), BY);
    if (outcome instanceof Rejection) throw new Error(`flags were not seeded: ${outcome.message}`);
  }
}

/** Further initial content of a state, each part in its own commit. */
export type Seeds = Iterable<(draft: Draft) => void>;

/** Fills a new data directory through the service's own writer and store. */
export async function seedDirectory(
  directory: string,
  features: readonly Feature[],
  options: { readonly snapshot?: boolean; readonly environments?: readonly string[]; readonly more?: Seeds } = {},
): Promise<void> {
  const store = new LmdbStore({ directory, logger: silentLogger });
  const replica = await recover(store, await store.open(), new State(), silentLogger);
  const writer = new Writer(replica, store, systemClock, silentLogger, { guards: GUARDS });
  await seed(writer, features, options.environments);
  for (const more of options.more ?? []) {
    const outcome = await writer.submit({ decide: ({ draft }: CommandContext) => more(draft) }, undefined, BY);
    if (outcome instanceof Rejection) throw new Error(`the state was not seeded: ${outcome.message}`);
  }
  await writer.close();
  if (options.snapshot) {
    const { seq } = replica.state;
    await store.saveSnapshot(seq, encodeSnapshot(replica.state, SERVICE));
    await store.trim(seq);
  }
  await store.close();
}

export interface Process {
  readonly child: ChildProcess;
  readonly port: number;
  readonly url: string;
  /** Seconds of processor time the process has used so far, user and system, all threads. */
  cpuS(): number;
  /** Resident memory, bytes. */
  residentBytes(): number;
  /** Maximum resident memory since `forgetPeak`; if the kernel cannot reset it, since the process began. */
  peakResidentBytes(): number;
  forgetPeak(): void;
  end(): Promise<void>;
}

const CLOCK_TICKS_PER_S = 100;
const END_TIMEOUT_MS = 15_000;

/** No child process outlives this process, however it ends. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    // A script with its own listener has to clean up first.
    if (process.listenerCount(signal) === 0) process.exit(1);
  });
}

export async function startProcess(
  script: string,
  args: readonly string[],
  env: Record<string, string>,
  port: number,
): Promise<Process> {
  // As `npm start` and `burgee` start it.
  const flags = process.env.BENCH_NODE_FLAGS?.split(' ') ?? ['--max-semi-space-size=4'];
  const child = spawn(process.execPath, [...flags, script, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
    env: { PATH: process.env.PATH, ...env },
  });
  return watched(child, port);
}

/** Like `startProcess`, for any program. Its output is discarded. */
export function startProgram(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
  port: number,
): Process {
  const child = spawn(file, args, { stdio: 'ignore', detached: true, env: { PATH: process.env.PATH, ...env } });
  return watched(child, port);
}

/** The child has its own process group: Ctrl+C reaches only the script, which then ends its children. */
function watched(child: ChildProcess, port: number): Process {
  running.add(child);
  child.once('close', () => running.delete(child));
  const { pid } = child;
  const statusBytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  return {
    child,
    port,
    url: `http://127.0.0.1:${port}`,
    cpuS() {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_S;
    },
    residentBytes: () => statusBytes('VmRSS'),
    peakResidentBytes: () => statusBytes('VmHWM'),
    forgetPeak() {
      try {
        writeFileSync(`/proc/${pid}/clear_refs`, '5');
      } catch {
        // Then the peak includes earlier memory.
      }
    },
    end: () => endProcess(child),
  };
}

/** Asks the process to stop, and kills it if it does not stop in time. */
function endProcess(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return Promise.resolve();
  return new Promise((resolve) => {
    const deadline = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
    child.once('close', () => {
      clearTimeout(deadline);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** Resolves when the process serves. @throws Error when the process ends, or does not serve in time. */
export async function untilReady({ url, child }: Process, withinMs = 60_000): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    if (performance.now() > deadlineMs) throw new Error(`nothing serves at ${url}`);
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the process ended before it served');
    const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const MAIN = fileURLToPath(new URL('../../packed/program/main.js', import.meta.url));

export interface ServiceOptions {
  readonly env?: Record<string, string>;
  /** Another script than the service's own; it has to read the same environment. */
  readonly script?: string;
  /** A port to share; otherwise a free one. */
  readonly port?: number;
  /** Whether the directory starts from a snapshot instead of its log. */
  readonly snapshot?: boolean;
  /** Environments that the project gets before it has flags. */
  readonly environments?: readonly string[];
  readonly more?: Seeds;
}

/** Starts the service as its own process, on a directory with these flags that is removed when it ends. */
export async function startSeededService(features: readonly Feature[], options: ServiceOptions = {}): Promise<Process> {
  const directory = temporaryDirectory();
  const remove = () => removeDirectory(directory);
  try {
    const { snapshot = false, environments = [], more = [] } = options;
    await seedDirectory(directory, features, { snapshot, environments, more });
    const service = await startService(directory, options);
    return { ...service, end: () => service.end().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

export async function startService(directory: string, options: ServiceOptions = {}): Promise<Process> {
  const port = options.port ?? (await freePort());
  const environment = {
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: String(port),
    DATA_DIR: directory,
    LOG_LEVEL: 'warn',
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
    INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
    ...options.env,
  };
  const service = await startProcess(options.script ?? MAIN, [], environment, port);
  try {
    await untilReady(service);
  } catch (error) {
    await service.end();
    throw error;
  }
  return service;
}
