import { randomUUID } from 'node:crypto';
import { assert } from '../base/assert.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { Rejection, unavailable } from '../base/rejection.ts';
import { auditEvent, type Command, type NewEvent } from '../commands/command.ts';
import type { Author } from '../model/primitives.ts';
import { type Commit, encodeCommit, encodeEvent } from '../state/commit.ts';
import { Draft } from '../state/draft.ts';
import { touchedPartitions } from '../state/touched.ts';
import { type AppendBatch, type Store, StoreError } from '../stores/store.ts';
import type { Replica } from './replica.ts';

/** A command that was made durable and applied. `seq` is the state's sequence number that holds it. */
export interface Accepted<Output> {
  readonly value: Output;
  readonly seq: number;
}

export interface WriterOptions {
  /** Commands that may wait; one more is told 503. Bounds memory when the store is slow. */
  readonly mailboxLimit?: number;
  /** Commands decided between two appends. Bounds how long the loop is held. */
  readonly batchLimit?: number;
}

interface Letter {
  readonly command: Command<unknown, unknown>;
  readonly input: unknown;
  readonly by: Author;
  readonly settle: (outcome: Accepted<unknown> | Rejection) => void;
  readonly fail: (error: unknown) => void;
}

interface Decided {
  readonly letter: Letter;
  readonly value: unknown;
  readonly seq: number;
}

interface DecidedBatch {
  readonly baseSeq: number;
  readonly commits: Commit[];
  readonly decided: Decided[];
}

const RETRY_AFTER_S = 2;

/**
 * The single writer. It takes everything that waits as one batch, decides each command against one draft, appends the batch once, applies
 * it, and only then answers anybody. Nobody sees what is not durable: rejections, too, wait for the append, because they may have been
 * decided on an earlier command of the same batch.
 */
export class Writer {
  readonly #replica: Replica;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #mailboxLimit: number;
  readonly #batchLimit: number;
  #mailbox: Letter[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(replica: Replica, store: Store, clock: Clock, logger: Logger, options: WriterOptions = {}) {
    this.#replica = replica;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#mailboxLimit = options.mailboxLimit ?? 10_000;
    this.#batchLimit = options.batchLimit ?? 128;
  }

  /** Commands that wait. */
  get depth(): number {
    return this.#mailbox.length;
  }

  /** Resolves when the command is durable and applied, or rejected with the state untouched. Throws only for defects of a command. */
  submit<Input, Output>(
    command: Command<Input, Output>,
    input: Input,
    by: Author,
  ): Promise<Accepted<Output> | Rejection> {
    if (this.#closed) return Promise.resolve(unavailable('The service is stopping.', RETRY_AFTER_S));
    if (this.#mailbox.length >= this.#mailboxLimit) {
      return Promise.resolve(unavailable('Too many writes are waiting.', RETRY_AFTER_S));
    }
    return new Promise((resolve, reject) => {
      this.#mailbox.push({ command, input, by, settle: resolve, fail: reject } as Letter);
      this.#running ??= this.#run();
    });
  }

  /** Takes no more commands; resolves when those that wait have been answered. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // One turn of the loop, so that commands that arrive together share an append.
    await Promise.resolve();
    while (this.#mailbox.length > 0) {
      const letters = this.#mailbox.splice(0, this.#batchLimit);
      try {
        await this.#process(letters);
      } catch (error) {
        if (!(error instanceof StoreError)) this.#logger.error({ err: error }, 'a batch of writes failed');
        const outcome = unavailable(this.#unavailableMessage(error), RETRY_AFTER_S);
        for (const letter of letters) letter.settle(outcome);
      }
    }
    this.#running = undefined;
  }

  async #process(letters: readonly Letter[]): Promise<void> {
    for (;;) {
      const batch = this.#decide(letters);
      if (batch.commits.length > 0) {
        const outcome = await this.#store.append(toAppend(batch));
        if (outcome.status === 'conflict') {
          await this.#replica.catchUp();
          continue;
        }
        for (const commit of batch.commits) assert(this.#replica.offer(commit), `gap before commit ${commit.seq}`);
      }
      for (const { letter, value, seq } of batch.decided) {
        letter.settle(value instanceof Rejection ? value : { value, seq });
      }
      return;
    }
  }

  #decide(letters: readonly Letter[]): DecidedBatch {
    const { state } = this.#replica;
    const draft = new Draft(state);
    const batch: DecidedBatch = { baseSeq: state.seq, commits: [], decided: [] };
    const now = isoTime(this.#clock.nowMs());
    let eventId = state.lastEventId;
    for (const letter of letters) {
      const layer = new Draft(draft);
      const events: NewEvent[] = [];
      let value: unknown;
      try {
        value = letter.command(
          { draft: layer, by: letter.by, now, newId: randomUUID, emit: (event) => events.push(event) },
          letter.input,
        );
      } catch (error) {
        letter.fail(error);
        continue;
      }
      const changes = value instanceof Rejection ? [] : layer.changes();
      if (!(value instanceof Rejection) && changes.length + events.length > 0) {
        const touched = touchedPartitions(draft, layer, changes);
        draft.absorb(changes);
        const numbered = events.map((event) => auditEvent(event, ++eventId, now, letter.by));
        const seq = batch.baseSeq + batch.commits.length + 1;
        batch.commits.push({ seq, writeId: randomUUID(), at: now, by: letter.by, changes, touched, events: numbered });
      }
      batch.decided.push({ letter, value, seq: batch.baseSeq + batch.commits.length });
    }
    return batch;
  }

  #unavailableMessage(error: unknown): string {
    if (error instanceof StoreError && error.outcome === 'unknown') {
      return 'The store failed while it was writing: whether the change was kept is not known. Read it back before you repeat it.';
    }
    return 'The store cannot be written to now; nothing was changed.';
  }
}

function toAppend({ baseSeq, commits }: DecidedBatch): AppendBatch {
  return {
    expectedTip: baseSeq,
    writeId: commits[0]?.writeId ?? '',
    entries: commits.map((commit) => ({ seq: commit.seq, bytes: encodeCommit(commit) })),
    events: commits.flatMap((commit) => commit.events.map((event) => ({ id: event.id, bytes: encodeEvent(event) }))),
  };
}
