import type { LogPosition } from '../lineage.ts';
import type { Session } from './session.ts';

/** A session on a server whose history was confirmed to be the one of this replica. */
export interface Line {
  readonly session: Session;
  readonly epoch: string;
  /** The line as of the last check: later entries are in its newest epoch. */
  readonly lineage: LogPosition;
  /** First arguments of every script that must not touch another history: format, epoch, run. */
  readonly guard: readonly [number, string, string];
}

/** Returned by a use of a line when the script found another history: the history is checked again, and the use is repeated. */
export const STALE = Symbol('stale');
