import { type Clock, isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { type Pause, Rounds } from '../../base/rounds.ts';
import type { Replica } from '../../engine/replica.ts';
import type { Writer } from '../../engine/writer.ts';
import { systemCaller } from '../../model/caller.ts';
import type { ChangeRequest } from '../../model/change-request.ts';
import type { AppliedCommit } from '../../state/state.ts';
import { isInMaintenance } from '../shared/maintenance.ts';
import { applyDueChangeRequest } from './applying.ts';

/** The longest sleep in milliseconds. After this time at the latest, the scheduler notices that the clock has jumped. */
const SLEEP_MAX_MS = 30_000;
/** The pause before a failed write is retried. */
const RETRY: Pause = { ms: 1_000, canWake: false };

interface SchedulerParts {
  readonly replica: Pick<Replica, 'state' | 'onApplied' | 'onReplaced'>;
  readonly writer: Pick<Writer, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Applies change requests when they are due. Every replica has a scheduler, and the schedulers use no lease: each scheduler submits all due requests.
 * The command checks the draft, so that only the first submission has an effect. If a replica is killed before it submits a request, another replica
 * submits the request, or the same replica submits it after its next start.
 */
export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #rounds: Rounds;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#rounds = new Rounds({
      clock: parts.clock,
      round: (closing) => this.#applyDue(closing),
      failed: (error) => {
        parts.logger.error({ err: error }, 'an error in Burgee prevented the search for due change requests');
        return RETRY;
      },
    });
    parts.replica.onApplied((applied) => {
      if (concernsRequests(applied)) this.#rounds.wake();
    });
    parts.replica.onReplaced(() => this.#rounds.wake());
  }

  /** Starts to look for due requests. The state must be loaded. */
  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #applyDue(closing: AbortSignal): Promise<Pause> {
    // In maintenance mode users cannot make changes, and scheduled changes wait too. The commit that ends the mode wakes the scheduler.
    const due = isInMaintenance(this.#parts.replica.state) ? [] : this.#findDue().due;
    for (const request of due) if (!closing.aborted) await this.#apply(request);
    return due.some((request) => this.#isPending(request)) ? RETRY : { ms: this.#waitMs(), canWake: true };
  }

  async #apply({ id, schedule }: ChangeRequest): Promise<void> {
    const { writer, logger } = this.#parts;
    if (!schedule) return;
    try {
      const outcome = await writer.submit(applyDueChangeRequest, { id }, systemCaller(schedule.by));
      if (outcome instanceof Rejection) {
        logger.debug(
          { id, reason: outcome.message },
          'a scheduled change request cannot be applied now; the scheduler tries again',
        );
      }
    } catch (error) {
      logger.error(
        { err: error, id },
        'an error in Burgee prevented the application of a scheduled change request; the scheduler tries again',
      );
    }
  }

  #waitMs(): number {
    if (isInMaintenance(this.#parts.replica.state)) return SLEEP_MAX_MS;
    const { nextAt } = this.#findDue();
    if (nextAt === undefined) return SLEEP_MAX_MS;
    return Math.max(0, Math.min(SLEEP_MAX_MS, Date.parse(nextAt) - this.#parts.clock.nowMs()));
  }

  /**
   * The due requests, in the order of their times, and the earliest time of any pending request. All times have the same format and are compared as
   * texts.
   */
  #findDue(): { readonly due: readonly ChangeRequest[]; readonly nextAt: string | undefined } {
    const { replica, clock } = this.#parts;
    const now = isoTime(clock.nowMs());
    const due: ChangeRequest[] = [];
    let nextAt: string | undefined;
    for (const request of replica.state.lookup('pendingSchedules', '')) {
      const at = timeOf(request);
      if (at <= now) due.push(request);
      if (nextAt === undefined || at < nextAt) nextAt = at;
    }
    due.sort((left, right) =>
      timeOf(left) < timeOf(right) ? -1 : Number(timeOf(left) > timeOf(right)) || left.id - right.id,
    );
    return { due, nextAt };
  }

  /** Whether the request is unchanged, and therefore still pending. */
  #isPending(request: ChangeRequest): boolean {
    return this.#parts.replica.state.get('changeRequests', String(request.id)) === request;
  }
}

function timeOf({ schedule }: ChangeRequest): string {
  return schedule?.scheduledAt ?? '';
}

/** Whether the commit changes change requests or settings. A setting states whether the service is in maintenance mode. */
function concernsRequests({ changes, bulk }: AppliedCommit): boolean {
  for (const { collection } of bulk?.changesExceptFlags ?? changes) {
    if (collection === 'changeRequests' || collection === 'settings') return true;
  }
  return false;
}
