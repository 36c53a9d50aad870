import { counter, type Gauge, gauge } from '../shared/gauge.ts';

/** Metrics of reports and of counts. */
export const gauges: readonly Gauge[] = [
  counter(
    'burgee_flag_figures_dropped_total',
    'How often a change or use of a flag, or an SDK, was left out of the metrics because there are too many names',
    ({ flagStats }) => flagStats.dropped,
  ),
  gauge(
    'burgee_counts_waiting',
    'Names with counts that are not in the store yet: a crash loses them',
    ({ counts }) => counts.risk.waitingNames,
  ),
  counter(
    'burgee_counts_lost_total',
    'Counts that were refused or dropped because the capacity was reached, and names whose counts the store has lost',
    ({ counts: { risk } }) => risk.refused + risk.dropped + risk.lost,
  ),
  counter('burgee_reports_total', 'Reports of SDKs and relays that were accepted', ({ reports: { reportCounts } }) =>
    Object.entries(reportCounts).map(([kind, count]) => [{ kind }, count] as const),
  ),
  counter(
    'burgee_reports_dropped_total',
    'Parts of reports that were not counted, by reason (docs/reach/metrics.md)',
    ({ reports: { dropped } }) => Object.entries(dropped).map(([reason, count]) => [{ reason }, count] as const),
  ),
  gauge(
    'burgee_reported_names_waiting',
    'Names of flags, variants and instances that were reported and are not counted yet',
    ({ reports }) => reports.waiting,
  ),
  gauge(
    'burgee_flags_seen',
    'Pairs of a flag and an environment whose last use is known',
    ({ flagUse }) => flagUse.size,
  ),
  gauge('burgee_applications', 'Applications that are known', ({ state }) => state.size('applications')),
];
