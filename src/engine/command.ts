import type { Static, TSchema } from 'typebox';
import type { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import type { AuditEvent, EventType } from '../model/event.ts';
import type { FeatureTag } from '../model/feature.ts';
import type { Limits } from '../model/limits.ts';
import type { Author } from '../model/primitives.ts';
import type { Draft } from '../state/draft.ts';

/**
 * A possible change, as a value: a name, the schema of its input, and how it is decided against a draft of the state.
 *
 * The input is plain JSON data, whatever the command: it can be stored, sent and decided later, which is how a change that waits for approval
 * is the same change as the one a request makes at once. Deciding is pure: the same draft, input, author, time and ids give the same
 * changes, events and answer. The writer may decide a command again when another replica was first, so nothing may escape from there. A
 * rejection leaves the draft unused.
 */
export interface Command<Input, Output> {
  /** In kebab-case, as the constant that holds it is in camel case. Never changed: inputs are stored under it. */
  readonly name: string;
  /** What the input must conform to. A request's body and path are checked against the same rules; a stored input when it is read. */
  readonly input: TSchema;
  readonly isReviewed?: true;
  readonly inMaintenance?: InMaintenance;
  decide(context: CommandContext, input: Input): Output | Rejection;
}

/**
 * A command whose work grows with its input, decided in steps: the writer gives the event loop back where it yields. The same rules hold as
 * for any command. The state does not change under it: when another replica's commit arrives during a pause, what was decided is dropped
 * and the command starts anew.
 */
interface LongCommand<Input, Output> {
  readonly name: string;
  readonly input: TSchema;
  readonly isReviewed?: true;
  readonly inMaintenance?: InMaintenance;
  decide(context: CommandContext, input: Input): Steps<Output | Rejection>;
}

/**
 * What happens to it in maintenance (`features/instance/maintenance/commands.ts`), for every caller. By default it is refused to requests of the admin side,
 * and accepted from users who sign on and from the service itself.
 */
type InMaintenance = 'taken' | 'refused';

/** What it takes to be decided, at once or in steps: more than this the writer does not ask for. */
export interface Decidable<Input, Output> {
  /** It makes changes that have been reviewed, and checks them with `protectionProblem` itself. The writer checks all others. */
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

/** What every generator is derived from. */
const GENERATOR: object = Object.getPrototypeOf(function* () {}).prototype;

function isSteps<T>(outcome: T | Steps<T>): outcome is Steps<T> {
  return Object.prototype.isPrototypeOf.call(GENERATOR, outcome as object);
}

/** Any command, whatever its input; its caller has checked the input against the schema. */
export type AnyCommand = Command<unknown, unknown> | LongCommand<unknown, unknown>;

/** States a command; its input's type is its schema's. */
export function command<S extends TSchema, Output>(definition: {
  readonly name: string;
  readonly input: S;
  readonly inMaintenance?: InMaintenance;
  decide(context: CommandContext, input: Static<S>): Output | Rejection;
}): Command<Static<S>, Output> {
  return definition;
}

/** States a command that is decided in steps. */
export function longCommand<S extends TSchema, Output>(definition: {
  readonly name: string;
  readonly input: S;
  readonly isReviewed?: true;
  decide(context: CommandContext, input: Static<S>): Steps<Output | Rejection>;
}): LongCommand<Static<S>, Output> {
  return definition;
}

export interface CommandContext {
  /** Reads the state with this batch's earlier commands applied; takes the changes. */
  readonly draft: Draft;
  /** The sender of the command. A command checks permissions only if only the entity contains the project: see `may`. */
  readonly caller: Caller;
  /** The caller's name, as the audit log has it. */
  readonly by: Author;
  /** RFC 3339; the commit's time. */
  readonly now: string;
  /** Those in force. The writer checks the changes of every command against them; only a command that has to report it earlier checks itself. */
  readonly limits: Limits;
  /** A fresh UUID. */
  newId(): string;
  /** Records what happened, for the audit log. */
  emit(event: NewEvent): void;
}

/** An audit event before it is numbered and signed. What does not apply is null. */
export interface NewEvent {
  readonly type: EventType;
  readonly project?: string;
  readonly environment?: string;
  readonly featureName?: string;
  readonly data?: unknown;
  readonly preData?: unknown;
  readonly tags?: readonly FeatureTag[];
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
