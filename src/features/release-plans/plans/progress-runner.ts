import { SERVICE } from '../../../base/asking/asker.ts';
import { Rejection } from '../../../base/rejection.ts';
import { inSlices, Slicer } from '../../../base/yield-control.ts';
import { systemCaller } from '../../../model/caller.ts';
import { progressionDueMs } from '../../../model/release-plan.ts';
import type { AppliedCommit } from '../../../state/state.ts';
import { DueWork } from '../../shared/due-work.ts';
import { progressReleasePlan } from './progress.ts';
import { concernsPlans, type WatchedPlan, watchedPlans } from './watched.ts';

/** Starts milestones when they are due. */
export class ProgressRunner extends DueWork {
  protected concerns(applied: AppliedCommit): boolean {
    return concernsPlans(applied);
  }

  protected async submitDue(closing: AbortSignal): Promise<number | 'retry'> {
    const { clock, replica } = this.parts;
    let waitMs = Number.POSITIVE_INFINITY;
    let isStuck = false;
    // Work of the service: no request waits for the runner.
    for (const watched of await inSlices(watchedPlans(replica.state), Slicer.of(SERVICE))) {
      if (closing.aborted) break;
      const dueMs = progressionDueMs(watched.plan);
      if (dueMs === undefined) continue;
      const remainingMs = dueMs - clock.nowMs();
      if (remainingMs > 0) waitMs = Math.min(waitMs, remainingMs);
      else isStuck = !(await this.#progress(watched)) || isStuck;
    }
    return isStuck ? 'retry' : waitMs;
  }

  /** Returns false if the step must be tried again later. */
  async #progress({ featureName, environment, plan }: WatchedPlan): Promise<boolean> {
    const { writer, logger, replica } = this.parts;
    const feature = replica.state.get('features', featureName);
    const { id: planId, activeMilestoneId } = plan;
    if (activeMilestoneId === null) return true;
    try {
      const input = { featureName, environment, planId, milestoneId: activeMilestoneId };
      const outcome = await writer.submit(progressReleasePlan, input, systemCaller());
      // An unchanged flag: the clock of the writer is behind this one.
      if (!(outcome instanceof Rejection)) return replica.state.get('features', featureName) !== feature;
      logger.debug({ ...input, reason: outcome.message }, 'a milestone cannot be started now; it is tried again');
    } catch (error) {
      logger.error(
        { err: error, featureName, environment },
        'an error in Burgee prevented a milestone; it is tried again',
      );
    }
    return false;
  }
}
