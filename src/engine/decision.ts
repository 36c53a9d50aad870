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

/** A command and on whose behalf it is to be decided. */
export interface Order {
  readonly command: Decidable<unknown, unknown>;
  readonly input: unknown;
  readonly caller: Caller;
}

/** How one order came out. `seq` is the state's sequence number that shows it, once the batch is applied. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly value: unknown; readonly seq: number }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  /** A defect of the command. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** What every command of an instance is decided with. */
export interface Rules {
  readonly guards: readonly Guard[];
  readonly limits: Limits;
  /** Bytes of one commit with its events: a command that comes to more is refused. */
  readonly commitBytesMax?: number;
}

/** What a batch of orders comes to on one state. Nothing of it has happened yet. */
export interface Decision {
  /** One for each order, in their order. */
  readonly outcomes: readonly Outcome[];
  readonly commits: readonly Commit[];
  /** The commits and their events as bytes; null when there are none. */
  readonly batch: AppendBatch | null;
}

/**
 * Bytes of one commit with its events. A change is never kept in part, and what is larger no store could be asked to take in one piece: Redis
 * takes 512 MB at most, and blocks all others meanwhile.
 */
export const COMMIT_BYTES_MAX = 256 * 1024 * 1024;

/** Changes that are moved from one draft to another in one step. */
const STEP_CHANGES = 1024;

/**
 * Decides orders one after the other, each on the state with the earlier ones applied, and encodes what comes of them. The state must be
 * the same at every step: the code that runs the steps drops the decision when it is not.
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
    // Where only the entity names the project, all of the caller's are asked.
    if (user !== null && grant && grant.project === undefined) yield* makeWhole(this.#draft, user);
    // What let the request in, asked of the state that the command is decided on: it may have been taken away by then.
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

  /** Nothing is kept of a commit that is too large: the orders behind it are decided as if it had not been made. */
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
