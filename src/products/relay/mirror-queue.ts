import { Rejection } from '../../base/rejection.ts';
import type { Writer } from '../../engine/writer.ts';
import { systemCaller } from '../../model/caller.ts';
import { type MirrorResult, mirror } from '../mirror/mirror.ts';
import type { ForgottenScope, SourceScope } from '../mirror/mirror-input.ts';

/**
 * Maximum content of one commit, in received bytes. Flags are written whole, with all their environments, and no store accepts a commit of more than
 * 256 MB.
 */
const BATCH_BYTES_MAX = 48 * 1024 * 1024;

/** How long received content waits for another scope. The time starts again with each content that arrives. */
const HOLD_MS = 500;

interface WaitingScope {
  readonly content: SourceScope;
  readonly bytes: number;
  settle(outcome: Rejection | undefined): void;
  fail(error: unknown): void;
}

/**
 * Writes received content into the state. All content that is available is written in one commit: a commit contains whole flags with all their
 * environments, so one commit for several environments is cheaper than one commit for each.
 */
export class MirrorQueue {
  readonly #writer: Pick<Writer, 'submit'>;
  readonly #onMirrored: (result: MirrorResult) => void;
  #waiting: WaitingScope[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | undefined;
  /** Number of scopes that will arrive soon: other content waits for them, within limits of size and time. */
  #expected = 0;
  #heldUntilMs = 0;

  /** `onMirrored` is called with the outcome of each commit. */
  constructor(writer: Pick<Writer, 'submit'>, onMirrored: (result: MirrorResult) => void = () => {}) {
    this.#writer = writer;
    this.#onMirrored = onMirrored;
  }

  /** Removes scopes from the state that are no longer requested. This is not urgent: if it fails now, it is done later. */
  async forget(forgotten: readonly ForgottenScope[]): Promise<void> {
    await this.#writer.submit(mirror, { scopes: [], forgotten: [...forgotten] }, systemCaller());
  }

  /** Notes that a scope will arrive soon, and is worth waiting for. The caller must call `noteArrival` later, with or without content. */
  noteExpected(): void {
    this.#expected++;
  }

  /** Notes that an expected scope has arrived, or will not arrive. */
  noteArrival(): void {
    this.#expected--;
    this.#begin();
  }

  /** Resolves when the content is part of the state, or with a rejection when that is impossible. `bytes`: the received size of the content. */
  apply(content: SourceScope, bytes: number): Promise<Rejection | undefined> {
    return new Promise((settle, fail) => {
      this.#waiting.push({ content, bytes, settle, fail });
      this.#waitingBytes += bytes;
      this.#heldUntilMs = performance.now() + HOLD_MS;
      setTimeout(() => this.#begin(), HOLD_MS + 1).unref();
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#waiting.length === 0) return;
    const isHeld = this.#expected > 0 && performance.now() < this.#heldUntilMs;
    if (isHeld && this.#waitingBytes < BATCH_BYTES_MAX) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      this.#begin();
    });
  }

  async #run(): Promise<void> {
    const batch = this.#take();
    try {
      const rejection = await this.#submit(batch);
      // If the batch is refused because of one scope, its scopes are submitted separately.
      const submitsSeparately = rejection !== undefined && batch.length > 1;
      for (const one of batch) one.settle(submitsSeparately ? await this.#submit([one]) : rejection);
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
  }

  async #submit(batch: readonly WaitingScope[]): Promise<Rejection | undefined> {
    const scopes = batch.map(({ content }) => content);
    const outcome = await this.#writer.submit(mirror, { scopes }, systemCaller());
    if (outcome instanceof Rejection) return outcome;
    this.#onMirrored(outcome.value);
    return undefined;
  }

  /** Takes at least one item. Further items are added only up to the maximum content of one commit. */
  #take(): readonly WaitingScope[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      if (count > 0 && bytes + waiting.bytes > BATCH_BYTES_MAX) break;
      bytes += waiting.bytes;
      count++;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }
}
