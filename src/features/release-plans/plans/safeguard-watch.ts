import type { Static } from 'typebox';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { inSlices, type Steps } from '../../../base/yield-control.ts';
import type { Replica } from '../../../engine/replica.ts';
import type { Writer } from '../../../engine/writer.ts';
import { systemCaller } from '../../../model/caller.ts';
import { type Safeguard, SafeguardCondition } from '../../../model/release-plan.ts';
import { isInMaintenance } from '../../instance/maintenance/commands.ts';
import { statedFields } from '../../shared/resource-schemas.ts';
import type { ImpactSink } from '../../usage/impact-metrics.ts';
import { SafeguardSamples } from './measuring.ts';
import { tripSafeguard } from './progress.ts';
import { Reading } from './reading.ts';
import { type WatchedPlan, watchedPlans } from './watched.ts';

/** How often the safeguards are checked. */
export const CHECK_EVERY_MS = 60_000;

interface WatchParts {
  readonly replica: Pick<Replica, 'state'>;
  readonly writer: Pick<Writer, 'submit'>;
  readonly impactMetrics: Pick<ImpactSink, 'readings'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

function conditionOf(safeguard: Safeguard): Static<typeof SafeguardCondition> {
  return statedFields(SafeguardCondition.properties, safeguard) as Static<typeof SafeguardCondition>;
}

/** A safeguard whose value has passed its threshold. */
interface Tripped extends WatchedPlan {
  readonly safeguard: Safeguard;
  readonly value: number;
}

/**
 * Compares the safeguards of running plans with the metrics that this replica has received, every minute. Every replica does so; a plan is paused by
 * the first one whose value passes the threshold. The samples are in memory, for safeguards of running plans only.
 */
export class SafeguardWatch {
  readonly #parts: WatchParts;
  readonly #closing = new AbortController();
  /** By plan, time of its last continuation, safeguard and its condition: a safeguard begins again when it is changed, and when its plan is continued. */
  #samples = new Map<string, SafeguardSamples>();
  #running: Promise<void> | undefined;
  #checking: Promise<void> | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#parts;
    while (!this.#closing.signal.aborted) {
      try {
        await this.check();
      } catch (error) {
        logger.error({ err: error }, 'an error in Burgee prevented the check of safeguards; they are checked again');
      }
      await clock.sleep(CHECK_EVERY_MS, this.#closing.signal);
    }
  }

  /** Takes a sample for each safeguard, and trips those whose value passes the threshold. Joins a check that runs. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<void> {
    const { clock, replica, writer } = this.#parts;
    if (isInMaintenance(replica.state)) return;
    const nowMs = clock.nowMs();
    for (const { featureName, environment, plan, safeguard, value } of await inSlices(this.#compare(nowMs))) {
      if (this.#closing.signal.aborted) return;
      const { id: planId, guardedFrom } = plan;
      const location = { featureName, environment, planId, safeguardId: safeguard.id };
      const compared = { safeguard: conditionOf(safeguard), ...(guardedFrom !== undefined && { guardedFrom }), value };
      // A refusal, such as an unreachable store, is tried again at the next check.
      await writer.submit(tripSafeguard, { ...location, ...compared }, systemCaller());
    }
  }

  *#compare(nowMs: number): Steps<Tripped[]> {
    const plans = yield* watchedPlans(this.#parts.replica.state);
    const samples = new Map<string, SafeguardSamples>();
    const tripped: Tripped[] = [];
    for (const watched of plans) {
      for (const safeguard of watched.plan.safeguards) {
        const { id, guardedFrom } = watched.plan;
        const key = JSON.stringify([id, guardedFrom, safeguard.id, conditionOf(safeguard)]);
        const own = this.#samples.get(key) ?? new SafeguardSamples(safeguard, nowMs);
        samples.set(key, own);
        if (own.isDue(nowMs)) own.add(yield* this.#read(safeguard, watched.environment, nowMs), nowMs);
        const value = own.tripped(nowMs);
        if (value !== undefined) tripped.push({ ...watched, safeguard, value });
        yield;
      }
    }
    this.#samples = samples;
    return tripped;
  }

  *#read(safeguard: Safeguard, environment: string, nowMs: number): Steps<Reading> {
    const reading = new Reading(safeguard, environment, nowMs);
    for (const series of this.#parts.impactMetrics.readings(safeguard.metricName)) {
      reading.add(series);
      yield;
    }
    return reading;
  }
}
