import { isoTime } from '../../base/clock.ts';
import { Rejection } from '../../base/rejection.ts';
import { systemCaller } from '../../model/caller.ts';
import type { ChangeRequest } from '../../model/change-request.ts';
import type { AppliedCommit } from '../../state/state.ts';
import { DueWork } from '../shared/due-work.ts';
import { applyDueChangeRequest } from './applying.ts';

/** Applies change requests when they are due. The command checks the draft, so that only the first submission of a request has an effect. */
export class Scheduler extends DueWork {
  protected concerns({ changes, bulk }: AppliedCommit): boolean {
    return (bulk?.changesExceptFlags ?? changes).some(
      ({ collection }) => collection === 'changeRequests' || collection === 'settings',
    );
  }

  protected async submitDue(closing: AbortSignal): Promise<number | 'retry'> {
    const { due } = this.#findDue();
    for (const request of due) if (!closing.aborted) await this.#apply(request);
    return due.some((request) => this.#isPending(request)) ? 'retry' : this.#waitMs();
  }

  async #apply({ id, schedule }: ChangeRequest): Promise<void> {
    const { writer, logger } = this.parts;
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
    const { nextAt } = this.#findDue();
    return nextAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(nextAt) - this.parts.clock.nowMs();
  }

  /**
   * The due requests, in the order of their times, and the earliest time of any pending request. All times have the same format and are compared as
   * texts.
   */
  #findDue(): { readonly due: readonly ChangeRequest[]; readonly nextAt: string | undefined } {
    const { replica, clock } = this.parts;
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
    return this.parts.replica.state.get('changeRequests', String(request.id)) === request;
  }
}

function timeOf({ schedule }: ChangeRequest): string {
  return schedule?.scheduledAt ?? '';
}
