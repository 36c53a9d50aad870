import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { LossPolicy } from '../course.ts';
import type { LogPosition } from '../lineage.ts';

export interface RedisTimeouts {
  /** Connecting to a server, and signing in. */
  readonly connectMs: number;
  /** One command. A connection that does not answer by then is given up, half-open or not. */
  readonly commandMs: number;
  /** An append is told `not-appended`, or `unknown`, when it could not be made or resolved by then. */
  readonly appendMs: number;
  /** How long `open` waits for the server to be there and the history to be confirmed. */
  readonly openMs: number;
  /** How often the tip is asked for, should hints be lost. Also the heartbeat of the connection for commands. */
  readonly pollMs: number;
  /** Heartbeat of the subscriber's connection: a half-open one is noticed after this and `commandMs`. */
  readonly heartbeatMs: number;
  /** How long replicas may take to say what they know, after the server was started again. Longer than `reconnectMaxMs`. */
  readonly graceMs: number;
  /** How long an election's outcome is waited for before there is another one. */
  readonly electionMs: number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** A replica that stops in the middle of a snapshot is replaced after this. */
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
  /** Logs of one server are told apart by it. Becomes the keys' hash tag. */
  readonly keyPrefix?: string;
  readonly timeouts?: Partial<RedisTimeouts>;
  /** Refuse a server whose settings may lose acknowledged commits, instead of warning. */
  readonly strict?: boolean;
  /** Replicas of the server that must have a batch before its append resolves. */
  readonly waitReplicas?: number;
  /** Names this replica among the others. Unique. */
  readonly replicaId?: string;
  /** Where the history stood that a local copy of the state was saved of: the server is expected to have at least that. */
  readonly known?: LogPosition | null;
  /** What this replica would do when the server holds less than it knows. The others take it into account. */
  readonly policy?: LossPolicy;
}
