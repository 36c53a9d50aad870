import type { LogPosition } from '../lineage.ts';
import type { Session } from './session.ts';

/** A session on a server whose history was confirmed to be the one of this replica. */
export interface ConfirmedSession {
  readonly session: Session;
  readonly epoch: string;
  /** The line of the server's history as of the last check. Later entries are in its newest epoch. */
  readonly lineage: LogPosition;
  /** First arguments of every script that must not touch another history: format, epoch, run. */
  readonly guard: readonly [number, string, string];
}

/** A use of the session returns this when its script found another history. `History.attempt` then checks the history, and repeats the use. */
export const STALE = Symbol('stale');
