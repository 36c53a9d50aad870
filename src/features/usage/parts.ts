import { randomUUID } from 'node:crypto';
import { RecentIds } from '../../base/recent-ids.ts';
import type { Services } from '../services.ts';
import { CounterRecorder } from './counter-recorder.ts';
import { FlagStats } from './flag-stats.ts';
import { FlagUse } from './flag-use.ts';
import { ReportRecorder } from './report-recorder.ts';
import type { ReportSink } from './report-sink.ts';
import { UseReader } from './use-reader.ts';

interface UsageParts {
  /** Counts uses and reports, which are not written to the log. */
  readonly counts: CounterRecorder;
  /** Accepts the reports of SDKs: counts them or, in a relay, sends them to upstream. */
  readonly reports: ReportSink;
  /** Ids of recently accepted reports of relays. The relays choose the ids. */
  readonly bulkReports: RecentIds;
  /** Counts the reports that this service receives. */
  readonly reportRecorder: ReportRecorder;
  /** Reads the counts of reports from the store. */
  readonly useReader: UseReader;
  /** When flags were last used, in memory. */
  readonly flagUse: FlagUse;
  /** How often flags were changed and used. */
  readonly flagStats: FlagStats;
}

declare module '../services.ts' {
  interface FeatureParts extends UsageParts {}
}

/** Maximum number of remembered report ids: as many as a thousand relays send in one to two hours. A relay repeats a report within minutes. */
const BULK_REPORTS_MAX = 100_000;

export function usageParts(services: Services): UsageParts {
  const { config, store, clock, logger, replacements, replica, writer, components } = services;
  const counts = new CounterRecorder(store.counters, clock, logger, { recorder: randomUUID() });
  components.add({ name: 'counts', dependsOn: ['store'], close: () => counts.close() });
  const flagUse = new FlagUse(store.counters, clock, logger);
  // It does not depend on `store`: when the store is closed, a read that waits for it ends.
  components.add({ name: 'use of flags', start: () => flagUse.start(), close: () => flagUse.close() });
  const flagStats = replacements.flagStats ?? new FlagStats();
  replica.onApplied((applied) => flagStats.apply(applied));
  const { limits } = config;
  const { state: reader } = replica;
  const reportRecorder = new ReportRecorder({ reader, writer, counts, flagUse, flagStats, clock, logger, limits });
  components.add({ name: 'use recorder', dependsOn: ['counts', 'writer'], close: () => reportRecorder.close() });
  return {
    counts,
    reports: replacements.reports ?? reportRecorder,
    bulkReports: new RecentIds(BULK_REPORTS_MAX),
    reportRecorder,
    useReader: new UseReader(store.counters, reportRecorder, clock),
    flagUse,
    flagStats,
  };
}
