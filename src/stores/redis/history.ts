import { randomUUID } from 'node:crypto';
import { isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { LogLoss, LogPosition } from '../shared-store.ts';
import { StoreError, type StoreStatus } from '../store.ts';
import { describeHost, describeTarget, type RedisTarget } from './connection-string.ts';
import { GREET } from './history-scripts.ts';
import { type Keys, STORE_FORMAT } from './keys.ts';
import { Link } from './link.ts';
import { locateServer } from './locate-server.ts';
import type { RedisStoreOptions, RedisTimeouts } from './options.ts';
import { checkServer, type ServerReport, UnfitServerError } from './server-check.ts';
import { LostAnswerError, RefusedError, Session } from './session.ts';
import { type Ancestor, toVerdict, type Verdict } from './verdict.ts';

/** A session on a server whose history was confirmed to be ours. */
export interface Line {
  readonly session: Session;
  readonly epoch: string;
  /** First arguments of every script that must not touch another history: format, epoch, run. */
  readonly guard: readonly [number, string, string];
}

export interface HistoryParts extends Pick<RedisStoreOptions, 'clock'> {
  readonly target: RedisTarget;
  readonly keys: Keys;
  readonly timeouts: RedisTimeouts;
  readonly logger: Logger;
  readonly random: () => number;
  readonly strict: boolean;
  readonly replicaId: string;
  readonly known: LogPosition | null;
  readonly onTip: (tip: number) => void;
  readonly onLoss: (loss: LogLoss | null) => void;
}

/** What a use of a line answers when the script found another history: it is looked at again, and the use repeated. */
export const STALE = Symbol('stale');

/** Signing in failed: trying again will not help. */
const SIGN_IN_REFUSED = /WRONGPASS|NOAUTH|NOPERM|invalid password|invalid username-password/i;

/** Between two tries on a server that answers but refuses. */
const REFUSED_PAUSE_MS = 20;

/**
 * The connection for commands and what is known of the history behind it. A line is handed out only while the server's history is the one
 * this replica knows: same epoch, at least as long, the same write at the known place, and a run of the server that replicas agreed on.
 */
export class History {
  readonly link: Link;
  readonly #parts: HistoryParts;
  #known: LogPosition | null;
  #line: Line | null = null;
  #session: { session: Session; report: ServerReport } | null = null;
  #verdict: Verdict | null = null;
  #loss: LogLoss | null = null;
  #unreachable: { since: string; sinceMs: number; reason: string } | null;
  #lasting: string | null = null;
  #toldSettings = '';
  #closed = false;
  #changed = Promise.withResolversLike<void>();
  #pause = new AbortController();
}
