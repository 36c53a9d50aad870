import { type Clock, isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Replica } from '../../engine/replica.ts';
import type { Writer } from '../../engine/writer.ts';
import { systemCaller } from '../../model/caller.ts';
import type { ChangeRequest } from '../../model/change-request.ts';
import type { AppliedCommit } from '../../state/state.ts';
import { isInMaintenance } from '../shared/maintenance.ts';
import { applyDueChangeRequest } from './applying.ts';

/** The longest sleep in milliseconds. After this time at the latest, the scheduler notices that the clock has jumped. */
const SLEEP_MAX_MS = 30_000;
/** Milliseconds before a failed write is retried. */
const RETRY_MS = 1_000;

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
  readonly #closing = new AbortController();
  #waking = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    parts.replica.onApplied((applied) => {
      if (concernsRequests(applied)) this.#waking.abort();
    });
    parts.replica.onReplaced(() => this.#waking.abort());
  }

  /** Starts to look for due requests. The state must be loaded. */
  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#waking.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock } = this.#parts;
    while (!this.#closing.signal.aborted) {
      // A later commit that changes requests or settings aborts this controller and ends the sleep early.
      this.#waking = new AbortController();
      // In maintenance mode users cannot make changes, and scheduled changes wait too. The commit that ends the mode wakes the scheduler.
      const due = isInMaintenance(this.#parts.replica.state) ? [] : this.#findDue().due;
      for (const request of due) if (!this.#closing.signal.aborted) await this.#apply(request);
      if (this.#closing.signal.aborted) return;
      const isAnyPending = due.some((request) => this.#isPending(request));
      if (isAnyPending) await clock.sleep(RETRY_MS, this.#closing.signal);
      else await clock.sleep(this.#waitMs(), this.#waking.signal);
    }
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
