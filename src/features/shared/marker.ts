import { SERVICE } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';

interface MarkerParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What is searched for, in error messages. */
  readonly what: string;
  /** Maximum delay of the first search, in milliseconds. The delay exists so that the search does not slow down the start. */
  readonly firstMs: number;
  /** Time between two searches, in milliseconds. */
  readonly everyMs: number;
  /** Maximum number of entities that one commit marks. */
  readonly marksPerCommit: number;
  /** Yields once for each entity: its key if its mark is wrong, otherwise undefined. */
  find(nowMs: number): Iterable<string | undefined>;
  /** Submits the command that corrects the marks of these entities. */
  mark(keys: string[]): Promise<unknown>;
}

/**
 * Searches periodically for entities with something to record, such as an age that they have reached, and marks each, so that it is recorded once.
 * Every replica searches, without a lease: the command checks its draft, so the command of a late replica changes nothing.
 */
export class Marker {
  readonly #parts: MarkerParts;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: MarkerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Checks every entity, in slices, and corrects the marks that are wrong, several in one commit. Ends when a commit is rejected. */
  async search(): Promise<void> {
    const { clock, marksPerCommit } = this.#parts;
    // Work of the service: no request waits for the search.
    const slicer = Slicer.of(SERVICE);
    let keys: string[] = [];
    for (const key of this.#parts.find(clock.nowMs())) {
      if (this.#stop.signal.aborted) return;
      if (key !== undefined) keys.push(key);
      if (keys.length >= marksPerCommit) {
        if ((await this.#parts.mark(keys)) instanceof Rejection) return;
        keys = [];
      }
      if (slicer.spent) await slicer.pause();
    }
    if (keys.length > 0) await this.#parts.mark(keys);
  }

  async #run(): Promise<void> {
    const { clock, logger, firstMs, everyMs, what } = this.#parts;
    let delayMs = Math.min(everyMs, firstMs);
    while (!this.#stop.signal.aborted) {
      await clock.sleep(delayMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      delayMs = everyMs;
      try {
        await this.search();
      } catch (error) {
        logger.error({ err: error, what }, 'a search failed; it is repeated after the next period');
      }
    }
  }
}
