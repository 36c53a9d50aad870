import type { Logger } from '../../base/logger.ts';
import type { LogPosition } from '../lineage.ts';
import type { LossPolicy } from '../recovery-action.ts';
import type { LogLoss } from '../shared-store.ts';
import type { EventEntry } from '../store.ts';
import type { RedisTarget } from './connection-string.ts';
import type { Keys } from './keys.ts';
import { Link, type LinkOptions } from './link.ts';
import { locateServer } from './locate-server.ts';
import type { RedisStoreOptions, RedisTimeouts } from './options.ts';
import { Session } from './session.ts';
import { explained } from './wrong-address.ts';

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
  /** The newest audit events that this process has in memory, oldest first. */
  readonly newestEvents: () => readonly EventEntry[];
  readonly onTip: (tip: number) => void;
  readonly onLoss: (loss: LogLoss | null) => void;
}

/** A connection to the server that has the history. It is opened again whenever it ends. */
export function linkTo(parts: HistoryParts, use: Pick<LinkOptions, 'serve' | 'onDown'>): Link {
  const { target, keys, timeouts, clock, random } = parts;
  return new Link({
    clock,
    random,
    reconnectMinMs: timeouts.reconnectMinMs,
    reconnectMaxMs: timeouts.reconnectMaxMs,
    async open(signal) {
      try {
        return await Session.open(target, await locateServer(target, keys.meta, timeouts, signal), timeouts, signal);
      } catch (error) {
        throw explained(error, target);
      }
    },
    ...use,
  });
}
