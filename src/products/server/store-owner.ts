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
  if (isSourced && isOwn) throw new ConfigError(STORE_OF_SERVER);
  if (!isSourced && isMirror) throw new ConfigError(STORE_OF_RELAY);
}

const OTHER_STORE_ADVICE =
  'set BACKUP_FOLDER or DATA_DIR to another folder; in Redis, REDIS_KEY_PREFIX to another prefix';
const STORE_OF_SERVER = `this store contains the flags of a Burgee server, and a relay would replace them by the flags of its upstream: ${OTHER_STORE_ADVICE}`;
const STORE_OF_RELAY = `this store contains the flags that a relay got from its upstream, and a server cannot use them: ${OTHER_STORE_ADVICE}`;
