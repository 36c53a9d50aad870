import { randomUUID } from 'node:crypto';
import { calculateAllPermissions } from '../access/effective-permissions.ts';
import { lostPermissionProblem } from '../access/may.ts';
import { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import type { Limits } from '../model/limits.ts';
import { type Change, type Commit, encodeEventInSteps, encodeInSteps } from '../state/commit.ts';
import { Draft } from '../state/draft.ts';
import { type PastPart, replacedParts } from '../state/past.ts';
import type { State } from '../state/state.ts';
import { findTouched } from '../state/touched.ts';
import type { AppendBatch, EventEntry, LogEntry } from '../stores/store.ts';
import {
  auditEvent,
  type CommandContext,
  type Decidable,
  decideInSteps,
  type NewEvent,
  type WhenRemoved,
} from './command.ts';
import type { Guard, Proposal } from './guard.ts';

/** A command, its input, and the caller on whose behalf it is decided. */
export interface Order {
  readonly command: Decidable<unknown, unknown>;
  readonly input: unknown;
  readonly caller: Caller;
}

/** The outcome of one order. `seq`: the number of the first commit after which the state contains the result. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly value: unknown; readonly seq: number }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  /** The command threw an error: it has a defect. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** The rules with which a server decides every command. */
export interface Rules {
  readonly guards: readonly Guard[];
  readonly limits: Limits;
  /** The most bytes that one commit and its events may have. A command whose commit is larger is refused. If missing: `COMMIT_BYTES_MAX`. */
  readonly commitBytesMax?: number;
}

/** The result of deciding a batch of orders on one state. Nothing is appended or applied yet. */
export interface Decision {
  /** One outcome for each order, in the order of the orders. */
  readonly outcomes: readonly Outcome[];
  readonly commits: readonly Commit[];
  /** The encoded commits and their events, ready to be appended; null when no order changed anything. */
  readonly batch: AppendBatch | null;
}

/**
 * The most bytes that one commit and its events may have. A commit is always stored in one piece, and no store can accept a much larger one: Redis
 * accepts at most 512 MB in one command, and answers no other client meanwhile.
 */
export const COMMIT_BYTES_MAX = 256 * 1024 * 1024;

/** The number of changes that are moved from one draft to another in one step. */
const STEP_CHANGES = 1024;

/**
 * Decides the orders one after the other, each on the state with the earlier orders of the batch applied, and encodes the resulting commits. The
 * state must not change between the steps. If it has changed, the code that runs the steps discards the decision.
 */
export function* decide(orders: readonly Order[], state: State, now: string, rules: Rules): Steps<Decision> {
  const run = new Run(state, now, rules);
  const outcomes: Outcome[] = [];
  for (const order of orders) {
    outcomes.push(yield* run.decide(order));
    yield;
  }
  const { commits, entries, events } = run;
  const writeId = commits[0]?.writeId;
  const batch = writeId === undefined ? null : { expectedTip: state.seq, writeId, entries, events };
  return { outcomes, commits, batch };
}

const TOO_LARGE = new Rejection(
  'PayloadTooLargeError',
  'The change is too large for one request; nothing was changed. Divide it into several requests.',
);

class Run {
  readonly commits: Commit[] = [];
  readonly entries: LogEntry[] = [];
  readonly events: EventEntry[] = [];
  readonly #draft: Draft;
  readonly #now: string;
  readonly #guards: readonly Guard[];
  readonly #whenRemoved: readonly WhenRemoved[];
  readonly #limits: Limits;
  readonly #commitBytesMax: number;
  #seq: number;
  #lastEventId: number;

  constructor(state: State, now: string, { guards, limits, commitBytesMax = COMMIT_BYTES_MAX }: Rules) {
    this.#draft = new Draft(state);
    this.#now = now;
    this.#guards = guards;
    this.#whenRemoved = guards.flatMap(({ whenRemoved = [] }) => whenRemoved);
    this.#limits = limits;
    this.#commitBytesMax = commitBytesMax;
    this.#seq = state.seq;
    this.#lastEventId = state.lastEventId;
  }

  *decide({ command, input, caller }: Order): Steps<Outcome> {
    const { user, grant } = caller;
    // If the grant names no project, only the stored entity names it, so the permissions of the user in all projects may be needed.
    if (user !== null && grant && grant.project === undefined) yield* calculateAllPermissions(this.#draft, user);
    // Checks again, on the state on which the command is decided, that the caller may do this: the right may have been withdrawn since the request
    // arrived.
    const rejection = lostPermissionProblem(this.#draft, caller) ?? this.#problemBeforeCommand(caller, command);
    if (rejection) return { kind: 'rejected', rejection };
    const commandDraft = new Draft(this.#draft);
    const by = caller.author;
    const events: NewEvent[] = [];
    const emit = (event: NewEvent) => void events.push(event);
    let value: unknown;
    try {
      const context: CommandContext = {
        draft: commandDraft,
        caller,
        by,
        now: this.#now,
        newId: randomUUID,
        emit,
        limits: this.#limits,
        whenRemoved: this.#whenRemoved,
      };
      value = yield* decideInSteps(command, context, input);
    } catch (error) {
      return { kind: 'failed', error };
    }
    if (value instanceof Rejection) return { kind: 'rejected', rejection: value };
    for (const { followUp } of this.#guards)
      if (followUp) yield* followUp(commandDraft, caller, this.#limits, this.#now);
    const changes = yield* commandDraft.changesInSteps();
    const limits = this.#limits;
    const problem = yield* this.#problemBeforeCommit({
      before: this.#draft,
      after: commandDraft,
      changes,
      caller,
      command,
      limits,
    });
    if (problem) return { kind: 'rejected', rejection: problem };
    if (changes.length + events.length > 0) {
      const tooLarge = yield* this.#commit(commandDraft, changes, events, caller);
      if (tooLarge) return { kind: 'rejected', rejection: tooLarge };
      yield* this.#absorb(changes);
    }
    return { kind: 'accepted', value, seq: this.#seq };
  }

  #problemBeforeCommand(caller: Caller, command: Order['command']): Rejection | undefined {
    for (const { beforeCommand } of this.#guards) {
      const problem = beforeCommand?.(this.#draft, caller, command);
      if (problem) return problem;
    }
    return undefined;
  }

  *#problemBeforeCommit(proposal: Proposal): Steps<Rejection | undefined> {
    for (const { beforeCommit } of this.#guards) {
      const problem = beforeCommit && (yield* beforeCommit(proposal));
      if (problem) return problem;
    }
    return undefined;
  }

  /**
   * Adds a commit with the changes. If the commit is too large, returns a rejection: the order has changed nothing, and the next order is decided.
   */
  *#commit(
    commandDraft: Draft,
    changes: readonly Change[],
    events: readonly NewEvent[],
    caller: Caller,
  ): Steps<Rejection | undefined> {
    const commit: Commit = {
      seq: this.#seq + 1,
      writeId: randomUUID(),
      at: this.#now,
      by: caller.author,
      changes,
      touched: yield* findTouched(this.#draft, commandDraft, changes),
      events: { firstId: this.#lastEventId + 1, count: events.length },
    };
    const bytes = yield* encodeInSteps(commit, this.#commitBytesMax);
    if (!bytes) return TOO_LARGE;
    yield;
    let size = bytes.length;
    const eventEntries: EventEntry[] = [];
    const replaced = yield* partsByEvent(yield* replacedParts(this.#draft, changes), events);
    for (const [index, event] of events.entries()) {
      if (size > this.#commitBytesMax) break;
      const id = commit.events.firstId + index;
      const auditRecord = auditEvent(event, id, commit, caller);
      const entry = { id, bytes: yield* encodeEventInSteps(auditRecord, replaced[index] ?? []) };
      size += entry.bytes.length;
      eventEntries.push(entry);
      yield;
    }
    if (size > this.#commitBytesMax) return TOO_LARGE;
    this.#seq = commit.seq;
    this.#lastEventId += events.length;
    this.commits.push(commit);
    this.entries.push({ seq: commit.seq, bytes });
    for (const entry of eventEntries) this.events.push(entry);
    return undefined;
  }

  *#absorb(changes: readonly Change[]): Steps<void> {
    for (let start = 0; start < changes.length; start += STEP_CHANGES) {
      this.#draft.absorb(changes.slice(start, start + STEP_CHANGES));
      yield;
    }
  }
}

/**
 * The replaced parts that are stored with each event: the parts of a flag with the first event about this flag, everything else with the first event.
 * So the record of one event stays small in a commit that changes many flags.
 */
function* partsByEvent(
  parts: readonly PastPart[],
  events: readonly NewEvent[],
): Steps<readonly (readonly PastPart[])[]> {
  if (events.length <= 1) return [parts];
  const indexes = new Map<string | undefined, number>();
  for (const [index, { featureName }] of events.entries()) {
    if (!indexes.has(featureName)) indexes.set(featureName, index);
  }
  const lists: PastPart[][] = events.map(() => []);
  for (const [position, part] of parts.entries()) {
    const index = (part.collection === 'features' ? indexes.get(part.key) : undefined) ?? 0;
    lists[index]?.push(part);
    if (position % STEP_CHANGES === 0) yield;
  }
  return lists;
}
