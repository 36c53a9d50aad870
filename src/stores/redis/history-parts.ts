import type { Logger } from '../../base/logger.ts';
import type { LogPosition } from '../lineage.ts';
import type { LossPolicy } from '../recovery-action.ts';
import type { LogLoss } from '../shared-store.ts';
import type { RedisTarget } from './connection-string.ts';
import type { Keys } from './keys.ts';
import type { RedisStoreOptions, RedisTimeouts } from './options.ts';

/** The dependencies of `History`, and of the code that uses it. */
export interface HistoryParts extends Pick<RedisStoreOptions, 'clock'> {
  readonly target: RedisTarget;
  readonly keys: Keys;
  readonly timeouts: RedisTimeouts;
  readonly logger: Logger;
  readonly random: () => number;
  readonly strict: boolean;
  readonly replicaId: string;
  readonly known: LogPosition | null;
  readonly policy: LossPolicy;
  readonly onTip: (tip: number) => void;
  readonly onLoss: (loss: LogLoss | null) => void;
}
