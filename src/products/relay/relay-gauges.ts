import { counter, type Gauge, gauge } from '../../features/shared/gauge.ts';
import type { UpstreamStatus } from './relay-status.ts';

/** Gauges of a relay, in addition to those of every service. */
export function relayGauges(status: () => UpstreamStatus, nowMs: () => number): readonly Gauge[] {
  return [
    gauge(
      'burgee_upstream_scopes',
      'Scopes (environment and projects) that are requested from upstream',
      () => status().scopes,
    ),
    gauge(
      'burgee_upstream_failing_scopes',
      'Scopes for which upstream does not give a valid answer now',
      () => status().failing,
    ),
    gauge('burgee_upstream_streaming_scopes', 'Scopes that upstream streams', () => status().streaming),
    gauge(
      'burgee_upstream_behind_seconds',
      'Age of the last confirmation by upstream that the served flags are current, of the oldest scope; missing until every scope has an answer',
      () => {
        const { syncedAt } = status();
        return syncedAt === null ? undefined : Math.max(0, (nowMs() - Date.parse(syncedAt)) / 1_000);
      },
    ),
    gauge(
      'burgee_upstream_unknown_tokens',
      'Tokens of the start (TOKENS) that upstream does not know',
      () => status().unknownTokens,
    ),
    gauge(
      'burgee_upstream_answer_bytes',
      'Memory of the answers of upstream that are being read, after decompression',
      () => status().answers.bytes,
    ),
    gauge(
      'burgee_upstream_answers_waiting',
      'Answers that wait for memory (UPSTREAM_MEMORY_MB)',
      () => status().answers.waiting,
    ),
    counter(
      'burgee_upstream_answers_too_large_total',
      'Answers that were refused because they were too large (UPSTREAM_ANSWER_MB)',
      () => status().answers.tooLarge,
    ),
    gauge(
      'burgee_upstream_reports_waiting',
      'Names that SDKs reported and that were not sent upstream yet',
      () => status().reports.waiting,
    ),
    gauge(
      'burgee_upstream_report_batches_waiting',
      'Report batches that upstream has not accepted yet',
      () => status().reports.batches,
    ),
    counter(
      'burgee_upstream_report_batches_refused_total',
      'Report batches that upstream refused finally',
      () => status().reports.refused,
    ),
  ];
}
