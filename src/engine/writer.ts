import { SERVICE } from '../base/asking/asker.ts';
import { assert } from '../base/assert.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { Rejection, unavailable } from '../base/rejection.ts';
import { inSlicesWhile, SLICE_BUDGET_MS, Slicer, type Steps } from '../base/yield-control.ts';
import { type Caller, systemCaller } from '../model/caller.ts';
import { defaultLimits, type Limits } from '../model/limits.ts';
import type { Author } from '../model/primitives.ts';
import { REFUSALS } from '../stores/refusal-texts.ts';
import { type EntryOrigin, type Store, StoreError } from '../stores/store.ts';
import type { Decidable } from './command.ts';
import { COMMIT_BYTES_MAX, type Decision, decide, type Order, type Outcome, type Rules } from './decision.ts';
import type { Guard } from './guard.ts';
import { type Rehearsal, rehearse } from './rehearsal.ts';
import type { Replica } from './replica.ts';

/**
 * The result of a command whose changes are durable and applied. `seq`: the number of the first commit after which the state contains the changes.
 */
interface Accepted<Output> {
  readonly value: Output;
  readonly seq: number;
}

export interface WriterOptions {
  /** The most commands that may wait. Further commands get 503. Limits the memory that is used when the store is slow. */
  readonly mailboxLimit?: number;
  /** The most commands that are decided between two appends. Limits how long each of them waits for the others. */
  readonly batchLimit?: number;
  /**
   * How long deciding and applying may block the event loop without a pause, in milliseconds. With 0, there is a pause after every step: for
   * simulations.
   */
  readonly sliceBudgetMs?: number;
  /** The rules of features that apply to every command. */
  readonly guards: readonly Guard[];
  /** The limits for data that users create. */
  readonly limits?: Limits;
  /** The most bytes that one commit and its events may have. A command whose commit is larger is refused. */
  readonly commitBytesMax?: number;
}

interface Message extends Order {
  readonly settle: (outcome: Accepted<unknown> | Rejection) => void;
  readonly fail: (error: unknown) => void;
}

/** An append that succeeded. `generation` is the generation of the state on which the batch was decided. */
interface Appended {
  readonly origin?: EntryOrigin;
  readonly generation: number;
}

const RETRY_AFTER_S = 2;

/**
 * How often a batch is decided that takes several slices to decide, if commits of other replicas arrive during each attempt. Each attempt repeats all
 * of the work, and all later writes of this replica wait meanwhile.
 */
const LONG_ATTEMPTS_MAX = 8;

const OTHERS_FIRST = 'Other writes came first at every attempt; nothing was changed. Try again.';

/**
 * The single writer. It takes all waiting commands as one batch, decides each command against one draft, appends the batch once, applies
 * it, and only then answers. Nothing is visible before it is durable: rejections also wait for the append, because they may depend
 * on an earlier command of the same batch. The writer yields to the event loop during long decisions, encoding and
 * applying; a partial commit is never visible.
 */
export class Writer {
  readonly #replica: Replica;
  readonly #store: Pick<Store, 'append'>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #mailboxLimit: number;
  readonly #batchLimit: number;
  readonly #sliceBudgetMs: number;
  readonly #rules: Rules;
  #mailbox: Message[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(replica: Replica, store: Pick<Store, 'append'>, clock: Clock, logger: Logger, options: WriterOptions) {
    this.#replica = replica;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#mailboxLimit = options.mailboxLimit ?? 10_000;
    this.#batchLimit = options.batchLimit ?? 128;
    const { guards, limits = defaultLimits(), commitBytesMax = COMMIT_BYTES_MAX } = options;
    this.#rules = { guards, limits, commitBytesMax };
    this.#sliceBudgetMs = options.sliceBudgetMs ?? SLICE_BUDGET_MS;
  }

  /** How often, since the process began, a batch had to be decided again because another replica appended first. */
  conflicts = 0;

  /** The number of waiting commands. */
  get depth(): number {
    return this.#mailbox.length;
  }

  /** Resolves when the command is durable and applied, or when it is rejected and has changed nothing. Rejects only if the command has a defect. */
  submit<Input, Output>(
    command: Decidable<Input, Output>,
    input: Input,
    by: Author | Caller,
  ): Promise<Accepted<Output> | Rejection> {
    if (this.#closed) return Promise.resolve(unavailable('The service is stopping.', RETRY_AFTER_S));
    if (this.#mailbox.length >= this.#mailboxLimit) {
      return Promise.resolve(unavailable('Too many writes are waiting.', RETRY_AFTER_S));
    }
    const caller = 'kind' in by ? by : systemCaller(by);
    return new Promise((resolve, reject) => {
      this.#mailbox.push({ command, input, caller, settle: resolve, fail: reject } as Message);
      this.#running ??= this.#run();
    });
  }

  /** Decides the orders with the rules of this writer and stores nothing. The state must not change between the steps. */
  rehearse(orders: readonly Order[]): Steps<Rehearsal> {
    return rehearse(orders, this.#replica.state, isoTime(this.#clock.nowMs()), this.#rules);
  }

  /** Accepts no more commands. Resolves when all waiting commands have been answered. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Waits one turn of the event loop. So commands whose requests arrived together use one append, even if some of them were submitted a little
    // later.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#mailbox.length > 0) {
      const messages = this.#mailbox.splice(0, this.#batchLimit);
      try {
        await this.#process(messages);
      } catch (error) {
        if (!(error instanceof StoreError)) this.#logger.error({ err: error }, 'a batch of writes failed');
        const outcome = rejectionOf(error);
        for (const message of messages) message.settle(outcome);
      }
    }
    this.#running = undefined;
  }

  async #process(messages: readonly Message[]): Promise<void> {
    for (let longAttempts = 0; longAttempts < LONG_ATTEMPTS_MAX; ) {
      const { decision, isLong } = await this.#decide(messages);
      const appended = decision && (await this.#append(decision));
      if (appended) {
        await this.#apply(decision, appended.generation, appended.origin);
        for (const [index, message] of messages.entries()) answer(message, decision.outcomes[index]);
        return;
      }
      if (isLong) longAttempts++;
    }
    await this.#processApart(messages);
  }

  /** Processes the commands one by one, so that only a command that takes too long by itself is refused. */
  async #processApart(messages: readonly Message[]): Promise<void> {
    if (messages.length > 1) {
      for (const message of messages) await this.#process([message]);
      return;
    }
    const outcome = unavailable(OTHERS_FIRST, RETRY_AFTER_S);
    for (const message of messages) message.settle(outcome);
  }

  /** Decides the commands. `decision` is undefined when the state changed meanwhile: parts of the decision would be based on different states. */
  async #decide(orders: readonly Order[]): Promise<{ decision: Decision | undefined; isLong: boolean }> {
    const { state } = this.#replica;
    const { seq, generation } = state;
    let isLong = false;
    const isUnchanged = () => {
      isLong = true;
      return state.seq === seq && state.generation === generation;
    };
    const steps = decide(orders, state, isoTime(this.#clock.nowMs()), this.#rules);
    try {
      const decision = await inSlicesWhile(steps, isUnchanged, Slicer.of(SERVICE, this.#sliceBudgetMs));
      return { decision, isLong };
    } catch (error) {
      this.#logger.error({ err: error }, 'a batch of writes could not be decided');
      throw new StoreError('the batch could not be decided', 'not-appended', { cause: error });
    }
  }

  /**
   * Appends the batch. If another replica appended first, applies its commits and resolves with null. Throws if they cannot be applied: deciding
   * again would find the same conflict for ever.
   */
  async #append({ batch }: Decision): Promise<Appended | null> {
    const { state } = this.#replica;
    const { generation } = state;
    if (!batch) return { generation };
    const outcome = await this.#store.append(batch);
    if (outcome.status === 'appended') return { ...outcome, generation };
    this.conflicts++;
    try {
      await this.#replica.catchUp();
    } catch (error) {
      // The outcome is `not-appended`, whatever the reason why the log cannot be read: the conflict proves that the batch is not in the log.
      throw new StoreError('another replica appended first, and its commits cannot be loaded', 'not-appended', {
        cause: error,
      });
    }
    if (state.seq <= batch.expectedTip && state.generation === generation) {
      throw new StoreError(
        `the log ends at commit ${outcome.tip}, but the state ends at commit ${state.seq}`,
        'not-appended',
      );
    }
    return null;
  }

  /** Applies the commits. Each one becomes visible as a whole. Other work may run between two commits, because each commit is durable by itself. */
  async #apply({ commits, batch }: Decision, generation: number, origin?: EntryOrigin): Promise<void> {
    const { state } = this.#replica;
    const slicer = Slicer.of(SERVICE, this.#sliceBudgetMs);
    for (const [index, commit] of commits.entries()) {
      const bytes = batch?.entries[index]?.bytes;
      assert(bytes, `no bytes of commit ${commit.seq}`);
      const entry = { seq: commit.seq, bytes, origin };
      // The batch was appended, but another history has replaced this one since then: no caller may get an answer about commits that the new history
      // does not contain.
      if (this.#replica.isForeign || state.generation !== generation) {
        throw new StoreError('the history was replaced before the commit was applied', 'unknown');
      }
      const isTaken = this.#replica.offer(commit, entry) || (await this.#replica.take(commit, entry));
      if (!isTaken) throw new StoreError(`commit ${commit.seq} is not part of the history any more`, 'unknown');
      if (slicer.spent) await slicer.pause();
    }
  }
}

const NOT_KNOWN =
  'The store failed during the write: whether the change was stored is not known. Read the changed object before you repeat the request.';

function rejectionOf(error: unknown): Rejection {
  // The error may have happened after the append, so the change may be stored. The answer has no `Retry-After`: with it, HTTP clients repeat some
  // requests by themselves, even PUT and DELETE, and would make the change twice.
  if (!(error instanceof StoreError) || error.outcome === 'unknown') {
    return new Rejection('ServiceUnavailableError', NOT_KNOWN);
  }
  const cause = error.refusal ? ` (${REFUSALS[error.refusal].cause})` : '';
  return unavailable(`The store cannot be written to now${cause}; nothing was changed.`, RETRY_AFTER_S);
}

function answer(message: Message, outcome: Outcome | undefined): void {
  assert(outcome, 'a message was not decided');
  if (outcome.kind === 'accepted') message.settle({ value: outcome.value, seq: outcome.seq });
  else if (outcome.kind === 'rejected') message.settle(outcome.rejection);
  else message.fail(outcome.error);
}
