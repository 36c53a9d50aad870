import { Rejection } from '../../base/rejection.ts';
import type { Writer } from '../../engine/writer.ts';
import { systemCaller } from '../../model/caller.ts';
import { type Mirrored, mirror } from '../mirror/mirror.ts';
import type { ForgottenScope, SourceScope } from '../mirror/mirror-input.ts';

/**
 * Maximum content of one commit, in received bytes. Flags are written whole, with all their environments, and no store accepts a commit of more than
 * 256 MB.
 */
const BATCH_BYTES_MAX = 48 * 1024 * 1024;

/** How long received content waits for another scope. The time starts again with each content that arrives. */
const HOLD_MS = 500;

interface Waiting {
  readonly sent: SourceScope;
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
  readonly #onBrought: (brought: Mirrored) => void;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | undefined;
  /** Number of scopes that will arrive soon: other content waits for them, within limits of size and time. */
  #expected = 0;
  #heldUntilMs = 0;

  /** `onBrought` is called with the outcome of each commit. */
  constructor(writer: Pick<Writer, 'submit'>, onBrought: (brought: Mirrored) => void = () => {}) {
    this.#writer = writer;
    this.#onBrought = onBrought;
  }

  /** Removes scopes from the state that are no longer requested. This is not urgent: if it fails now, it is done later. */
  async forget(forgotten: readonly ForgottenScope[]): Promise<void> {
    await this.#writer.submit(mirror, { scopes: [], forgotten: [...forgotten] }, systemCaller());
  }

  /** A scope will arrive soon and is worth waiting for. The caller must call `arrived` later, with or without content. */
  expect(): void {
    this.#expected++;
  }

  arrived(): void {
    this.#expected--;
    this.#begin();
  }

  /** Resolves when the content is part of the state; with a rejection when that is impossible. `bytes`: its received size. */
  bring(sent: SourceScope, bytes: number): Promise<Rejection | undefined> {
    return new Promise((settle, fail) => {
      this.#waiting.push({ sent, bytes, settle, fail });
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
      const refused = await this.#submit(batch);
      // If one scope is refused, the others are submitted separately.
      const isApart = refused !== undefined && batch.length > 1;
      for (const one of batch) one.settle(isApart ? await this.#submit([one]) : refused);
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
  }

  async #submit(batch: readonly Waiting[]): Promise<Rejection | undefined> {
    const scopes = batch.map(({ sent }) => sent);
    const outcome = await this.#writer.submit(mirror, { scopes }, systemCaller());
    if (outcome instanceof Rejection) return outcome;
    this.#onBrought(outcome.value);
    return undefined;
  }

  /** Takes at least one item. Further items are added only up to the maximum content of one commit. */
  #take(): readonly Waiting[] {
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
