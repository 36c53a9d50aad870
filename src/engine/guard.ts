import type { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import type { Limits } from '../model/limits.ts';
import type { StateReader } from '../state/collections.ts';
import type { Change } from '../state/commit.ts';
import type { Draft } from '../state/draft.ts';
import type { Decidable, WhenRemoved } from './command.ts';

/** The state before and after the changes of a command. */
export interface Transition {
  readonly before: StateReader;
  readonly after: StateReader;
}

/** The changes that a command would make, and the caller that requested them. */
export interface Proposal extends Transition {
  readonly changes: readonly Change[];
  readonly caller: Caller;
  readonly command: Decidable<never, unknown>;
  readonly limits: Limits;
}

/**
 * A rule of a feature that applies to every command, including commands of other features. For each command, the writer calls all guards, in the
 * order of their list, at three moments: `beforeCommand`, `followUp` and `beforeCommit`; and at a fourth if the command removes something. A rejection refuses the command, and none of its changes are
 * stored.
 */
export interface Guard {
  readonly name: string;
  /** A rejection of `beforeCommit` means that the changes have to be reviewed first. A rehearsal then reports it and continues. */
  readonly demandsReview?: true;
  /** Called before the command is decided. `reader` is the state after the earlier commands of the batch. */
  readonly beforeCommand?: (
    reader: StateReader,
    caller: Caller,
    command: Decidable<never, unknown>,
  ) => Rejection | undefined;
  /** Called by the command that removes something, at the place where it removes it. */
  readonly whenRemoved?: WhenRemoved;
  /** Called after the command, with its draft and the time of the commit. Adds the changes that follow from the changes of the command. */
  readonly followUp?: (draft: Draft, caller: Caller, limits: Limits, now: string) => Steps<void>;
  /** Called after all follow-ups. Decides whether the changes may be made. */
  readonly beforeCommit?: (proposal: Proposal) => Steps<Rejection | undefined>;
}
