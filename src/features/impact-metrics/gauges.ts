import { counter, type Gauge, gauge } from '../shared/gauge.ts';

/** How much of what applications measure is kept. */
export const gauges: readonly Gauge[] = [
  gauge(
    'burgee_impact_lines',
    'Lines of this page with metrics that applications measure themselves',
    ({ impactMetrics }) => impactMetrics.lines,
  ),
  counter(
    'burgee_impact_dropped_total',
    'Samples of applications that were not kept, by reason (docs/reach/metrics.md)',
    ({ impactMetrics: { dropped } }) => Object.entries(dropped).map(([reason, count]) => [{ reason }, count] as const),
  ),
];
