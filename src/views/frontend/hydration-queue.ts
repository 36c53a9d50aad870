import { Slicer } from '../../base/yield-control.ts';

/** Bytes of whole answers that readers have not taken yet, of all of them and of those of one token. Another is made as long as there are fewer. */
export const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** Makes something, giving the event loop back as the slicer says. */
type Make = (slicer: Slicer) => Promise<void>;

interface Waiting {
  readonly make: Make;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Whole answers are made one after the other, the tokens taking turns, and only while what was made and not yet taken fits into memory: thousands of
 * readers with contexts of their own may come at once, and some may take nothing.
 */
export class HydrationQueue {
  readonly #waiting = new Map<string, Waiting[]>();
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

  /** Resolves when it was the holder's turn and `make` is done. */
  add(holder: string, make: Make): Promise<void> {
    return new Promise((done, failed) => {
      const waiting = { make, done, failed };
      const others = this.#waiting.get(holder);
      if (others) others.push(waiting);
      else this.#waiting.set(holder, [waiting]);
      this.#start();
    });
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

  /** Of the holder who has waited longest, and has room. */
  #next(): Waiting | undefined {
    if (this.#heldBytes >= this.#heldBytesMax) return undefined;
    for (const [holder, jobs] of this.#waiting) {
      if ((this.#held.get(holder) ?? 0) >= this.#heldBytesMax / 2) continue;
      // Behind the others.
      this.#waiting.delete(holder);
      const first = jobs.shift();
      if (jobs.length > 0) this.#waiting.set(holder, jobs);
      return first;
    }
    return undefined;
  }
}
