import type { Gauge } from '../../features/instance/operations/gauge.ts';
import type { UpstreamStatus } from './relay-status.ts';

/** A gauge, and the part of a relay's status that it shows; undefined: nothing now. */
type Sent = Omit<Gauge, 'read'> & { of(status: UpstreamStatus, nowMs: number): number | undefined };

const GAUGES: readonly Sent[] = [
  {
    name: 'burgee_upstream_scopes',
    help: 'Environments with projects that upstream is asked for',
    type: 'gauge',
    of: ({ scopes }) => scopes,
  },
  {
    name: 'burgee_upstream_failing_scopes',
    help: 'Those for which upstream does not answer as it should now',
    type: 'gauge',
    of: ({ failing }) => failing,
  },
  {
    name: 'burgee_upstream_streaming_scopes',
    help: 'Those that upstream streams',
    type: 'gauge',
    of: ({ streaming }) => streaming,
  },
  {
    name: 'burgee_upstream_behind_seconds',
    help: 'How long ago upstream was last known to say what is served, where that is longest ago; left out until it has answered for every scope',
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
    help: 'What answers of upstream that are being read take in memory, unpacked',
    type: 'gauge',
    of: ({ answers }) => answers.bytes,
  },
  {
    name: 'burgee_upstream_answers_waiting',
    help: 'Answers that find no room in what they may take together (UPSTREAM_MEMORY_MB)',
    type: 'gauge',
    of: ({ answers }) => answers.waiting,
  },
  {
    name: 'burgee_upstream_answers_too_large_total',
    help: 'Answers that were not taken because they were larger than one may be (UPSTREAM_ANSWER_MB)',
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
    help: 'Parts of what was reported before that upstream has not taken',
    type: 'gauge',
    of: ({ reports }) => reports.parcels,
  },
  {
    name: 'burgee_upstream_report_parcels_refused_total',
    help: 'Parts that upstream will never take',
    type: 'counter',
    of: ({ reports }) => reports.refused,
  },
];

/** Gauges of a relay, beside those of every service. */
export function relayGauges(status: () => UpstreamStatus, nowMs: () => number): readonly Gauge[] {
  return GAUGES.map(({ of, ...sent }) => ({ ...sent, read: () => of(status(), nowMs()) }));
}
