import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { ConfigError } from '../../base/options.ts';
import type { Config } from '../../config.ts';
import { type LocalCopy, loadLocalCopy } from '../../engine/local-copy.ts';
import {
  ConnectionStringError,
  parseConnectionString,
  type RedisTarget,
} from '../../stores/redis/connection-string.ts';
import type { RedisStore } from '../../stores/redis/redis-store.ts';
import type { Store } from '../../stores/store.ts';

/** Maximum time of one try to open a shared store. After this time, the next try begins. */
export const STORE_OPEN_MS = 5_000;

/**
 * Returns the store that the options select. The caller must open it. For a shared store, returns also the copy of its state on this machine, if
 * there is one.
 * @throws ConfigError
 */
export async function chooseStore(
  config: Config,
  clock: Clock,
  logger: Logger,
): Promise<{ store: Store; copy: LocalCopy | null }> {
  // Only the packages of the selected store are loaded.
  if (config.redisUrl === '') {
    const { LmdbStore } = await import('../../stores/lmdb/lmdb-store.ts');
    return { store: new LmdbStore({ directory: config.dataDirectory, logger }), copy: null };
  }
  redisTarget(config.redisUrl);
  const copy = await loadLocalCopy(config.dataDirectory, logger);
  return { store: await redisStore(config, clock, logger, copy), copy };
}

/** Parses `REDIS_URL`. @throws ConfigError */
export function redisTarget(url: string): RedisTarget {
  try {
    return parseConnectionString(url);
  } catch (error) {
    if (error instanceof ConnectionStringError) throw new ConfigError(`REDIS_URL: ${error.message}`);
    throw error;
  }
}

async function redisStore(config: Config, clock: Clock, logger: Logger, copy: LocalCopy | null): Promise<RedisStore> {
  const { RedisStore } = await import('../../stores/redis/redis-store.ts');
  const commandMs = config.redisCommandTimeoutMs;
  return new RedisStore({
    url: config.redisUrl,
    logger,
    clock,
    keyPrefix: config.redisKeyPrefix,
    strict: config.redisStrict,
    waitReplicas: config.redisWaitReplicas,
    known: copy?.position ?? null,
    policy: config.redisOnLoss,
    timeouts: {
      connectMs: commandMs,
      commandMs,
      appendMs: config.redisWriteTimeoutMs,
      openMs: STORE_OPEN_MS,
      pollMs: config.redisPollMs,
      waitReplicasMs: Math.ceil(commandMs / 2),
      graceMs: config.redisGraceMs,
      // All replicas must be connected again before the grace period ends.
      reconnectMinMs: Math.min(50, config.redisGraceMs / 4),
      reconnectMaxMs: Math.min(1_000, config.redisGraceMs / 2),
    },
  });
}
