import Type from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import { isoTime } from '../../base/clock.ts';
import { unavailable } from '../../base/rejection.ts';
import { listAnswer, ok } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import { DateTime } from '../../model/primitives.ts';
import { StoreError } from '../../stores/store.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import type { UseOfFlag } from './reader.ts';
import { DAYS_KEPT, HOURS_KEPT } from './use-series.ts';

const route = routesOf('Metrics');

const FlagParams = { name: Type.String({ description: 'Name of the flag' }) };

const AboutFlag = {
  version: Type.Integer({ description: 'Of the format; always 1' }),
  maturity: Type.Literal('stable', { description: 'Of the operation' }),
  featureName: Type.String({ description: 'Name of the flag' }),
};

const Counted = {
  environment: Type.String({ description: 'Name of the environment' }),
  timestamp: Type.String({ ...DateTime, description: 'When the hour, or the day, began' }),
  yes: Type.Integer({ minimum: 0, description: 'How often the flag was on' }),
  no: Type.Integer({ minimum: 0, description: 'How often it was off' }),
};

const FeatureUsageSchema = Type.Object(
  {
    ...AboutFlag,
    lastHourUsage: Type.Array(Type.Object(Counted), {
      description: 'What was counted in this hour and the one before it, by environment',
    }),
    seenApplications: Type.Array(Type.String(), {
      description: `Applications that used the flag in the last ${HOURS_KEPT} hours`,
    }),
  },
  { $id: 'featureUsage' },
);

const FeatureMetricsSchema = Type.Object(
  {
    ...AboutFlag,
    data: Type.Array(
      Type.Object({
        ...Counted,
        featureName: Type.String({ description: 'Name of the flag' }),
        appName: Type.String({ description: 'Name of the application' }),
        variants: Type.Unsafe<Record<string, number>>({
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'How often each variant was given',
        }),
      }),
      { description: 'Newest first' },
    ),
  },
  { $id: 'featureMetrics' },
);

const AWAY = unavailable('What was counted cannot be read now.', 2);

/** Answers with what `read` gives, or that the store is away. */
export async function reading<T>(read: () => Promise<T>): Promise<T | typeof AWAY> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StoreError) return AWAY;
    throw error;
  }
}

/** Uses of an earlier flag of this name are left out, and so are flags that the caller may not see. */
async function usesOf(
  name: string,
  hoursBack: number,
  caller: Caller,
  { useReader, state }: Services,
): Promise<UseOfFlag[]> {
  const feature = state.get('features', name);
  const visible = visibleProjects(state, caller);
  if (!(feature ? visible.has(feature.project) : visible.isAll)) return [];
  return useReader.ofFlag(name, hoursBack, feature ? Date.parse(feature.createdAt) : 0);
}

const about = (featureName: string) => ({ version: 1, maturity: 'stable', featureName });

const getFeatureUsage = route('GET /api/admin/client-metrics/features/:name', {
  operationId: 'getFeatureUsageSummary',
  access: { permission: 'READ' },
  summary: 'How often a flag was used in the last hour, and by which applications in the last two days',
  params: FlagParams,
  responses: { 200: { description: 'Its use', schema: FeatureUsageSchema } },
  neverMissing: true,
  errors: [503],
  handle: ({ params: { name }, caller }, services) =>
    reading(async () => {
      const uses = await usesOf(name, HOURS_KEPT, caller, services);
      const sinceMs = services.clock.nowMs() - 2 * 3_600_000;
      const byEnvironment = new Map<string, { timestamp: string; yes: number; no: number }>();
      for (const { environment, startMs, yes, no } of uses) {
        if (startMs <= sinceMs) continue;
        const sum = byEnvironment.get(environment) ?? { timestamp: isoTime(startMs), yes: 0, no: 0 };
        byEnvironment.set(environment, { ...sum, yes: sum.yes + yes, no: sum.no + no });
      }
      return ok({
        ...about(name),
        lastHourUsage: [...byEnvironment].map(([environment, sum]) => ({ environment, ...sum })),
        seenApplications: [...new Set(uses.map(({ appName }) => appName))].sort(),
      });
    }),
});

const getFeatureMetrics = route('GET /api/admin/client-metrics/features/:name/raw', {
  operationId: 'getRawFeatureMetrics',
  access: { permission: 'READ' },
  summary: 'How often a flag was used, by environment and application: hour by hour, or day by day',
  description: `Up to ${HOURS_KEPT} hours back it tells hours, further back days, of which ${DAYS_KEPT} are kept. Hours and days are those of UTC.`,
  params: FlagParams,
  query: Type.Object({
    hoursBack: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, default: HOURS_KEPT, description: 'Since how many hours' }),
    ),
  }),
  responses: { 200: { description: 'What was counted', schema: FeatureMetricsSchema } },
  neverMissing: true,
  errors: [503],
  handle: ({ params: { name }, query: { hoursBack = HOURS_KEPT }, caller }, services) =>
    reading(async () => {
      const uses = await usesOf(name, hoursBack, caller, services);
      return listAnswer(about(name), 'data', uses, ({ startMs, environment, appName, yes, no, variants }) => ({
        ...{ environment, timestamp: isoTime(startMs), featureName: name, appName, yes, no },
        variants: Object.fromEntries(variants),
      }));
    }),
});

export const clientMetricsEndpoints = [getFeatureUsage, getFeatureMetrics];
