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
import { UseRecorder } from './report-recorder.ts';
import type { ReportSink } from './report-sink.ts';

interface UsageParts {
  /** Counts events that are not written to the log. */
  readonly counts: CounterRecorder;
  /** Accepts the reports of SDKs: counts them, or sends them to another service. */
  readonly reports: ReportSink;
  /** Ids of recently accepted reports of relays. The relays choose the ids. */
  readonly bulkReports: RecentIds;
  /** Counts the reports. */
  readonly useRecorder: UseRecorder;
  /** Reads the counts of reports from the store. */
  readonly useReader: UseReader;
  /** When flags were last used, in memory. */
  readonly flagUse: FlagUse;
  /** How often flags were changed and used. */
  readonly flagStats: FlagStats;
  /** Metrics that applications measure themselves. */
  readonly impactMetrics: ImpactSink;
  /** Which SDKs are connected, and which revision they have. */
  readonly propagation: Propagation;
}

declare module '../services.ts' {
  interface FeatureParts extends UsageParts {}
}

/** Maximum number of remembered report ids. A relay repeats a report within minutes; a thousand relays send this many reports in one to two hours. */
const BULK_REPORTS_MAX = 100_000;

export function usageParts(services: Services): UsageParts {
  const { config, store, clock, logger, replaced, replica, writer, components } = services;
  const counts = new CounterRecorder(store.counters, clock, logger, { recorder: randomUUID() });
  components.add({ name: 'counts', dependsOn: ['store'], close: () => counts.close() });
  const flagUse = new FlagUse(store.counters, clock, logger);
  // A read that waits for the store ends when the store is closed.
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

/** Creates the part that tracks which SDKs have which revision. With a shared store, it exchanges this information with other replicas. */
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
