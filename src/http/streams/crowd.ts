const STEP_MS = 20;

/** How fast a crowd is served. */
interface Pace {
  /** Up to this number of readers, all of them are served at once. */
  readonly atOnce: number;
  /** The number of readers that are served every 20 ms. */
  readonly perStep: number;
}

/** For changes, which readers answer with a small request: 6,250 readers a second, and all streams that a process may have within two seconds. */
export const CHANGE_PACE: Pace = { atOnce: 1_000, perStep: 125 };

/** For notices, after which readers poll for whole lists: 1,000 readers a second, as many as are asked to open streams in a second. */
export const NOTICE_PACE: Pace = { atOnce: 100, perStep: 20 };

/**
 * Serves readers that answer what they get with a request. If many of them are to be served at the same time, they are served one after the other, so
 * that their requests are spread too. A reader waits at most once; a reader that was served and has to be served again joins the end. At most as many
 * readers wait as streams are open (10,000), so each change reaches every reader within two seconds, and each notice within ten.
 */
export class Crowd<Reader> {
  readonly #pace: Pace;
  readonly #serve: (reader: Reader) => void;
  /** The waiting readers, in the order in which they are served. */
  readonly #waiting = new Set<Reader>();
  #timer: NodeJS.Timeout | undefined;

  /** `serve` must not throw. */
  constructor(pace: Pace, serve: (reader: Reader) => void) {
    this.#pace = pace;
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
    if (count === 0 || (count <= this.#pace.atOnce && this.#timer === undefined)) return false;
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
    let left = this.#pace.perStep;
    for (const reader of this.#waiting) {
      if (left-- === 0) return;
      this.#waiting.delete(reader);
      this.#serve(reader);
    }
    this.close();
  }
}
