import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { LogPosition } from '../lineage.ts';
import type { LossPolicy } from '../recovery-action.ts';

export interface RedisTimeouts {
  /** The limit for connecting to a server and signing in. */
  readonly connectMs: number;
  /** The limit for one command. A connection that does not answer in this time is closed, even if it is only half-open. */
  readonly commandMs: number;
  /** An append fails with `not-appended`, or `unknown`, when it could not be made or resolved in this time. */
  readonly appendMs: number;
  /** How long `open` waits until the server is reachable and the history is confirmed. */
  readonly openMs: number;
  /** The interval of requests for the tip, which are needed because hints may be lost. It is also the heartbeat of the connection for commands. */
  readonly pollMs: number;
  /** The heartbeat of the subscriber's connection. A half-open connection is detected after this time plus `commandMs`. */
  readonly heartbeatMs: number;
  /** How long replicas may take to report their positions after a restart of the server. Must be longer than `reconnectMaxMs`. */
  readonly graceMs: number;
  /** How long replicas wait for the outcome of an election before they start another one. */
  readonly electionMs: number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** After this time, another replica takes over from a replica that stopped in the middle of a snapshot. */
  readonly leaseMs: number;
  /** How long the replicas of the server have to acknowledge a `WAIT`. Must be shorter than `commandMs`. */
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

/**
 * For how long a write is tried again on a server that refuses it, in milliseconds: a full memory or a busy script may end meanwhile. A caller waits not
 * longer, because most refusals stay until somebody acts. Without a server, or without an answer, a write waits for `appendMs`.
 */
export const REFUSED_MS = 250;

export interface RedisStoreOptions {
  /** `redis://…`, `redis-sentinel://…`, `redis-cluster://…`; `rediss…` for TLS. Contains a password, so it is never logged. */
  readonly url: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Returns a random number, uniform in [0, 1). Spreads reconnects over time. */
  readonly random?: () => number;
  /** Distinguishes the logs in one server. Becomes the keys' hash tag. */
  readonly keyPrefix?: string;
  readonly timeouts?: Partial<RedisTimeouts>;
  /** Refuse a server whose settings may lose acknowledged commits, instead of warning. */
  readonly strict?: boolean;
  /** The number of replicas of the server that must have a batch before its append resolves. */
  readonly waitReplicas?: number;
  /** The name of this replica. It must be unique among the replicas. */
  readonly replicaId?: string;
  /** The position of the local copy of the state. The server is expected to have at least the history up to it. */
  readonly known?: LogPosition | null;
  /** The policy of this replica for a server that has less than the replica knows. It is reported to the other replicas with the position. */
  readonly policy?: LossPolicy;
}
