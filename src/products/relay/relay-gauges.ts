import type { Gauge } from '../../features/instance/operations/gauge.ts';
import type { UpstreamStatus } from './relay-status.ts';

/** A gauge, and a function that reads its value from a relay's status. Undefined: the gauge has no value now. */
type RelayGauge = Omit<Gauge, 'read'> & { of(status: UpstreamStatus, nowMs: number): number | undefined };

const GAUGES: readonly RelayGauge[] = [
  {
    name: 'burgee_upstream_scopes',
    help: 'Scopes (environment and projects) that are requested from upstream',
    type: 'gauge',
    of: ({ scopes }) => scopes,
  },
  {
    name: 'burgee_upstream_failing_scopes',
    help: 'Scopes for which upstream does not give a valid answer now',
    type: 'gauge',
    of: ({ failing }) => failing,
  },
  {
    name: 'burgee_upstream_streaming_scopes',
    help: 'Scopes that upstream streams',
    type: 'gauge',
    of: ({ streaming }) => streaming,
  },
  {
    name: 'burgee_upstream_behind_seconds',
    help: 'Age of the last confirmation by upstream that the served flags are current, of the oldest scope; missing until every scope has an answer',
    type: 'gauge',
    of: ({ syncedAt }, nowMs) => (syncedAt === null ? undefined : Math.max(0, (nowMs - Date.parse(syncedAt)) / 1_000)),
  },
  {
    name: 'burgee_upstream_unknown_tokens',
    help: 'Tokens of the start (TOKENS) that upstream does not know',
    type: 'gauge',
    of: ({ unknownTokens }) => unknownTokens,
  },
  {
    name: 'burgee_upstream_answer_bytes',
    help: 'Memory of the answers of upstream that are being read, after decompression',
    type: 'gauge',
    of: ({ answers }) => answers.bytes,
  },
  {
    name: 'burgee_upstream_answers_waiting',
    help: 'Answers that wait for memory (UPSTREAM_MEMORY_MB)',
    type: 'gauge',
    of: ({ answers }) => answers.waiting,
  },
  {
    name: 'burgee_upstream_answers_too_large_total',
    help: 'Answers that were refused because they were too large (UPSTREAM_ANSWER_MB)',
    type: 'counter',
    of: ({ answers }) => answers.tooLarge,
  },
  {
    name: 'burgee_upstream_reports_waiting',
    help: 'Names that SDKs reported and that were not sent upstream yet',
    type: 'gauge',
    of: ({ reports }) => reports.waiting,
  },
  {
    name: 'burgee_upstream_report_parcels_waiting',
    help: 'Report batches that upstream has not accepted yet',
    type: 'gauge',
    of: ({ reports }) => reports.parcels,
  },
  {
    name: 'burgee_upstream_report_parcels_refused_total',
    help: 'Report batches that upstream refused finally',
    type: 'counter',
    of: ({ reports }) => reports.refused,
  },
];

/** Gauges of a relay, in addition to those of every service. */
export function relayGauges(status: () => UpstreamStatus, nowMs: () => number): readonly Gauge[] {
  return GAUGES.map(({ of, ...gauge }) => ({ ...gauge, read: () => of(status(), nowMs()) }));
}
