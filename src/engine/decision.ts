import { randomUUID } from 'node:crypto';
import { makeWhole } from '../access/effective-permissions.ts';
import { lostRightOf } from '../access/may.ts';
import { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import type { Limits } from '../model/limits.ts';
import { type Change, type Commit, encodeEvent, encodeInSteps } from '../state/commit.ts';
import { Draft } from '../state/draft.ts';
import type { State } from '../state/state.ts';
import { findTouched } from '../state/touched.ts';
import type { AppendBatch, EventEntry, LogEntry } from '../stores/store.ts';
import { auditEvent, type Decidable, decideInSteps, type NewEvent } from './command.ts';
import type { Guard, Proposal } from './guard.ts';

/** A command, its input, and the caller on whose behalf it is decided. */
export interface Order {
  readonly command: Decidable<unknown, unknown>;
  readonly input: unknown;
  readonly caller: Caller;
}

/** The outcome of one order. `seq`: the sequence number from which on the state contains the result, once the batch is applied. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly value: unknown; readonly seq: number }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  /** The command threw an error: it has a defect. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** The rules with which a server decides every command. */
export interface Rules {
  readonly guards: readonly Guard[];
  readonly limits: Limits;
  /** The most bytes that one commit and its events may have. A command whose commit is larger is refused. Default: COMMIT_BYTES_MAX. */
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
 * The most bytes that one commit and its events may have. A change is always stored as a whole, and no store can accept a much larger one in one
 * command: Redis accepts at most 512 MB, and answers no other client meanwhile.
 */
export const COMMIT_BYTES_MAX = 256 * 1024 * 1024;

/** The number of changes that are moved from one draft to another in one step. */
const STEP_CHANGES = 1024;

/**
 * Decides the orders one after the other, each on the state with the earlier orders of the batch applied, and encodes the resulting commits. The
 * state must not change between the steps: if it did, the code that runs the steps discards the decision.
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
  'This is too much to change at once; nothing was changed. Do it in parts.',
);

class Run {
  readonly commits: Commit[] = [];
  readonly entries: LogEntry[] = [];
  readonly events: EventEntry[] = [];
  readonly #draft: Draft;
  readonly #now: string;
  readonly #guards: readonly Guard[];
  readonly #limits: Limits;
  readonly #commitBytesMax: number;
  #seq: number;
  #lastEventId: number;

  constructor(state: State, now: string, { guards, limits, commitBytesMax = COMMIT_BYTES_MAX }: Rules) {
    this.#draft = new Draft(state);
    this.#now = now;
    this.#guards = guards;
    this.#limits = limits;
    this.#commitBytesMax = commitBytesMax;
    this.#seq = state.seq;
    this.#lastEventId = state.lastEventId;
  }

  *decide({ command, input, caller }: Order): Steps<Outcome> {
    const { user, grant } = caller;
    // If the grant names no project, the project of the entity is not known yet: so the permissions of the user in all projects must be ready.
    if (user !== null && grant && grant.project === undefined) yield* makeWhole(this.#draft, user);
    // Checks again, on the state on which the command is decided, that the caller may do this: the right may have been withdrawn since the request
    // arrived.
    const refused = lostRightOf(this.#draft, caller) ?? this.#problemOfRequest(caller, command);
    if (refused) return { kind: 'rejected', rejection: refused };
    const layer = new Draft(this.#draft);
    const by = caller.author;
    const events: NewEvent[] = [];
    const emit = (event: NewEvent) => void events.push(event);
    let value: unknown;
    try {
      const context = { draft: layer, caller, by, now: this.#now, newId: randomUUID, emit, limits: this.#limits };
      value = yield* decideInSteps(command, context, input);
    } catch (error) {
      return { kind: 'failed', error };
    }
    if (value instanceof Rejection) return { kind: 'rejected', rejection: value };
    for (const { followUp } of this.#guards) if (followUp) yield* followUp(layer, caller, this.#limits);
    const changes = yield* layer.changesInSteps();
    const limits = this.#limits;
    const problem = yield* this.#problemOf({ before: this.#draft, after: layer, changes, caller, command, limits });
    if (problem) return { kind: 'rejected', rejection: problem };
    if (changes.length + events.length > 0) {
      const tooLarge = yield* this.#commit(layer, changes, events, caller);
      if (tooLarge) return { kind: 'rejected', rejection: tooLarge };
      yield* this.#absorb(changes);
    }
    return { kind: 'accepted', value, seq: this.#seq };
  }

  #problemOfRequest(caller: Caller, command: Order['command']): Rejection | undefined {
    for (const { beforeCommand } of this.#guards) {
      const problem = beforeCommand?.(this.#draft, caller, command);
      if (problem) return problem;
    }
    return undefined;
  }

  *#problemOf(proposal: Proposal): Steps<Rejection | undefined> {
    for (const { beforeCommit } of this.#guards) {
      const problem = beforeCommit && (yield* beforeCommit(proposal));
      if (problem) return problem;
    }
    return undefined;
  }

  /** If the commit is too large, all of it is dropped, and the next orders are decided as if this one had changed nothing. */
  *#commit(
    layer: Draft,
    changes: readonly Change[],
    events: readonly NewEvent[],
    { author: by, address }: Caller,
  ): Steps<Rejection | undefined> {
    const commit: Commit = {
      seq: this.#seq + 1,
      writeId: randomUUID(),
      at: this.#now,
      by,
      changes,
      touched: yield* findTouched(this.#draft, layer, changes),
      events: { firstId: this.#lastEventId + 1, count: events.length },
    };
    const bytes = yield* encodeInSteps(commit, this.#commitBytesMax);
    if (!bytes) return TOO_LARGE;
    yield;
    let size = bytes.length;
    const encoded: EventEntry[] = [];
    for (const event of events) {
      if (size > this.#commitBytesMax) break;
      const id = commit.events.firstId + encoded.length;
      const recorded = auditEvent(event, id, this.#now, by, address);
      const entry = { id, bytes: encodeEvent(recorded) };
      size += entry.bytes.length;
      encoded.push(entry);
      yield;
    }
    if (size > this.#commitBytesMax) return TOO_LARGE;
    this.#seq = commit.seq;
    this.#lastEventId += events.length;
    this.commits.push(commit);
    this.entries.push({ seq: commit.seq, bytes });
    for (const entry of encoded) this.events.push(entry);
    return undefined;
  }

  *#absorb(changes: readonly Change[]): Steps<void> {
    for (let start = 0; start < changes.length; start += STEP_CHANGES) {
      this.#draft.absorb(changes.slice(start, start + STEP_CHANGES));
      yield;
    }
  }
}
