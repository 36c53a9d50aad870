import { Rejection } from '../../base/rejection.ts';
import type { Writer } from '../../engine/writer.ts';
import { systemCaller } from '../../model/caller.ts';
import { type Mirrored, mirror } from '../mirror/mirror.ts';
import type { ForgottenScope, SourceScope } from '../mirror/mirror-input.ts';

/** What one commit brings, in bytes as they were received. Flags are written whole, with what they are in other environments: no store takes more than 256 MB at once. */
const BATCH_BYTES_MAX = 48 * 1024 * 1024;

/** How long what was received waits for another scope, counted from the last one that came. */
const HOLD_MS = 500;

interface Waiting {
  readonly sent: SourceScope;
  readonly bytes: number;
  settle(outcome: Rejection | undefined): void;
  fail(error: unknown): void;
}

/**
 * Brings what was received into the state, as much at once as there is. A commit holds whole flags, and a flag stands in every environment: environments
 * that arrive together are written together.
 */
export class MirrorQueue {
  readonly #writer: Pick<Writer, 'submit'>;
  readonly #onBrought: (brought: Mirrored) => void;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | undefined;
  /** Scopes that are about to arrive: what arrives meanwhile waits for them, unless it becomes too much or takes too long. */
  #expected = 0;
  #heldUntilMs = 0;

  /** `onBrought` is called with the outcome of each commit. */
  constructor(writer: Pick<Writer, 'submit'>, onBrought: (brought: Mirrored) => void = () => {}) {
    this.#writer = writer;
    this.#onBrought = onBrought;
  }

  /** Removes scopes from the state that are not asked for any more. This is not urgent: what cannot be done now is done later. */
  async forget(forgotten: readonly ForgottenScope[]): Promise<void> {
    await this.#writer.submit(mirror, { scopes: [], forgotten: [...forgotten] }, systemCaller());
  }

  /** A scope is about to arrive, and worth waiting for. `arrived` is called sooner or later, with or without news. */
  expect(): void {
    this.#expected++;
  }

  arrived(): void {
    this.#expected--;
    this.#begin();
  }

  /** Resolves when it is part of the state; with a rejection when it cannot be. `bytes`: how large it was when it came. */
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
      // What is wrong with one of them keeps none of the others.
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

  /** At least one, else no more than a commit may hold. */
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
