import { randomUUID } from 'node:crypto';
import { lapse } from '../access/may.ts';
import { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import { makeRoom } from '../commands/change-request-room.ts';
import { auditEvent, type Decidable, decideInSteps, type NewEvent } from '../commands/command.ts';
import { limitProblem } from '../commands/limit-rules.ts';
import { maintenanceProblem } from '../commands/maintenance.ts';
import { protectionProblem } from '../commands/protection-rules.ts';
import type { Caller } from '../model/caller.ts';
import { withCollaborator } from '../model/feature.ts';
import type { Limits } from '../model/limits.ts';
import { type Author, SYSTEM_USER_ID } from '../model/primitives.ts';
import { type Change, type Commit, encodeEvent, encodeInSteps } from '../state/commit.ts';
import { Draft } from '../state/draft.ts';
import { factOf } from '../state/event-facts.ts';
import type { State } from '../state/state.ts';
import { findTouched } from '../state/touched.ts';
import type { AppendBatch, EventEntry, LogEntry } from '../stores/store.ts';

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
 * takes 512 MB at most, and holds everybody up meanwhile.
 */
export const COMMIT_BYTES_MAX = 256 * 1024 * 1024;

/** Changes that are moved from one draft to another in one step. */
const STEP_CHANGES = 1024;

/**
 * Decides orders one after the other, each on the state with the earlier ones applied, and encodes what comes of them. The state must be
 * the same at every step: whoever runs the steps drops the decision when it is not.
 */
export function* decide(
  orders: readonly Order[],
  state: State,
  now: string,
  limits: Limits,
  commitBytesMax = COMMIT_BYTES_MAX,
): Steps<Decision> {
  const run = new Run(state, now, limits, commitBytesMax);
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
  readonly #limits: Limits;
  readonly #commitBytesMax: number;
  #seq: number;
  #lastEventId: number;

  constructor(state: State, now: string, limits: Limits, commitBytesMax: number) {
    this.#draft = new Draft(state);
    this.#now = now;
    this.#limits = limits;
    this.#commitBytesMax = commitBytesMax;
    this.#seq = state.seq;
    this.#lastEventId = state.lastEventId;
  }

  *decide({ command, input, caller }: Order): Steps<Outcome> {
    // What let the request in, asked of the state that the command is decided on: it may have been taken away by then.
    const refused = lapse(this.#draft, caller) ?? maintenanceProblem(this.#draft, caller, command);
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
    if (caller.kind === 'user') yield* noteCollaborator(layer, by);
    yield* makeRoom(layer, this.#limits);
    const changes = yield* layer.changesInSteps();
    // What the service does of its own accord is not limited: its first content, the tokens that the environment names.
    const isLimited = caller.kind !== 'system' || by.id !== SYSTEM_USER_ID;
    const transition = { before: this.#draft, after: layer };
    const problem = isLimited ? yield* limitProblem(transition, changes, this.#limits) : undefined;
    if (problem) return { kind: 'rejected', rejection: problem };
    const unreviewed = command.isReviewed ? undefined : yield* protectionProblem(transition, changes, caller);
    if (unreviewed) return { kind: 'rejected', rejection: unreviewed };
    if (changes.length + events.length > 0) {
      const tooLarge = yield* this.#commit(layer, changes, events, caller);
      if (tooLarge) return { kind: 'rejected', rejection: tooLarge };
      yield* this.#absorb(changes);
    }
    return { kind: 'accepted', value, seq: this.#seq };
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
      const entry = { id, bytes: encodeEvent(recorded), fact: factOf(recorded) };
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

/** Whoever changes a flag becomes its newest collaborator, whichever command it was: docs/decisions/collaborators.md. */
function* noteCollaborator(layer: Draft, { id }: Author): Steps<void> {
  // What is put here replaces what the draft has under the same key: nothing is met twice.
  for (const [, feature] of layer.changed('features')) {
    if (feature === undefined) continue;
    const noted = withCollaborator(feature, id);
    if (noted !== feature) layer.put('features', noted);
    yield;
  }
}
