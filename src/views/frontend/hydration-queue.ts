import { assert } from '../../base/assert.ts';
import { getOrMake, newMap } from '../../base/get-or-make.ts';
import { Slicer } from '../../base/yield-control.ts';

/** Maximum bytes of whole answers that readers have not read yet. Above it no further answer is created; one holder may use half of it. */
export const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** Creates an answer and yields to the event loop when the slicer requires it. */
type Make = (slicer: Slicer) => Promise<void>;

interface Waiting {
  readonly make: Make;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The waiting stream. It is the key with which its answer is removed. */
type Key = object;

/**
 * Creates whole answers one by one, round-robin by token, and only while the unread answers are below the limit: thousands of readers with different
 * contexts may connect at the same time, and some of them may not read.
 */
export class HydrationQueue {
  /** Holder → its waiting streams, in order of arrival. */
  readonly #waiting = new Map<string, Map<Key, Waiting>>();
  readonly #held = new Map<string, number>();
  readonly #heldBytesMax: number;
  #heldBytes = 0;
  #running = false;

  constructor(heldBytesMax = HELD_BYTES_MAX) {
    this.#heldBytesMax = heldBytesMax;
  }

  /** Bytes that were created and not read yet. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Number of waiting streams. */
  get waiting(): number {
    let count = 0;
    for (const jobs of this.#waiting.values()) count += jobs.size;
    return count;
  }

  /** Resolves when `make` is done, or when the answer was removed. A key must not wait twice at the same time. */
  add(holder: string, key: Key, make: Make): Promise<void> {
    return new Promise((done, failed) => {
      const jobs = getOrMake(this.#waiting, holder, newMap<Key, Waiting>);
      assert(!jobs.has(key), 'it waits already');
      jobs.set(key, { make, done, failed });
      this.#start();
    });
  }

  /** Removes an answer that is not needed any more. While its holder has no capacity, nothing else removes it. */
  remove(holder: string, key: Key): void {
    const jobs = this.#waiting.get(holder);
    const waiting = jobs?.get(key);
    if (!jobs || !waiting) return;
    jobs.delete(key);
    if (jobs.size === 0) this.#waiting.delete(holder);
    waiting.done();
  }

  /** Counts bytes in memory for a reader of the holder. Call the returned function once, when they are released. */
  hold(holder: string, bytes: number): () => void {
    this.#count(holder, bytes);
    return () => {
      this.#count(holder, -bytes);
      this.#start();
    };
  }

  #count(holder: string, bytes: number): void {
    this.#heldBytes += bytes;
    const held = (this.#held.get(holder) ?? 0) + bytes;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
  }

  #start(): void {
    if (this.#running || this.#waiting.size === 0) return;
    this.#running = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    // All answers share one slicer: each answer is short, but there may be thousands.
    const slicer = new Slicer();
    for (let next = this.#next(); next; next = this.#next()) {
      try {
        await next.make(slicer);
        next.done();
      } catch (error) {
        next.failed(error);
      }
      if (slicer.spent) await slicer.pause();
    }
    this.#running = false;
  }

  /** Takes the next answer: the first one of the holder that has waited longest and is below its limit. */
  #next(): Waiting | undefined {
    if (this.#heldBytes >= this.#heldBytesMax) return undefined;
    for (const [holder, jobs] of this.#waiting) {
      if ((this.#held.get(holder) ?? 0) >= this.#heldBytesMax / 2) continue;
      // The holder moves behind the others.
      this.#waiting.delete(holder);
      for (const [key, first] of jobs) {
        jobs.delete(key);
        if (jobs.size > 0) this.#waiting.set(holder, jobs);
        return first;
      }
    }
    return undefined;
  }
}
