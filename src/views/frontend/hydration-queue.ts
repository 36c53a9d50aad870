import { assert } from '../../base/assert.ts';
import { getOrMake, newMap } from '../../base/get-or-make.ts';
import { Slicer } from '../../base/yield-control.ts';

/** Bytes of whole answers that readers have not taken yet, of all of them and of those of one token. Another is made as long as there are fewer. */
export const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** Creates an answer and yields to the event loop when the slicer requires it. */
type Make = (slicer: Slicer) => Promise<void>;

interface Waiting {
  readonly make: Make;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The waiting stream, by which it is removed. */
type Key = object;

/**
 * Complete answers are created one by one, with the tokens in turn, and only while the answers that readers have not taken yet fit into memory: thousands
 * of readers with different contexts may connect at once, and some may not read.
 */
export class HydrationQueue {
  /** By holder; in the order in which they came. */
  readonly #waiting = new Map<string, Map<Key, Waiting>>();
  readonly #held = new Map<string, number>();
  readonly #heldBytesMax: number;
  #heldBytes = 0;
  #running = false;

  constructor(heldBytesMax = HELD_BYTES_MAX) {
    this.#heldBytesMax = heldBytesMax;
  }

  /** Bytes that were made and not taken. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** How many wait for their turn. */
  get waiting(): number {
    let count = 0;
    for (const jobs of this.#waiting.values()) count += jobs.size;
    return count;
  }

  /** Resolves when it was the holder's turn and `make` is done, or it was taken out. One with a key waits at most once at a time. */
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

  /** These bytes are kept for a reader of the holder until what is answered here is called, once. */
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
    // One for all of them: each alone is short, and there may be thousands.
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

  /** The next answer: of the longest waiting holder with capacity. */
  #next(): Waiting | undefined {
    if (this.#heldBytes >= this.#heldBytesMax) return undefined;
    for (const [holder, jobs] of this.#waiting) {
      if ((this.#held.get(holder) ?? 0) >= this.#heldBytesMax / 2) continue;
      // Behind the others.
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
