import type { LogPosition } from '../lineage.ts';
import type { Session } from './session.ts';

/** A session on a server whose history was confirmed to be ours. */
export interface Line {
  readonly session: Session;
  readonly epoch: string;
  /** As it stood when it was last looked at: later entries are of its newest epoch. */
  readonly lineage: LogPosition;
  /** First arguments of every script that must not touch another history: format, epoch, run. */
  readonly guard: readonly [number, string, string];
}

/** What a use of a line answers when the script found another history: it is looked at again, and the use repeated. */
export const STALE = Symbol('stale');
