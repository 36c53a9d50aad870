import { SERVICE } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import { getOrMake } from '../../base/get-or-make.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Replica } from '../../engine/replica.ts';
import type { Writer } from '../../engine/writer.ts';
import { systemCaller } from '../../model/caller.ts';
import type { FeatureEnvironment } from '../../model/feature.ts';
import { conditionOf, countsFrom, type Safeguard, waitsForReview } from '../../model/safeguard.ts';
import type { ImpactSink } from '../impact-metrics/impact-metrics.ts';
import { watchedSettings } from '../release-plans/plans/watched.ts';
import { isInMaintenance } from '../shared/maintenance.ts';
import { SafeguardSamples } from './measuring.ts';
import type { Prometheus } from './prometheus.ts';
import { type Check, compared, logChange, QueryRounds } from './query-checks.ts';
import { MetricReadings, type Reading } from './reading.ts';
import { isSameCondition, reasonOf, tripSafeguard } from './trip.ts';

/** How often the safeguards are checked. */
export const CHECK_EVERY_MS = 60_000;

interface WatchParts {
  readonly replica: Pick<Replica, 'state'>;
  readonly writer: Pick<Writer, 'submit'>;
  readonly impactMetrics: Pick<ImpactSink, 'readings'>;
  readonly prometheus: Pick<Prometheus, 'ask'> | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A safeguard that counts: of a plan that is not paused, or of a flag, that is on. */
interface Watch {
  readonly featureName: string;
  readonly environment: string;
  /** Null: a safeguard of the flag itself. */
  readonly planId: string | null;
  readonly safeguard: Safeguard;
  /** `countsFrom` of the safeguard. */
  readonly from: string | undefined;
  readonly samples: SafeguardSamples;
}

/** A safeguard whose value has passed its threshold. */
interface Tripped extends Watch {
  readonly value: number;
}

/**
 * Compares safeguards every minute: with the metrics that this replica has received, or with what Prometheus answers. Every replica does so; the first
 * one whose value passes the threshold trips the safeguard. Samples and results are in memory, for safeguards that count.
 */
export class SafeguardWatch {
  readonly #parts: WatchParts;
  readonly #closing = new AbortController();
  readonly #rounds = new QueryRounds();
  /** By `keyOf`. The number of safeguards is limited. Samples begin again when the condition is changed, and when the safeguard counts anew. */
  #watches = new Map<string, Watch>();
  /** The last comparison of each safeguard that counts. */
  #checks = new Map<string, Check>();
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

  /** What this replica found when it last compared the safeguard; undefined if it has not since the safeguard counts. */
  lastCheck(featureName: string, environment: string, safeguardId: string): Check | undefined {
    return this.#checks.get(keyOf(featureName, environment, safeguardId));
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

  /** Compares all safeguards, and trips those whose value passes the threshold. Joins a check that runs. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<void> {
    const { clock, replica } = this.#parts;
    if (isInMaintenance(replica.state)) return;
    const nowMs = clock.nowMs();
    // Work of the service: no request waits for a check.
    for (const tripped of await inSlices(this.#compare(nowMs), Slicer.of(SERVICE))) await this.#trip(tripped);
    for (const tripped of await this.#compareQueries(nowMs)) await this.#trip(tripped);
  }

  /** A refusal, such as an unreachable store, is tried again at the next check. */
  async #trip({ featureName, environment, planId, safeguard, from, value }: Tripped): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const { writer, logger } = this.#parts;
    const condition = conditionOf(safeguard);
    const location = { featureName, environment, safeguardId: safeguard.id, ...(planId !== null && { planId }) };
    const input = { ...location, safeguard: condition, ...(from !== undefined && { guardedFrom: from }), value };
    const outcome = await writer.submit(tripSafeguard, input, {
      ...systemCaller(),
      reason: reasonOf(condition, value),
    });
    if (outcome instanceof Rejection)
      logger.warn({ ...location, reason: outcome.message }, 'a safeguard could not act; it is tried again');
  }

  /** Compares the safeguards on metrics. */
  *#compare(nowMs: number): Steps<Tripped[]> {
    yield* this.#follow(nowMs);
    yield* this.#sample(nowMs);
    const tripped: Tripped[] = [];
    for (const [key, watch] of this.#watches) {
      if (watch.safeguard.query !== undefined) continue;
      const value = watch.samples.value(nowMs) ?? null;
      this.#checks.set(key, {
        atMs: nowMs,
        value,
        problem: value === null ? 'There are not enough reports yet.' : null,
      });
      const passed = watch.samples.tripped(nowMs);
      if (passed !== undefined) tripped.push({ ...watch, value: passed });
      yield;
    }
    return tripped;
  }

  /** Finds the safeguards that count. Those that were there before keep their samples. */
  *#follow(nowMs: number): Steps<void> {
    const [watches, checks] = [new Map<string, Watch>(), new Map<string, Check>()];
    for (const { featureName, config } of yield* watchedSettings(this.#parts.replica.state)) {
      for (const counting of countingOf(featureName, config)) {
        const key = keyOf(featureName, config.environment, counting.safeguard.id);
        const before = this.#watches.get(key);
        const isKept = before?.from === counting.from && before && isSame(before.safeguard, counting.safeguard);
        watches.set(key, {
          ...counting,
          samples: isKept ? before.samples : new SafeguardSamples(counting.safeguard, nowMs),
        });
        const check = this.#checks.get(key);
        if (check && isKept) checks.set(key, check);
        yield;
      }
    }
    this.#watches = watches;
    this.#checks = checks;
  }

  /** Takes the samples that are due. The series of a metric are read once for all its safeguards. */
  *#sample(nowMs: number): Steps<void> {
    const byMetric = new Map<string, Watch[]>();
    for (const watch of this.#watches.values()) {
      const { samples, safeguard } = watch;
      if (safeguard.query === undefined && samples.isDue(nowMs))
        getOrMake(byMetric, safeguard.metricName, () => []).push(watch);
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

  /** Asks the queries that are due, and compares the answers. */
  async #compareQueries(nowMs: number): Promise<Tripped[]> {
    const { prometheus, logger } = this.#parts;
    const due = [...this.#watches].filter(([, watch]) => isQueryDue(watch, nowMs));
    if (due.length === 0) return [];
    const queries = due.map(([, { safeguard }]) => safeguard.query ?? '');
    const answers = await this.#rounds.ask(queries, { prometheus, signal: this.#closing.signal });
    if (this.#closing.signal.aborted) return [];
    const tripped: Tripped[] = [];
    for (const [key, watch] of due) {
      const { safeguard, featureName, environment } = watch;
      const answer = answers.get(safeguard.query ?? '');
      if (!answer) continue;
      const { check, isTripped } = compared(safeguard, answer, nowMs);
      logChange(logger, { featureName, environment, safeguardId: safeguard.id }, this.#checks.get(key), check);
      this.#checks.set(key, check);
      if (isTripped && check.value !== null) tripped.push({ ...watch, value: check.value });
    }
    return tripped;
  }
}

/** Ids of safeguards are unique. Names of flags and environments contain no slash. */
function keyOf(featureName: string, environment: string, safeguardId: string): string {
  return `${environment}/${featureName}/${safeguardId}`;
}

/** The safeguards of the flag that count, in an environment in which it is on. */
function* countingOf(featureName: string, config: FeatureEnvironment): Generator<Omit<Watch, 'samples'>> {
  const { environment, releasePlan: plan, safeguards = [], guardedFrom } = config;
  for (const safeguard of plan && !plan.paused ? plan.safeguards : [])
    yield {
      featureName,
      environment,
      planId: plan?.id ?? null,
      safeguard,
      from: countsFrom(safeguard, plan?.guardedFrom),
    };
  for (const safeguard of safeguards)
    if (!waitsForReview(safeguard, guardedFrom))
      yield { featureName, environment, planId: null, safeguard, from: countsFrom(safeguard, guardedFrom) };
}

/** A query may look back over its window: it would still see what was before the flag was switched on again. */
function isQueryDue({ safeguard, from }: Watch, nowMs: number): boolean {
  if (safeguard.query === undefined) return false;
  return from === undefined || nowMs - Date.parse(from) >= safeguard.windowMinutes * 60_000;
}

/** Most safeguards are the same object as before. */
function isSame(before: Safeguard, now: Safeguard): boolean {
  return before === now || isSameCondition(before, now);
}
