import type { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import type { AuditEvent, EventType } from '../model/event.ts';
import type { FeatureTag } from '../model/feature.ts';
import type { Author } from '../model/primitives.ts';
import type { Draft } from '../state/draft.ts';

/**
 * A change somebody wants, decided against a draft of the state. Pure: the same draft, input, author, time and ids give the same
 * changes, events and answer. The writer may decide a command again when another replica was first, so nothing may escape from here.
 * A rejection leaves the draft unused.
 */
export type Command<Input, Output> = (context: CommandContext, input: Input) => Output | Rejection;

/**
 * A command whose work grows with its input, decided in steps: the writer gives the event loop back where it yields. The same rules hold as
 * for any command. The state does not change under it: when another replica's commit arrives during a pause, what was decided is dropped
 * and the command starts anew.
 */
export type LongCommand<Input, Output> = (context: CommandContext, input: Input) => Steps<Output | Rejection>;

export interface CommandContext {
  /** Reads the state with this batch's earlier commands applied; takes the changes. */
  readonly draft: Draft;
  /** On whose behalf. Whether they may is asked here only where nothing but the entity tells the project: see `may`. */
  readonly caller: Caller;
  /** The caller's name, as the audit log has it. */
  readonly by: Author;
  /** RFC 3339; the commit's time. */
  readonly now: string;
  /** A fresh UUID. */
  newId(): string;
  /** Records what happened, for the audit log. */
  emit(event: NewEvent): void;
}

/** An audit event before it is numbered and signed. What is not told is null. */
export interface NewEvent {
  readonly type: EventType;
  readonly project?: string;
  readonly environment?: string;
  readonly featureName?: string;
  readonly data?: unknown;
  readonly preData?: unknown;
  readonly tags?: readonly FeatureTag[];
}

export function auditEvent(event: NewEvent, id: number, now: string, by: Author): AuditEvent {
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
  };
}
