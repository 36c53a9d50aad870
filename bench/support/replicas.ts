import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { recover } from '../../src/engine/replica.ts';
import { Writer } from '../../src/engine/writer.ts';
import { loadGuards } from '../../src/features/guards.ts';
import type { Feature } from '../../src/model/feature.ts';
import { State } from '../../src/state/state.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import type { EventEntry, LogEntry } from '../../src/stores/store.ts';
import { type Process, seed, startService } from './service.ts';
import { removeDirectory, temporaryDirectory } from './temporary.ts';

const GUARDS = await loadGuards();

const SCRIPT = fileURLToPath(new URL('./counting-replica.js', import.meta.url));
const REPLY_TIMEOUT_MS = 10_000;
const GRACE_MS = 100;

interface AppendCounts {
  /** Batches. */
  readonly appended: number;
  /** Appends that conflicted with another replica's commits. */
  readonly conflict: number;
}

export interface ReplicaProcess extends Process {
  /** The outcomes of appends since the last call. */
  takeCounts(): Promise<AppendCounts>;
}

/** A store for this process itself. It is not opened yet. */
export function redisStore(url: string, keyPrefix = 'burgee'): RedisStore {
  const timeouts = { graceMs: GRACE_MS };
  return new RedisStore({ url, keyPrefix, logger: silentLogger, clock: systemClock, timeouts });
}

/** Puts these flags into an empty Redis, through the service's own writer and store. */
export async function seedRedis(url: string, features: readonly Feature[]): Promise<void> {
  const store = redisStore(url);
  const replica = await recover(store, await store.open(), new State(), silentLogger);
  const writer = new Writer(replica, store, systemClock, silentLogger, { guards: GUARDS });
  await seed(writer, features);
  await writer.close();
  await store.close();
}

/** The newest log entries and events. */
export async function sampleOf(url: string, count: number): Promise<{ entries: LogEntry[]; events: EventEntry[] }> {
  const store = redisStore(url);
  const { tip } = await store.open();
  const entries = await store.read(Math.max(1, tip - count + 1), count);
  const events = await store.readEvents(Number.MAX_SAFE_INTEGER, count);
  await store.close();
  return { entries, events };
}

export async function startReplica(redisUrl: string): Promise<ReplicaProcess> {
  const directory = temporaryDirectory();
  const service = await startService(directory, { script: SCRIPT, env: { REDIS_URL: redisUrl, LOG_LEVEL: 'fatal' } });
  return {
    ...service,
    async takeCounts() {
      const { child } = service;
      const reply = once(child, 'message', { signal: AbortSignal.timeout(REPLY_TIMEOUT_MS) });
      child.send('counts');
      const [counts] = (await reply) as [AppendCounts];
      return counts;
    },
    end: () => service.end().finally(() => removeDirectory(directory)),
  };
}
