import { SERVICE } from '../../../base/asking/asker.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { Rejection } from '../../../base/rejection.ts';
import { Slicer } from '../../../base/yield-control.ts';
import type { Writer } from '../../../engine/writer.ts';
import { SYSTEM_USER_ID } from '../../../model/primitives.ts';
import type { State } from '../../../state/state.ts';
import { FLAG_LIMITS } from '../limits.ts';
import { flagsWithWrongMark, markPotentiallyStale } from './commands.ts';

/**
 * Maximum delay of the first search, in milliseconds. The delay exists so that the search does not slow down the start. It is shorter than a period,
 * because a service may restart every day.
 */
const FIRST_SEARCH_MS = 300_000;

/** Maximum number of flags that one commit marks. */
const MARKS_PER_COMMIT = FLAG_LIMITS.batch.max;

interface StaleMarkerParts {
  readonly state: State;
  readonly writer: Pick<Writer, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time between two searches, in milliseconds. */
  readonly everyMs: number;
}

/**
 * Searches periodically for flags that have outlived their lifetime, and records one event for each flag in the audit log. Every replica searches,
 * without a lease: the command checks its draft, so the command of a late replica changes nothing. The marks are only for the audit log. Requests
 * compute from the age of a flag whether it is potentially stale (docs/decisions/potentially-stale.md).
 */
export class StaleMarker {
  readonly #parts: StaleMarkerParts;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: StaleMarkerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Checks every flag, in slices, and corrects the marks that are wrong, several flags in one commit. */
  async search(): Promise<void> {
    const { state, clock } = this.#parts;
    // Work of the service: no request waits for the search.
    const slicer = Slicer.of(SERVICE);
    let names: string[] = [];
    for (const name of flagsWithWrongMark(state, clock.nowMs())) {
      if (this.#stop.signal.aborted) return;
      if (name !== undefined) names.push(name);
      if (names.length >= MARKS_PER_COMMIT) {
        if (!(await this.#mark(names))) return;
        names = [];
      }
      if (slicer.spent) await slicer.pause();
    }
    if (names.length > 0) await this.#mark(names);
  }

  /** Returns false if the command was rejected. The search must then end. */
  async #mark(names: readonly string[]): Promise<boolean> {
    const { writer } = this.#parts;
    const outcome = await writer.submit(
      markPotentiallyStale,
      { names: [...names] },
      { id: SYSTEM_USER_ID, name: 'burgee' },
    );
    return !(outcome instanceof Rejection);
  }

  async #run(): Promise<void> {
    const { clock, logger, everyMs } = this.#parts;
    let delayMs = Math.min(everyMs, FIRST_SEARCH_MS);
    while (!this.#stop.signal.aborted) {
      await clock.sleep(delayMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      delayMs = everyMs;
      try {
        await this.search();
      } catch (error) {
        logger.error(
          { err: error },
          'the search for flags that have outlived their lifetime failed; it is repeated after the next period',
        );
      }
    }
  }
}
