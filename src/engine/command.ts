import type { Static, TSchema } from 'typebox';
import type { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import type { AuditEvent, EventType } from '../model/event.ts';
import type { Tag } from '../model/feature.ts';
import type { Limits } from '../model/limits.ts';
import type { Author } from '../model/primitives.ts';
import type { Draft } from '../state/draft.ts';

/**
 * A possible change, as a value: a name, the schema of its input, and how it is decided against a draft of the state.
 *
 * The input is plain JSON data, whatever the command: it can be stored, sent and decided later. Therefore a change that waits for approval is the
 * same change as one that a request makes immediately. Deciding is pure: the same draft, input, author, time and ids give the same
 * changes, events and answer. The writer may decide a command again if another replica was first, so deciding must have no effect outside the
 * draft. After a rejection the draft is not used.
 */
export interface Command<Input, Output> {
  /** In kebab-case; the constant that holds the command has the same name in camel case. Never change it: inputs are stored under this name. */
  readonly name: string;
  /** The schema of the input. The body and the path of a request are checked against the same rules; a stored input is checked when it is read. */
  readonly input: TSchema;
  readonly isReviewed?: true;
  readonly inMaintenance?: InMaintenance;
  decide(context: CommandContext, input: Input): Output | Rejection;
}

/**
 * A command whose work grows with its input, decided in steps: the writer lets the event loop run where the command yields. The same rules hold as
 * for any command. The state does not change while the command is decided: if a commit of another replica arrives during a pause, the decision so
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
 * Whether the command is accepted during maintenance (`features/instance/maintenance/commands.ts`); the value holds for every caller. Without a
 * value, the command is refused for requests of the admin side, and accepted from users who sign on and from the service itself.
 */
type InMaintenance = 'taken' | 'refused';

/** What the writer needs to decide a command, in one go or in steps. It needs nothing else. */
export interface Decidable<Input, Output> {
  /**
   * The command makes changes that have been reviewed, and checks them with `protectionProblem` itself. For all other commands the writer makes
   * this check.
   */
  readonly isReviewed?: true;
  readonly inMaintenance?: InMaintenance;
  decide(context: CommandContext, input: Input): Output | Rejection | Steps<Output | Rejection>;
}

/** Decides a command, whichever kind it is: on its own, or as a part of another one, on the same draft. */
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

/** Any command, whatever its input; its caller has checked the input against the schema. */
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
  /** Shows the state after the earlier commands of this batch; the command writes its changes into it. */
  readonly draft: Draft;
  /**
   * The sender of the command. A command checks permissions itself only if the project is known from the stored entity alone, not from the
   * request: see `may`.
   */
  readonly caller: Caller;
  /** The caller's name, as the audit log has it. */
  readonly by: Author;
  /** RFC 3339; the commit's time. */
  readonly now: string;
  /**
   * The limits in force. The writer checks the changes of every command against them; a command checks them itself only if it must report an
   * exceeded limit earlier.
   */
  readonly limits: Limits;
  /** A fresh UUID. */
  newId(): string;
  /** Records what happened, for the audit log. */
  emit(event: NewEvent): void;
}

/** An audit event before it gets its number and its author. Fields that do not apply are left out here, and null in the stored event. */
export interface NewEvent {
  readonly type: EventType;
  readonly project?: string;
  readonly environment?: string;
  readonly featureName?: string;
  readonly data?: unknown;
  readonly preData?: unknown;
  readonly tags?: readonly Tag[];
}

/** `ip`: the client address of the request; null when the service itself made the change. */
export function auditEvent(event: NewEvent, id: number, now: string, by: Author, ip: string | null): AuditEvent {
  return {
    id,
    type: event.type,
    createdAt: now,
    createdBy: by.name,
    createdByUserId: by.id,
    environment: event.environment ?? null,
    project: event.project ?? null,
    featureName: event.featureName ?? null,
    data: event.data ?? null,
    preData: event.preData ?? null,
    tags: event.tags ?? null,
    ...(ip !== null && { ip }),
  };
}
