import { SERVICE } from '../../base/asking/asker.ts';
import { assert } from '../../base/assert.ts';
import { getOrMake, newMap } from '../../base/get-or-make.ts';
import { Slicer } from '../../base/yield-control.ts';

/** Maximum bytes of whole answers that readers have not read yet. Above it, no answer is created. The streams of one token may use half of it. */
export const BUFFERED_BYTES_MAX = 64 * 1024 * 1024;

/** Creates an answer and yields to the event loop when the slicer requires it. */
type Make = (slicer: Slicer) => Promise<void>;

interface WaitingStream {
  readonly make: Make;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The waiting stream, as the key with which its answer is removed. */
type Key = object;

/**
 * Creates whole answers one by one, round-robin by token, and only while the unread answers are below the limit: thousands of readers with different
 * contexts may connect at the same time, and some of them may not read.
 */
export class WholeAnswerQueue {
  /** Holder → its waiting streams, in order of arrival. */
  readonly #waiting = new Map<string, Map<Key, WaitingStream>>();
  readonly #buffered = new Map<string, number>();
  readonly #bufferedBytesMax: number;
  #bufferedBytes = 0;
  #running = false;

  constructor(bufferedBytesMax = BUFFERED_BYTES_MAX) {
    this.#bufferedBytesMax = bufferedBytesMax;
  }

  /** Bytes that were created and not read yet. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Number of waiting streams. */
  get waitingCount(): number {
    let count = 0;
    for (const jobs of this.#waiting.values()) count += jobs.size;
    return count;
  }

  /** Resolves when `make` is done, or when the answer was removed. A key must not wait twice at the same time. */
  add(holder: string, key: Key, make: Make): Promise<void> {
    return new Promise((resolve, reject) => {
      const jobs = getOrMake(this.#waiting, holder, newMap<Key, WaitingStream>);
      assert(!jobs.has(key), 'a stream waits for one answer at a time');
      jobs.set(key, { make, resolve, reject });
      this.#start();
    });
  }

  /** Removes a waiting answer that is not needed any more. Otherwise it would stay in the queue as long as its holder is above its limit. */
  remove(holder: string, key: Key): void {
    const jobs = this.#waiting.get(holder);
    const waiting = jobs?.get(key);
    if (!jobs || !waiting) return;
    jobs.delete(key);
    if (jobs.size === 0) this.#waiting.delete(holder);
    waiting.resolve();
  }

  /** Counts bytes in memory for a reader of the holder. Call the returned function once, when they are released. */
  countBuffered(holder: string, bytes: number): () => void {
    this.#count(holder, bytes);
    return () => {
      this.#count(holder, -bytes);
      this.#start();
    };
  }

  #count(holder: string, bytes: number): void {
    this.#bufferedBytes += bytes;
    const buffered = (this.#buffered.get(holder) ?? 0) + bytes;
    if (buffered > 0) this.#buffered.set(holder, buffered);
    else this.#buffered.delete(holder);
  }

  #start(): void {
    if (this.#running || this.#waiting.size === 0) return;
    this.#running = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    // All answers share one slicer: each answer is short, but there may be thousands.
    const slicer = Slicer.of(SERVICE);
    for (let next = this.#next(); next; next = this.#next()) {
      try {
        await next.make(slicer);
        next.resolve();
      } catch (error) {
        next.reject(error);
      }
      if (slicer.spent) await slicer.pause();
    }
    this.#running = false;
  }

  /** Takes the next answer: the first answer of that holder below its limit that has waited longest. */
  #next(): WaitingStream | undefined {
    if (this.#bufferedBytes >= this.#bufferedBytesMax) return undefined;
    for (const [holder, jobs] of this.#waiting) {
      if ((this.#buffered.get(holder) ?? 0) >= this.#bufferedBytesMax / 2) continue;
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
