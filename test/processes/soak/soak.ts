import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { makeFlags } from '../../../bench/support/flags.ts';
import { type RedisProcess, startRedis } from '../../../bench/support/redis-server.ts';
import { seedRedis } from '../../../bench/support/replicas.ts';
import { type Process, seedDirectory, startService } from '../../../bench/support/service.ts';
import { removeDirectory, temporaryDirectory } from '../../../bench/support/temporary.ts';
import { Load } from './load.ts';
import type { Memory } from './soaked-service.ts';
import type { Sample } from './verdict.ts';

const SCRIPT = fileURLToPath(new URL('./soaked-service.js', import.meta.url));
/** Polls are so frequent that a leak of a few bytes per poll adds up. The log is trimmed so often that a stopped replica misses entries. */
const ENVIRONMENT = {
  LOG_LEVEL: 'fatal',
  REDIS_POLL_MS: '1',
  SNAPSHOT_EVERY_COMMITS: '200',
  LOCAL_COPY_EVERY_MS: '2000',
  // The large flag of the load exceeds the default limits.
  UNLEASH_CONSTRAINT_VALUES_LIMIT: '10000',
  FEATURE_BYTES_LIMIT: '1000000',
  STORED_FEATURE_BYTES_LIMIT: '2000000',
};
const FLAGS = 300;
const REPLY_TIMEOUT_MS = 60_000;
const DISTURBANCE_EVERY_MS = 4_000;
/** Longer than the other replica needs for the commits after which the log is trimmed. */
const SLEEP_MS = 1_500;

interface SoakOptions {
  readonly minutes: number;
  readonly redis: boolean;
  /** Whether consoles are part of the load. */
  readonly consoles: boolean;
  /** Called with every sample. */
  readonly onSample?: (sample: Sample) => void;
}

interface SoakResult {
  readonly samples: readonly Sample[];
  /** Number of requests to the service and of failures, by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

interface Soaked {
  /** The process whose memory is measured. */
  readonly service: Process;
  storeBytes(): number | Promise<number>;
  /** Causes a fault that happens in production; called repeatedly. */
  disturb(): Promise<void>;
  /** The other processes that get load. */
  readonly others: readonly Process[];
  end(): Promise<void>;
}

/** Puts load on a real service for this time and returns the memory of its process. */
export async function soak({ minutes, redis, consoles, onSample }: SoakOptions): Promise<SoakResult> {
  const soaked = redis ? await onRedis() : await embedded();
  try {
    const load = new Load(soaked.service.url);
    await load.prepare();
    const others = soaked.others.map(({ url }) => new Load(url));
    const running = [load, ...others].map((one) => one.run({ consoles }));
    const samples = await sampled(soaked, minutes, onSample);
    for (const one of [load, ...others]) one.stop();
    await Promise.all(running);
    return { samples, counts: load.counts };
  } finally {
    await soaked.end();
  }
}

async function sampled(soaked: Soaked, minutes: number, onSample?: (sample: Sample) => void): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startMs = performance.now();
  const everyMs = Math.max(500, (minutes * 60_000) / 240);
  let disturbAtMs = startMs + DISTURBANCE_EVERY_MS;
  for (;;) {
    const { keptBytes, residentBytes } = await memoryOf(soaked.service);
    const atS = (performance.now() - startMs) / 1000;
    const sample = { atS, keptBytes, residentBytes, storeBytes: await soaked.storeBytes() };
    samples.push(sample);
    onSample?.(sample);
    if (atS >= minutes * 60) return samples;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (performance.now() < disturbAtMs) continue;
    await soaked.disturb();
    disturbAtMs = performance.now() + DISTURBANCE_EVERY_MS;
  }
}

async function memoryOf({ child }: Process): Promise<Memory> {
  const reply = once(child, 'message', { signal: AbortSignal.timeout(REPLY_TIMEOUT_MS) });
  child.send('memory');
  const [memory] = (await reply) as [Memory];
  return memory;
}

async function embedded(): Promise<Soaked> {
  const directory = temporaryDirectory();
  await seedDirectory(directory, makeFlags(FLAGS, { seed: 1 }));
  const service = await startService(directory, { script: SCRIPT, env: ENVIRONMENT });
  return {
    service,
    others: [],
    storeBytes: () => sizeOf(directory),
    disturb: async () => {},
    end: () => service.end().finally(() => removeDirectory(directory)),
  };
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(directory, name), { throwIfNoEntry: false }))
    .reduce((sum, file) => sum + (file?.isFile() ? file.blocks * 512 : 0), 0);
}

/** Two replicas. The measured one loses its connections, and is stopped until the log is trimmed beyond its revision, so that it has to load a whole state. */
async function onRedis(): Promise<Soaked> {
  const redis = await startRedis();
  await seedRedis(redis.url, makeFlags(FLAGS, { seed: 1 }));
  const directories = [temporaryDirectory(), temporaryDirectory()] as const;
  const env = { ...ENVIRONMENT, REDIS_URL: redis.url };
  const service = await startService(directories[0], { script: SCRIPT, env });
  const other = await startService(directories[1], { env });
  const client = new Redis(redis.url);
  client.on('error', () => {});
  return {
    service,
    others: [other],
    storeBytes: async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]),
    disturb: disturbances(client, service, redis),
    async end() {
      client.disconnect();
      await Promise.all([service.end(), other.end()]);
      await redis.end();
      for (const directory of directories) removeDirectory(directory);
    },
  };
}

function disturbances(client: Redis, { child }: Process, redis: RedisProcess): () => Promise<void> {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const kinds = [
    async () => void (await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')),
    async () => void (await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub')),
    async () => {
      child.kill('SIGSTOP');
      await wait(SLEEP_MS);
      child.kill('SIGCONT');
    },
    async () => {
      redis.stop();
      await wait(300);
      redis.go();
    },
  ];
  let next = 0;
  return async () => kinds[next++ % kinds.length]?.();
}
