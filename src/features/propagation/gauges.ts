import { counter, type Gauge, gauge } from '../shared/gauge.ts';

/** Metrics of connected SDKs. */
export const gauges: readonly Gauge[] = [
  gauge(
    'burgee_connections',
    'SDKs that are known to be connected to this process (docs/use/propagation.md)',
    ({ propagation }) => propagation.open(),
  ),
  counter(
    'burgee_receipts_total',
    'Newer lists and changes that were sent to tracked SDKs (docs/use/propagation.md)',
    ({ propagation }) => propagation.receipts,
  ),
  counter(
    'burgee_connections_refused_total',
    'How often an SDK was not tracked because the capacity was reached (docs/use/propagation.md)',
    ({ propagation }) => propagation.refused,
  ),
];
