import Type from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { isoTime } from '../../base/clock.ts';
import type { Rejection } from '../../base/rejection.ts';
import { listAnswer, ok } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import { DateTime } from '../../model/primitives.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { readingStore } from '../shared/reading-store.ts';
import type { UseOfFlag } from './use-reader.ts';
import { DAYS_KEPT, HOURS_KEPT } from './use-series.ts';

const route = routesOf('Metrics');

const FlagParams = { name: Type.String({ description: 'Name of the flag' }) };

const FlagHead = {
  version: Type.Integer({ description: 'Version of the format; always 1' }),
  maturity: Type.Literal('stable', { description: 'Maturity of the operation' }),
  featureName: Type.String({ description: 'Name of the flag' }),
};

const CountFields = {
  environment: Type.String({ description: 'Name of the environment' }),
  timestamp: Type.String({ ...DateTime, description: 'Start of the hour or of the day' }),
  yes: Type.Integer({ minimum: 0, description: 'How often the flag was on' }),
  no: Type.Integer({ minimum: 0, description: 'How often it was off' }),
};

const FeatureUsageSchema = Type.Object(
  {
    ...FlagHead,
    lastHourUsage: Type.Array(Type.Object(CountFields), {
      description: 'The counts of the current and the previous hour, by environment',
    }),
    seenApplications: Type.Array(Type.String(), {
      description: `Applications that used the flag in the last ${HOURS_KEPT} hours`,
    }),
  },
  { $id: 'featureUsage' },
);

const FeatureMetricsSchema = Type.Object(
  {
    ...FlagHead,
    data: Type.Array(
      Type.Object({
        ...CountFields,
        featureName: Type.String({ description: 'Name of the flag' }),
        appName: Type.String({ description: 'Name of the application' }),
        variants: Type.Unsafe<Record<string, number>>({
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'How often each variant was served',
        }),
      }),
      { description: 'Newest first' },
    ),
  },
  { $id: 'featureMetrics' },
);

/** Returns the result of `read`, or a rejection if the store is unreachable. */
export function readOrReject<T>(read: () => Promise<T>): Promise<T | Rejection> {
  return readingStore(read, 'The store with the counts cannot be read now. Try again later.');
}

/** The uses of a flag that the caller may see. Uses of an earlier flag with this name are left out. */
async function usesOf(
  name: string,
  hoursBack: number,
  { caller, asker }: { readonly caller: Caller; readonly asker: Asker },
  { useReader, state }: Services,
): Promise<UseOfFlag[]> {
  const feature = state.get('features', name);
  const visible = visibleProjects(state, caller);
  if (!(feature ? visible.has(feature.project) : visible.isAll)) return [];
  return useReader.ofFlag(name, hoursBack, feature ? Date.parse(feature.createdAt) : 0, asker);
}

const flagHead = (featureName: string) => ({ version: 1, maturity: 'stable', featureName });

const getFeatureUsage = route('GET /api/admin/client-metrics/features/:name', 'getFeatureUsageSummary', {
  access: { permission: 'READ' },
  summary: 'How often a flag was used in the last hour, and by which applications in the last two days',
  params: FlagParams,
  responses: { 200: { description: 'The use of the flag', schema: FeatureUsageSchema } },
  neverMissing: true,
  errors: [503],
  handle: ({ params: { name }, caller, asker }, services) =>
    readOrReject(async () => {
      const uses = await usesOf(name, HOURS_KEPT, { caller, asker }, services);
      const sinceMs = services.clock.nowMs() - 2 * 3_600_000;
      const byEnvironment = new Map<string, { timestamp: string; yes: number; no: number }>();
      for (const { environment, startMs, yes, no } of uses) {
        if (startMs <= sinceMs) continue;
        const sum = byEnvironment.get(environment) ?? { timestamp: isoTime(startMs), yes: 0, no: 0 };
        byEnvironment.set(environment, { ...sum, yes: sum.yes + yes, no: sum.no + no });
      }
      return ok({
        ...flagHead(name),
        lastHourUsage: [...byEnvironment].map(([environment, sum]) => ({ environment, ...sum })),
        seenApplications: [...new Set(uses.map(({ appName }) => appName))].sort(),
      });
    }),
});

const getFeatureMetrics = route('GET /api/admin/client-metrics/features/:name/raw', 'getRawFeatureMetrics', {
  access: { permission: 'READ' },
  summary: 'How often a flag was used, by environment and application: hour by hour, or day by day',
  description:
    `If \`hoursBack\` is at most ${HOURS_KEPT}, the counts are by hour, otherwise by day. ` +
    `Counts are stored for ${DAYS_KEPT} days. Hours and days are in UTC.`,
  params: FlagParams,
  query: Type.Object({
    hoursBack: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, default: HOURS_KEPT, description: 'Number of hours to look back' }),
    ),
  }),
  responses: { 200: { description: 'The counts', schema: FeatureMetricsSchema } },
  neverMissing: true,
  errors: [503],
  handle: ({ params: { name }, query: { hoursBack = HOURS_KEPT }, caller, asker }, services) =>
    readOrReject(async () => {
      const uses = await usesOf(name, hoursBack, { caller, asker }, services);
      return listAnswer(flagHead(name), 'data', uses, ({ startMs, environment, appName, yes, no, variants }) => ({
        environment,
        timestamp: isoTime(startMs),
        featureName: name,
        appName,
        yes,
        no,
        variants: Object.fromEntries(variants),
      }));
    }),
});

export const clientMetricsEndpoints = [getFeatureUsage, getFeatureMetrics];
