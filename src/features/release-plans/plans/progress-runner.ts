import { SERVICE } from '../../../base/asking/asker.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { Rejection } from '../../../base/rejection.ts';
import { type Pause, Rounds } from '../../../base/rounds.ts';
import { inSlices, Slicer } from '../../../base/yield-control.ts';
import type { Replica } from '../../../engine/replica.ts';
import type { Writer } from '../../../engine/writer.ts';
import { systemCaller } from '../../../model/caller.ts';
import { progressionDueMs } from '../../../model/release-plan.ts';
import { isInMaintenance } from '../../shared/maintenance.ts';
import { progressReleasePlan } from './progress.ts';
import { concernsPlans, type WatchedPlan, watchedPlans } from './watched.ts';

/** The longest sleep in milliseconds. After this time at the latest, the runner notices that the clock has jumped. */
const SLEEP_MAX_MS = 30_000;
/** The pause before a failed write is retried. */
const RETRY: Pause = { ms: 1_000, canWake: false };

interface RunnerParts {
  readonly replica: Pick<Replica, 'state' | 'onApplied' | 'onReplaced'>;
  readonly writer: Pick<Writer, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Starts milestones when they are due. Every replica has a runner, and the runners use no lease: each one submits every due step, and the command has an
 * effect once. If a replica is killed before it submits a step, another replica or its next start submits it.
 */
export class ProgressRunner {
  readonly #parts: RunnerParts;
  readonly #rounds: Rounds;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#rounds = new Rounds({
      clock: parts.clock,
      round: (closing) => this.#progressAll(closing),
      failed: (error) => {
        parts.logger.error({ err: error }, 'an error in Burgee prevented the search for due milestones');
        return RETRY;
      },
    });
    parts.replica.onApplied((applied) => {
      if (!this.#rounds.isWoken && concernsPlans(applied)) this.#rounds.wake();
    });
    parts.replica.onReplaced(() => this.#rounds.wake());
  }

  /** Starts to look for due steps. The state must be loaded. */
  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #progressAll(closing: AbortSignal): Promise<Pause> {
    const { clock, replica } = this.#parts;
    // In maintenance mode users cannot make changes, and plans wait too. The commit that ends the mode wakes the runner.
    const isInactive = isInMaintenance(replica.state);
    // Work of the service: no request waits for the runner.
    const plans = isInactive ? [] : await inSlices(watchedPlans(replica.state), Slicer.of(SERVICE));
    let waitMs = SLEEP_MAX_MS;
    let isStuck = false;
    for (const watched of plans) {
      if (closing.aborted) break;
      const dueMs = progressionDueMs(watched.plan);
      if (dueMs === undefined) continue;
      const remainingMs = dueMs - clock.nowMs();
      if (remainingMs > 0) waitMs = Math.min(waitMs, remainingMs);
      else isStuck = !(await this.#progress(watched)) || isStuck;
    }
    return isStuck ? RETRY : { ms: waitMs, canWake: true };
  }

  /** Returns false if the step must be tried again later. */
  async #progress({ featureName, environment, plan }: WatchedPlan): Promise<boolean> {
    const { writer, logger, replica } = this.#parts;
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
