import Type, { type Static } from 'typebox';
import { isoTime } from '../../base/clock.ts';
import { withoutCredentials } from '../../base/without-credentials.ts';
import { Nullable } from '../../model/primitives.ts';
import type { AcceptedTokens } from './accepted-tokens.ts';
import type { ReportBox } from './report-box.ts';
import type { ReportSender } from './report-sender.ts';
import type { ScopeKeeper } from './scope-keeper.ts';
import type { Upstream } from './upstream.ts';

/** The status of upstream, as part of a relay's readiness. */
export const UpstreamStatus = Type.Object(
  {
    url: Type.String(),
    scopes: Type.Integer({ description: 'Scopes (environment and projects) that are requested from upstream' }),
    streaming: Type.Integer({ description: 'Scopes that upstream streams' }),
    failing: Type.Integer({ description: 'Scopes for which upstream does not give a valid answer now' }),
    problem: Nullable(
      Type.Object({
        since: Type.String({ format: 'date-time', description: 'When the first of the failing scopes began to fail' }),
        message: Type.String({ description: 'The problem' }),
      }),
    ),
    syncedAt: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'The served flags of every scope are at least as new as this time. Null: some scopes are missing, or are still as an earlier process stored them',
      }),
    ),
    answers: Type.Object(
      {
        bytes: Type.Integer({ description: 'Memory of the answers that are being read now, after decompression' }),
        waiting: Type.Integer({ description: 'Answers that wait for memory, because `UPSTREAM_MEMORY_MB` is reached' }),
        tooLarge: Type.Integer({
          description:
            'Answers that were refused because they were larger than `UPSTREAM_ANSWER_MB`, since the start of this process',
        }),
      },
      { description: 'Memory of upstream’s answers' },
    ),
    tokensValidatedAt: Nullable(Type.String({ format: 'date-time' })),
    unknownTokens: Type.Integer({
      description: 'Number of `TOKENS` that upstream does not know, or that were not validated yet',
    }),
    reports: Type.Object({
      waiting: Type.Integer({ description: 'Names that SDKs reported and that were not sent upstream yet' }),
      batches: Type.Integer({ description: 'Report batches that upstream has not accepted yet' }),
      refused: Type.Integer({
        description: 'Report batches that upstream refused finally, since the start of this process',
      }),
      dropped: Type.Integer({ description: 'Reported items that were not accepted, since the start of this process' }),
    }),
  },
  { description: 'The status of upstream, the source of the flags. SDKs get flags independent of this status' },
);
export type UpstreamStatus = Static<typeof UpstreamStatus>;

interface StatusParts {
  readonly upstreamUrl: string;
  readonly upstream: Upstream;
  readonly scopes: ScopeKeeper;
  readonly acceptedTokens: AcceptedTokens;
  readonly box: ReportBox;
  readonly sender: ReportSender;
}

/** The status of a relay's upstream. */
export function upstreamStatus({
  upstreamUrl,
  upstream,
  scopes,
  acceptedTokens,
  box,
  sender,
}: StatusParts): UpstreamStatus {
  const statuses = scopes.followers.map(({ status }) => status);
  const problems = statuses.flatMap(({ problem }) => problem ?? []);
  const [oldestProblem] = problems.sort((left, right) => (left.since < right.since ? -1 : 1));
  const syncTimes = statuses.map(({ syncedAt }) => syncedAt).sort();
  return {
    url: withoutCredentials(upstreamUrl),
    scopes: statuses.length,
    streaming: statuses.filter(({ isStreaming }) => isStreaming).length,
    failing: problems.length,
    problem: oldestProblem ?? null,
    syncedAt: syncTimes.includes(null) ? null : (syncTimes[0] ?? null),
    answers: {
      bytes: upstream.memory.bytes,
      waiting: upstream.memory.waitingCount,
      tooLarge: upstream.memory.tooLargeCount,
    },
    tokensValidatedAt: acceptedTokens.validatedMs === null ? null : isoTime(acceptedTokens.validatedMs),
    unknownTokens: acceptedTokens.unknownStartTokens().length,
    reports: {
      waiting: box.waiting,
      batches: sender.waiting.length,
      refused: sender.refused,
      dropped: Object.values(box.dropped).reduce((sum, count) => sum + count, 0),
    },
  };
}
