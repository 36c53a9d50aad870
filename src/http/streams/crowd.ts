/** Up to this number of readers, all of them are served at once. */
export const CROWD_MIN = 1_000;

/** 6,250 readers a second: 5,000 readers in about a second, and all streams that a process may have within two seconds. */
const STEP_READERS = 125;
const STEP_MS = 20;

/**
 * Serves readers that answer what they get with a request. If more than a thousand of them are to be served at the same time, they are served one
 * after the other, so that their requests are spread too. A reader waits at most once; a reader that was served and has to be served again joins the
 * end. At most as many readers wait as streams are open (10,000), so each change reaches every reader within two seconds.
 */
export class Crowd<Reader> {
  readonly #serve: (reader: Reader) => void;
  /** The waiting readers, in the order in which they are served. */
  readonly #waiting = new Set<Reader>();
  #timer: NodeJS.Timeout | undefined;

  /** `serve` must not throw. */
  constructor(serve: (reader: Reader) => void) {
    this.#serve = serve;
  }

  /** Number of readers that wait. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Whether the reader waits to be served. */
  has(reader: Reader): boolean {
    return this.#waiting.has(reader);
  }

  /** Serves the readers over time, and returns true. Returns false if they are so few that the caller should serve them now. */
  add(groups: readonly ReadonlySet<Reader>[]): boolean {
    const count = groups.reduce((sum, { size }) => sum + size, 0);
    if (count === 0 || (count <= CROWD_MIN && this.#timer === undefined)) return false;
    for (const readers of groups) for (const reader of readers) this.#waiting.add(reader);
    this.#timer ??= setInterval(() => this.#step(), STEP_MS).unref();
    return true;
  }

  /** Stops serving readers. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
  }

  #step(): void {
    let left = STEP_READERS;
    for (const reader of this.#waiting) {
      if (left-- === 0) return;
      this.#waiting.delete(reader);
      this.#serve(reader);
    }
    this.close();
  }
}
