import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { LogPosition } from '../lineage.ts';
import type { LossPolicy } from '../recovery-action.ts';

export interface RedisTimeouts {
  /** Connecting to a server, and signing in. */
  readonly connectMs: number;
  /** One command. A connection that does not answer in this time is closed, half-open or not. */
  readonly commandMs: number;
  /** An append fails with `not-appended`, or `unknown`, when it could not be made or resolved in this time. */
  readonly appendMs: number;
  /** How long `open` waits until the server is reachable and the history is confirmed. */
  readonly openMs: number;
  /** How often the tip is requested, because hints may be lost. Also the heartbeat of the connection for commands. */
  readonly pollMs: number;
  /** Heartbeat of the subscriber's connection: a half-open one is detected after this plus `commandMs`. */
  readonly heartbeatMs: number;
  /** How long replicas may take to report their positions after a restart of the server. Longer than `reconnectMaxMs`. */
  readonly graceMs: number;
  /** How long replicas wait for the outcome of an election before there is another one. */
  readonly electionMs: number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** After this, another replica replaces one that stopped in the middle of a snapshot. */
  readonly leaseMs: number;
  /** `WAIT`: how long replicas of the server have to acknowledge. Shorter than `commandMs`. */
  readonly waitReplicasMs: number;
}

export const DEFAULT_TIMEOUTS: RedisTimeouts = {
  connectMs: 2_000,
  commandMs: 2_000,
  appendMs: 5_000,
  openMs: 10_000,
  pollMs: 1_000,
  heartbeatMs: 3_000,
  graceMs: 2_000,
  electionMs: 30_000,
  reconnectMinMs: 50,
  reconnectMaxMs: 1_000,
  leaseMs: 30_000,
  waitReplicasMs: 1_000,
};

export interface RedisStoreOptions {
  /** `redis://…`, `redis-sentinel://…`, `redis-cluster://…`; `rediss…` for TLS. Holds a password: never logged. */
  readonly url: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Uniform in [0, 1). Spreads reconnects. */
  readonly random?: () => number;
  /** Distinguishes the logs in one server. Becomes the keys' hash tag. */
  readonly keyPrefix?: string;
  readonly timeouts?: Partial<RedisTimeouts>;
  /** Refuse a server whose settings may lose acknowledged commits, instead of warning. */
  readonly strict?: boolean;
  /** Replicas of the server that must have a batch before its append resolves. */
  readonly waitReplicas?: number;
  /** Names this replica among the others. Unique. */
  readonly replicaId?: string;
  /** The position of the local copy of the state: the server is expected to have at least that. */
  readonly known?: LogPosition | null;
  /** What this replica does when the server has less than it knows. It is reported to the others with the position. */
  readonly policy?: LossPolicy;
}
