import Type, { type Static } from 'typebox';
import { isoTime } from '../../base/clock.ts';
import { withoutCredentials } from '../../base/without-credentials.ts';
import { Nullable } from '../../model/primitives.ts';
import type { ReportBox } from './report-box.ts';
import type { ReportSender } from './report-sender.ts';
import type { ScopeKeeper } from './scope-keeper.ts';
import type { TokenTaker } from './token-taker.ts';
import type { Upstream } from './upstream.ts';

/** The status of upstream, as part of a relay's readiness. */
export const UpstreamStatus = Type.Object(
  {
    url: Type.String(),
    scopes: Type.Integer({ description: 'Scopes (environment and projects) that are requested from upstream' }),
    streaming: Type.Integer({ description: 'Of these, those that upstream streams' }),
    failing: Type.Integer({ description: 'Of these, those for which upstream does not give a valid answer now' }),
    problem: Nullable(
      Type.Object({
        since: Type.String({ format: 'date-time', description: 'When the first of them began to fail' }),
        message: Type.String({ description: 'The problem' }),
      }),
    ),
    syncedAt: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'The served flags of every scope are at least as new as this; null: some scopes are missing, or still as an earlier process stored them',
      }),
    ),
    answers: Type.Object(
      {
        bytes: Type.Integer({ description: 'Memory of the answers that are being read now, after decompression' }),
        waiting: Type.Integer({ description: 'Of these, those that wait for memory: `UPSTREAM_MEMORY_MB` is reached' }),
        tooLarge: Type.Integer({
          description:
            'Answers that were refused because they were larger than `UPSTREAM_ANSWER_MB`, since this process began',
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
      parcels: Type.Integer({ description: 'Report batches that upstream has not accepted yet' }),
      refused: Type.Integer({ description: 'Report batches that upstream refused finally, since this process began' }),
      dropped: Type.Integer({ description: 'Reported items that were not accepted, since this process began' }),
    }),
  },
  { description: 'The source of the flags. Reads continue independent of this status' },
);
export type UpstreamStatus = Static<typeof UpstreamStatus>;

interface StatusParts {
  readonly upstreamUrl: string;
  readonly upstream: Upstream;
  readonly scopes: ScopeKeeper;
  readonly taker: TokenTaker;
  readonly box: ReportBox;
  readonly sender: ReportSender;
}

/** The status of a relay's upstream. */
export function upstreamStatus({ upstreamUrl, upstream, scopes, taker, box, sender }: StatusParts): UpstreamStatus {
  const all = scopes.followers.map(({ status }) => status);
  const problems = all.flatMap(({ problem }) => problem ?? []);
  const [first] = problems.sort((left, right) => (left.since < right.since ? -1 : 1));
  const synced = all.map(({ syncedAt }) => syncedAt).sort();
  return {
    url: withoutCredentials(upstreamUrl),
    scopes: all.length,
    streaming: all.filter(({ isStreaming }) => isStreaming).length,
    failing: problems.length,
    problem: first ?? null,
    syncedAt: synced.includes(null) ? null : (synced[0] ?? null),
    answers: {
      bytes: upstream.memory.bytes,
      waiting: upstream.memory.waiting,
      tooLarge: upstream.memory.tooLarge,
    },
    tokensValidatedAt: taker.validatedMs === null ? null : isoTime(taker.validatedMs),
    unknownTokens: taker.missing().length,
    reports: {
      waiting: box.waiting,
      parcels: sender.waiting.length,
      refused: sender.refused,
      dropped: Object.values(box.dropped).reduce((sum, count) => sum + count, 0),
    },
  };
}
