import { ConfigError } from '../../base/options.ts';
import type { StateReader } from '../../state/collections.ts';

/**
 * Checks that a service whose flags come from a source does not use the store of a service with its own flags: it would delete the flags that its
 * source does not send. The reverse is checked too. The first service that uses an empty store becomes its owner.
 * @throws ConfigError
 */
export function checkStoreOwner(state: StateReader, isSourced: boolean): void {
  const isMirror = state.size('mirroredScopes') > 0;
  // Stores of early versions contain flags, but no strategy types.
  const isOwn = !isMirror && state.size('strategyTypes') + state.size('features') > 0;
  if (isSourced && isOwn) throw new ConfigError(OF_A_SERVICE);
  if (!isSourced && isMirror) throw new ConfigError(OF_A_RELAY);
}

const OTHER = 'set BACKUP_FOLDER or DATA_DIR to another folder; in Redis, REDIS_KEY_PREFIX to another prefix';
const OF_A_SERVICE = `this store holds the flags of a service of its own, and a relay would replace them by those of its upstream: ${OTHER}`;
const OF_A_RELAY = `this store contains what a relay got from its upstream, not flags of its own: ${OTHER}`;
