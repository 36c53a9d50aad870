import type { Gauge } from '../api/gauge.ts';
import type { UpstreamStatus } from './relay-status.ts';

/** What is told of a relay beside what is told of every service. */
export function relayGauges(status: () => UpstreamStatus, nowMs: () => number): readonly Gauge[] {
  return [
    {
      name: 'burgee_upstream_scopes',
      help: 'Environments with projects that upstream is asked for',
      type: 'gauge',
      read: () => status().scopes,
    },
    {
      name: 'burgee_upstream_failing_scopes',
      help: 'Those for which upstream does not answer as it should now',
      type: 'gauge',
      read: () => status().failing,
    },
    {
      name: 'burgee_upstream_streaming_scopes',
      help: 'Those that upstream tells of as they change',
      type: 'gauge',
      read: () => status().streaming,
    },
    {
      name: 'burgee_upstream_behind_seconds',
      help: 'How long ago upstream was last known to say what is served, where that is longest ago; left out until it has answered for every scope',
      type: 'gauge',
      read() {
        const { syncedAt } = status();
        return syncedAt === null ? undefined : Math.max(0, (nowMs() - Date.parse(syncedAt)) / 1_000);
      },
    },
    {
      name: 'burgee_upstream_unknown_tokens',
      help: 'Tokens of the start (TOKENS) that upstream does not know',
      type: 'gauge',
      read: () => status().unknownTokens,
    },
    {
      name: 'burgee_upstream_answer_bytes',
      help: 'What answers of upstream that are being read take in memory, unpacked',
      type: 'gauge',
      read: () => status().answers.bytes,
    },
    {
      name: 'burgee_upstream_answers_waiting',
      help: 'Answers that find no room in what they may take together (UPSTREAM_MEMORY_MB)',
      type: 'gauge',
      read: () => status().answers.waiting,
    },
    {
      name: 'burgee_upstream_answers_too_large_total',
      help: 'Answers that were not taken because they were larger than one may be (UPSTREAM_ANSWER_MB)',
      type: 'counter',
      read: () => status().answers.tooLarge,
    },
    {
      name: 'burgee_upstream_reports_waiting',
      help: 'Names that SDKs reported and upstream was not told of yet',
      type: 'gauge',
      read: () => status().reports.waiting,
    },
    {
      name: 'burgee_upstream_report_parcels_waiting',
      help: 'Parts of what was reported before that upstream has not taken',
      type: 'gauge',
      read: () => status().reports.parcels,
    },
    {
      name: 'burgee_upstream_report_parcels_refused_total',
      help: 'Parts that upstream will never take',
      type: 'counter',
      read: () => status().reports.refused,
    },
  ];
}
