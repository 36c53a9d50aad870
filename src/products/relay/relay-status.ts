import Type, { type Static } from 'typebox';
import { isoTime } from '../../base/clock.ts';
import { withoutCredentials } from '../../base/without-credentials.ts';
import { Nullable } from '../../model/primitives.ts';
import type { ReportBox } from './report-box.ts';
import type { ReportSender } from './report-sender.ts';
import type { ScopeKeeper } from './scope-keeper.ts';
import type { TokenTaker } from './token-taker.ts';
import type { Upstream } from './upstream.ts';

/** What a relay reports about its upstream, as part of its readiness. */
export const UpstreamStatus = Type.Object(
  {
    url: Type.String(),
    scopes: Type.Integer({ description: 'Environments with projects that upstream is asked for' }),
    streaming: Type.Integer({ description: 'Of these, those that upstream streams' }),
    failing: Type.Integer({ description: 'Of these, those for which it does not answer as it should now' }),
    problem: Nullable(
      Type.Object({
        since: Type.String({ format: 'date-time', description: 'When the first of them began to fail' }),
        message: Type.String({ description: 'What was met there' }),
      }),
    ),
    syncedAt: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'What is served is at least as new, in every scope; null: some are as an earlier process left them, or not there',
      }),
    ),
    answers: Type.Object(
      {
        bytes: Type.Integer({ description: 'What answers take in memory that are being read now, unpacked' }),
        waiting: Type.Integer({ description: 'Of these, those that find no room: `UPSTREAM_MEMORY_MB` is reached' }),
        tooLarge: Type.Integer({
          description: 'Those that were larger than `UPSTREAM_ANSWER_MB` and were not taken, since this process began',
        }),
      },
      { description: 'What upstream’s answers take' },
    ),
    tokensValidatedAt: Nullable(Type.String({ format: 'date-time' })),
    unknownTokens: Type.Integer({
      description: 'Of `TOKENS`, those that upstream does not know, or was not asked about yet',
    }),
    reports: Type.Object({
      waiting: Type.Integer({ description: 'Names that SDKs reported and that were not sent upstream yet' }),
      parcels: Type.Integer({ description: 'Of what was reported before, parts that upstream has not taken' }),
      refused: Type.Integer({ description: 'Parts that upstream will never take, since this process began' }),
      dropped: Type.Integer({ description: 'What was reported and not taken, since this process began' }),
    }),
  },
  { description: 'Where the flags come from. Reads go on whatever is reported here' },
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

/** How a relay stands with its upstream. */
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
