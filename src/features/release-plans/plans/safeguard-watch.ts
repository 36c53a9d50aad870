import type { Static } from 'typebox';
import { SERVICE } from '../../../base/asking/asker.ts';
import type { Clock } from '../../../base/clock.ts';
import { getOrMake } from '../../../base/get-or-make.ts';
import type { Logger } from '../../../base/logger.ts';
import { inSlices, Slicer, type Steps } from '../../../base/yield-control.ts';
import type { Replica } from '../../../engine/replica.ts';
import type { Writer } from '../../../engine/writer.ts';
import { systemCaller } from '../../../model/caller.ts';
import { type Safeguard, SafeguardCondition } from '../../../model/release-plan.ts';
import { isInMaintenance } from '../../instance/maintenance/commands.ts';
import { statedFields } from '../../shared/resource-schemas.ts';
import type { ImpactSink } from '../../usage/impact-metrics.ts';
import { SafeguardSamples } from './measuring.ts';
import { isSameCondition, tripSafeguard } from './progress.ts';
import { MetricReadings, type Reading } from './reading.ts';
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

/** A safeguard of a running plan. */
interface Watch extends WatchedPlan {
  readonly safeguard: Safeguard;
  readonly samples: SafeguardSamples;
}

/** A safeguard whose value has passed its threshold. */
interface Tripped extends Watch {
  readonly value: number;
}

/**
 * Compares the safeguards of running plans with the metrics that this replica has received, every minute. Every replica does so; a plan is paused by
 * the first one whose value passes the threshold. The samples are in memory, for safeguards of running plans only.
 */
export class SafeguardWatch {
  readonly #parts: WatchParts;
  readonly #closing = new AbortController();
  /** By ids of plan and safeguard. The number of safeguards is limited. Samples begin again when the condition is changed or the plan is continued. */
  #watches = new Map<string, Watch>();
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
    // Work of the service: no request waits for a check.
    const reached = await inSlices(this.#compare(nowMs), Slicer.of(SERVICE));
    for (const { featureName, environment, plan, safeguard, value } of reached) {
      if (this.#closing.signal.aborted) return;
      const { id: planId, guardedFrom } = plan;
      const location = { featureName, environment, planId, safeguardId: safeguard.id };
      const compared = { safeguard: conditionOf(safeguard), ...(guardedFrom !== undefined && { guardedFrom }), value };
      // A refusal, such as an unreachable store, is tried again at the next check.
      await writer.submit(tripSafeguard, { ...location, ...compared }, systemCaller());
    }
  }

  *#compare(nowMs: number): Steps<Tripped[]> {
    yield* this.#follow(nowMs);
    yield* this.#sample(nowMs);
    const tripped: Tripped[] = [];
    for (const watch of this.#watches.values()) {
      const value = watch.samples.tripped(nowMs);
      if (value !== undefined) tripped.push({ ...watch, value });
      yield;
    }
    return tripped;
  }

  /** Finds the safeguards of running plans. Those that are there still keep their samples. */
  *#follow(nowMs: number): Steps<void> {
    const watches = new Map<string, Watch>();
    for (const watched of yield* watchedPlans(this.#parts.replica.state)) {
      for (const safeguard of watched.plan.safeguards) {
        const key = JSON.stringify([watched.plan.id, safeguard.id]);
        const before = this.#watches.get(key);
        const samples =
          before?.plan.guardedFrom === watched.plan.guardedFrom && before && isSame(before.safeguard, safeguard)
            ? before.samples
            : new SafeguardSamples(safeguard, nowMs);
        watches.set(key, { ...watched, safeguard, samples });
        yield;
      }
    }
    this.#watches = watches;
  }

  /** Takes the samples that are due. The series of a metric are read once for all its safeguards. */
  *#sample(nowMs: number): Steps<void> {
    const byMetric = new Map<string, Watch[]>();
    for (const watch of this.#watches.values()) {
      if (watch.samples.isDue(nowMs)) getOrMake(byMetric, watch.safeguard.metricName, () => []).push(watch);
      yield;
    }
    for (const [metricName, watches] of byMetric) {
      const readings = new MetricReadings(nowMs);
      const due: { readonly samples: SafeguardSamples; readonly reading: Reading }[] = [];
      for (const { samples, safeguard, environment } of watches) {
        due.push({ samples, reading: readings.of(safeguard, environment) });
        yield;
      }
      for (const series of this.#parts.impactMetrics.readings(metricName)) yield* readings.add(series);
      for (const { samples, reading } of due) {
        samples.add(reading, nowMs);
        yield;
      }
    }
  }
}

/** Most safeguards are the same object as before. */
function isSame(before: Safeguard, now: Safeguard): boolean {
  return before === now || isSameCondition(before, now);
}
