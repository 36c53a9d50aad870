import { randomUUID } from 'node:crypto';
import { RecentIds } from '../../base/recent-ids.ts';
import { isShared } from '../../stores/shared-store.ts';
import type { Services } from '../services.ts';
import { CounterRecorder } from './counter-recorder.ts';
import { FlagStats } from './flag-stats.ts';
import { FlagUse } from './flag-use.ts';
import { ImpactMetrics, type ImpactSink } from './impact-metrics.ts';
import { ConnectionExchange } from './propagation/exchange.ts';
import { Propagation } from './propagation/propagation.ts';
import { UseReader } from './reader.ts';
import { UseRecorder } from './recorder.ts';
import type { ReportSink } from './report-sink.ts';

interface UsageParts {
  /** Counts what does not go through the log. */
  readonly counts: CounterRecorder;
  /** Takes what SDKs report: counts it, or sends it to another service. */
  readonly reports: ReportSink;
  /** Reports of relays that were taken lately, by the names that they gave them. */
  readonly bulkReports: RecentIds;
  /** Counts it. */
  readonly useRecorder: UseRecorder;
  /** What was counted of it, in the store. */
  readonly useReader: UseReader;
  /** When flags were used last, in memory. */
  readonly flagUse: FlagUse;
  /** How often flags were changed and used. */
  readonly flagStats: FlagStats;
  /** What applications measure themselves. */
  readonly impactMetrics: ImpactSink;
  /** Which SDKs are connected, and what they have. */
  readonly propagation: Propagation;
}

declare module '../services.ts' {
  interface FeatureParts extends UsageParts {}
}

/** A relay sends a report again within minutes; a thousand relays send as many reports in an hour or two. */
const BULK_REPORTS_MAX = 100_000;

export function usageParts(services: Services): UsageParts {
  const { config, store, clock, logger, replaced, replica, writer, components } = services;
  const counts = new CounterRecorder(store.counters, clock, logger, { recorder: randomUUID() });
  components.add({ name: 'counts', dependsOn: ['store'], close: () => counts.close() });
  const flagUse = new FlagUse(store.counters, clock, logger);
  // A read of it that waits for the store ends when the store is closed.
  components.add({ name: 'use of flags', start: () => flagUse.start(), close: () => flagUse.close() });
  const flagStats = replaced.flagStats ?? new FlagStats();
  replica.onApplied((applied) => flagStats.apply(applied));
  const { limits } = config;
  const { state: reader } = replica;
  const useRecorder = new UseRecorder({ reader, writer, counts, flagUse, flagStats, clock, logger, limits });
  components.add({ name: 'use recorder', dependsOn: ['counts', 'writer'], close: () => useRecorder.close() });
  return {
    counts,
    reports: replaced.reports ?? useRecorder,
    bulkReports: new RecentIds(BULK_REPORTS_MAX),
    useRecorder,
    useReader: new UseReader(store.counters, useRecorder, clock),
    flagUse,
    flagStats,
    impactMetrics: replaced.impactMetrics ?? new ImpactMetrics(),
    propagation: propagationOf(services),
  };
}

/** What follows which SDKs have what: alone, or together with other replicas. */
function propagationOf({ store, clock, logger, replica, components }: Services): Propagation {
  const { counters } = store;
  const recorder = () => new CounterRecorder(counters, clock, logger, { recorder: randomUUID() });
  const exchange = isShared(store)
    ? new ConnectionExchange({ counters, recorder: recorder(), clock, mark: () => replica.mark })
    : null;
  const propagation = new Propagation({ state: replica.state, clock, exchange });
  replica.onApplied((applied) => propagation.apply(applied));
  replica.onReplaced(() => propagation.replaced());
  const [start, close] = [() => propagation.start(), () => propagation.close()];
  components.add({ name: 'propagation', dependsOn: ['counts'], start, close });
  return propagation;
}
