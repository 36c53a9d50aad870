import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { Rejection } from '../../../base/rejection.ts';
import { Slicer } from '../../../base/yield-control.ts';
import type { Writer } from '../../../engine/writer.ts';
import { SYSTEM_USER_ID } from '../../../model/primitives.ts';
import type { State } from '../../../state/state.ts';
import { FLAG_LIMITS } from '../limits.ts';
import { dueMarks, markPotentiallyStale } from './commands.ts';

/** The first look: not among what a start has to do, and not a whole period later, for a service that is started again every day. */
const FIRST_LOOK_MS = 300_000;

/** Flags that one commit marks at most. */
const MARKS_PER_COMMIT = FLAG_LIMITS.batch.max;

interface StaleMarkerParts {
  readonly state: State;
  readonly writer: Pick<Writer, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often to look. */
  readonly everyMs: number;
}

/**
 * Looks now and then for flags that have outlived their lifetime, and has the audit trail tell of each once. Every replica does so, without a lease:
 * the command asks its draft, so that whoever is late decides nothing. What it finds is only told; whether a flag is potentially stale is worked out
 * of its age whenever somebody asks (docs/decisions/potentially-stale.md).
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

  /** Looks at every flag, in slices, and marks what is due, some flags a commit. */
  async look(): Promise<void> {
    const { state, clock } = this.#parts;
    const slicer = new Slicer();
    let names: string[] = [];
    for (const name of dueMarks(state, clock.nowMs())) {
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

  /** False when it is of no use to go on now. */
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
    let delayMs = Math.min(everyMs, FIRST_LOOK_MS);
    while (!this.#stop.signal.aborted) {
      await clock.sleep(delayMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      delayMs = everyMs;
      try {
        await this.look();
      } catch (error) {
        logger.error({ err: error }, 'flags that have outlived their lifetime could not be looked for');
      }
    }
  }
}
