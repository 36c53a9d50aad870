import type { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import type { Limits } from '../model/limits.ts';
import type { StateReader } from '../state/collections.ts';
import type { Change } from '../state/commit.ts';
import type { Draft } from '../state/draft.ts';
import type { Decidable } from './command.ts';

/** The state as it was and as it would be. */
export interface Transition {
  readonly before: StateReader;
  readonly after: StateReader;
}

/** What a command would change, and who asks for it. */
export interface Proposal extends Transition {
  readonly changes: readonly Change[];
  readonly caller: Caller;
  readonly command: Decidable<never, unknown>;
  readonly limits: Limits;
}

/**
 * A rule of a feature that holds for every command, whichever feature the command belongs to. The writer asks all guards in the order of their list,
 * at each of three moments. A rejection refuses the command: nothing of it is kept.
 */
export interface Guard {
  readonly name: string;
  /** Before the command is decided, on the state with the earlier commands of the batch applied. */
  readonly beforeCommand?: (
    reader: StateReader,
    caller: Caller,
    command: Decidable<never, unknown>,
  ) => Rejection | undefined;
  /** After the command, on its draft: adds what follows from its changes. */
  readonly followUp?: (draft: Draft, caller: Caller, limits: Limits) => Steps<void>;
  /** After all follow-ups: whether the changes may be made. */
  readonly beforeCommit?: (proposal: Proposal) => Steps<Rejection | undefined>;
}
