import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { type Pause, Rounds } from '../../base/rounds.ts';
import type { Replica } from '../../engine/replica.ts';
import type { Writer } from '../../engine/writer.ts';
import type { AppliedCommit } from '../../state/state.ts';
import { isInMaintenance } from './maintenance.ts';

/** The longest pause in milliseconds. After this time at the latest, it is noticed that the clock has jumped. */
const PAUSE_MAX_MS = 30_000;
/** The pause before a failed write is retried. */
const RETRY: Pause = { ms: 1_000, canWake: false };

interface DueWorkParts {
  readonly replica: Pick<Replica, 'state' | 'onApplied' | 'onReplaced'>;
  readonly writer: Pick<Writer, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Submits what is due. Every replica does so, and they use no lease: each one submits everything, and the command has an effect once. If a replica is
 * killed before it submits something, another replica or its next start submits it. In maintenance mode users cannot make changes, and due work waits,
 * too.
 */
export abstract class DueWork {
  protected readonly parts: DueWorkParts;
  readonly #rounds: Rounds;

  constructor(parts: DueWorkParts) {
    this.parts = parts;
    this.#rounds = new Rounds(parts.clock, (closing) => this.#round(closing));
    parts.replica.onApplied((applied) => {
      if (this.concerns(applied)) this.#rounds.wake();
    });
    parts.replica.onReplaced(() => this.#rounds.wake());
  }

  /** Whether the commit may change what is due, or the setting that states whether the service is in maintenance mode. */
  protected abstract concerns(applied: AppliedCommit): boolean;

  /** Submits what is due, until the signal aborts. Resolves with the time until something else is due; 'retry' if a write must be retried. */
  protected abstract submitDue(closing: AbortSignal): Promise<number | 'retry'>;

  /** Starts to look for what is due. The state must be loaded. */
  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #round(closing: AbortSignal): Promise<Pause> {
    try {
      const next = isInMaintenance(this.parts.replica.state) ? PAUSE_MAX_MS : await this.submitDue(closing);
      return next === 'retry' ? RETRY : { ms: Math.max(0, Math.min(PAUSE_MAX_MS, next)), canWake: true };
    } catch (error) {
      this.parts.logger.error({ err: error }, 'an error in Burgee prevented the search for due work; it is repeated');
      return RETRY;
    }
  }
}
