import type { Static, TSchema } from 'typebox';
import type { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import type { AuditEvent, EventType } from '../model/event.ts';
import type { Tag } from '../model/feature.ts';
import type { Limits } from '../model/limits.ts';
import type { Author } from '../model/primitives.ts';
import type { User } from '../model/user.ts';
import type { Commit } from '../state/commit.ts';
import type { Draft } from '../state/draft.ts';

/**
 * A possible change, as a value: a name, the schema of its input, and how it is decided against a draft of the state.
 *
 * The input of every command is plain JSON data, so it can be stored, sent and decided later. Therefore a change that waits for approval is the same
 * command as a change that a request makes immediately. Deciding is pure: the same draft, input, author, time and ids give the same changes, events
 * and answer. The writer decides a command again if another replica appended first, so deciding must have no effect outside the draft. After a
 * rejection the draft is not used.
 */
interface Command<Input, Output> {
  /** In kebab-case; the constant that holds the command has the same name in camel case. Never change it: inputs are stored under this name. */
  readonly name: string;
  /** The schema of the input. The body and the path of a request are checked against the same rules; a stored input is checked when it is read. */
  readonly input: TSchema;
  readonly isReviewed?: true;
  readonly inMaintenance?: InMaintenance;
  decide(context: CommandContext, input: Input): Output | Rejection;
}

/**
 * A command whose work grows with its input, decided in steps: the writer lets the event loop run where the command yields. The rules of `Command`
 * apply to it as well. The state does not change while the command is decided: if a commit of another replica arrives during a pause, the decision so
 * far is dropped and the command starts again.
 */
interface LongCommand<Input, Output> {
  readonly name: string;
  readonly input: TSchema;
  readonly isReviewed?: true;
  readonly inMaintenance?: InMaintenance;
  decide(context: CommandContext, input: Input): Steps<Output | Rejection>;
}

/**
 * Whether the command is accepted during maintenance (`features/instance/maintenance/commands.ts`), for every caller. A command without a value is
 * refused in requests of the admin API, and accepted from users who sign on and from the service itself.
 */
type InMaintenance = 'accepted' | 'refused';

/** The part of a command that the writer needs to decide it. `decide` returns an outcome, or steps that return the outcome. */
export interface Decidable<Input, Output> {
  /**
   * The command makes changes that have been reviewed, and checks them with `protectionProblem` itself. For commands without this field, a guard of
   * the writer makes this check.
   */
  readonly isReviewed?: true;
  readonly inMaintenance?: InMaintenance;
  decide(context: CommandContext, input: Input): Output | Rejection | Steps<Output | Rejection>;
}

/** Decides a command of either kind. A command may also decide another command in this way, on its own draft. */
export function* decideInSteps<Input, Output>(
  command: Decidable<Input, Output>,
  context: CommandContext,
  input: Input,
): Steps<Output | Rejection> {
  const outcome = command.decide(context, input);
  return isSteps(outcome) ? yield* outcome : outcome;
}

/** The prototype of every generator. */
const GENERATOR: object = Object.getPrototypeOf(function* () {}).prototype;

function isSteps<T>(outcome: T | Steps<T>): outcome is Steps<T> {
  return Object.prototype.isPrototypeOf.call(GENERATOR, outcome as object);
}

/** A command with any input. Code that decides it must check the input against the schema first. */
export type AnyCommand = Command<unknown, unknown> | LongCommand<unknown, unknown>;

/** Defines a command. The type of its input follows from the schema. */
export function command<S extends TSchema, Output>(definition: {
  readonly name: string;
  readonly input: S;
  readonly inMaintenance?: InMaintenance;
  decide(context: CommandContext, input: Static<S>): Output | Rejection;
}): Command<Static<S>, Output> {
  return definition;
}

/** Defines a command that is decided in steps. */
export function longCommand<S extends TSchema, Output>(definition: {
  readonly name: string;
  readonly input: S;
  readonly isReviewed?: true;
  decide(context: CommandContext, input: Static<S>): Steps<Output | Rejection>;
}): LongCommand<Static<S>, Output> {
  return definition;
}

export interface CommandContext {
  /** The state after the earlier commands of this batch. The command writes its changes into the draft. */
  readonly draft: Draft;
  /**
   * The sender of the command. A command checks permissions itself only if the project is known from the stored entity alone, not from the
   * request: see `may`.
   */
  readonly caller: Caller;
  /** The caller's id and name, as the audit log shows them. */
  readonly by: Author;
  /** The time of the commit, as an RFC 3339 time. */
  readonly now: string;
  /**
   * The effective limits. The writer checks the changes of every command against them; a command checks them itself only if it must report an
   * exceeded limit earlier.
   */
  readonly limits: Limits;
  /** What the features do when something is removed that they refer to: see `removing`. */
  readonly whenRemoved: readonly WhenRemoved[];
  /** A fresh UUID. */
  newId(): string;
  /** Records an event for the audit log. */
  emit(event: NewEvent): void;
}

/** What commands remove or archive, and features refer to that do not own it. */
interface Removed {
  /** The id of a project. */
  readonly project: string;
  readonly archivedProject: string;
  /** The id of a project that is removed with all of its flags. Called before `flags`. */
  readonly allFlagsOfProject: string;
  readonly environment: string;
  /** A project loses an environment. */
  readonly projectEnvironment: { readonly project: string; readonly environment: string };
  readonly user: User;
  /** The names of flags. */
  readonly flags: ReadonlySet<string>;
  readonly archivedFlag: string;
}

/** What a feature does when a command of another feature removes or archives something that it refers to. */
export type WhenRemoved = {
  readonly [Kind in keyof Removed]?: (context: CommandContext, removed: Removed[Kind]) => Steps<void> | undefined;
};

/** A command calls this when it removes or archives something that other features may refer to. They end on its draft what refers to it. */
export function* removing<Kind extends keyof Removed>(
  context: CommandContext,
  kind: Kind,
  removed: Removed[Kind],
): Steps<void> {
  for (const { [kind]: end } of context.whenRemoved) {
    const steps = end?.(context, removed);
    if (steps) yield* steps;
  }
}

/** An audit event before it gets its id and its author. Fields that do not apply are missing in a `NewEvent`, and null in the stored event. */
export interface NewEvent {
  readonly type: EventType;
  readonly project?: string;
  readonly environment?: string;
  readonly featureName?: string;
  readonly data?: unknown;
  readonly preData?: unknown;
  readonly tags?: readonly Tag[];
}

/** The audit event with this id, which is stored with the commit. `caller` is the sender of the command. */
export function auditEvent(
  event: NewEvent,
  id: number,
  { seq, at, by }: Pick<Commit, 'seq' | 'at' | 'by'>,
  { address, reason }: Pick<Caller, 'address' | 'reason'>,
): AuditEvent {
  return {
    id,
    type: event.type,
    createdAt: at,
    createdBy: by.name,
    createdByUserId: by.id,
    environment: event.environment ?? null,
    project: event.project ?? null,
    featureName: event.featureName ?? null,
    // These fields come before the data, so that they can be read without it: `decodeEventHead`.
    revision: seq,
    ...(reason !== null && { reason }),
    data: event.data ?? null,
    preData: event.preData ?? null,
    tags: event.tags ?? null,
    ...(address !== null && { ip: address }),
  };
}
