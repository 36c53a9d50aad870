import Type, { type Static } from 'typebox';
import type { EntityOf } from './entity.ts';
import { MapOf } from './primitives.ts';

/** Limits of safeguards that schemas state. */
const SAFEGUARD_BOUNDS = {
  windowMinutes: 1_440,
  metricNameLength: 150,
  queryLength: 2_000,
  labels: 10,
  labelValues: 20,
  labelLength: 200,
} as const;

const AGGREGATIONS = ['count', 'rps', 'avg', 'sum', 'max', 'last', 'p50', 'p95', 'p99'] as const;
const SAFEGUARD_OPERATORS = ['>', '<'] as const;
const SAFEGUARD_ACTIONS = ['pause', 'disable'] as const;

/**
 * A condition on an impact metric or on a query. With a query, `metricName` is empty, `labels` too, and `aggregation` is `last`: versions that know no
 * queries find no reports for it.
 */
export const SafeguardCondition = Type.Object({
  metricName: Type.String({
    maxLength: SAFEGUARD_BOUNDS.metricNameLength,
    description: 'Name of the impact metric, as applications report it; empty with a `query`',
  }),
  query: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SAFEGUARD_BOUNDS.queryLength,
      pattern: '\\S',
      description: 'PromQL query for the Prometheus of `PROMETHEUS_URL`. Its answer must be one number',
    }),
  ),
  labels: MapOf(
    Type.Array(Type.String({ maxLength: SAFEGUARD_BOUNDS.labelLength }), {
      minItems: 1,
      maxItems: SAFEGUARD_BOUNDS.labelValues,
    }),
    {
      maxProperties: SAFEGUARD_BOUNDS.labels,
      description: 'Label → its values; only series with one of the values of each label are compared',
    },
  ),
  aggregation: Type.Enum([...AGGREGATIONS], {
    description:
      'Counter: `count` (increase) or `rps` (increase in a second). Gauge: `avg`, `max`, `sum` or `last`. Histogram: `avg`, `p50`, `p95` or `p99`',
  }),
  operator: Type.Enum([...SAFEGUARD_OPERATORS], { description: 'How the value must compare to trip the safeguard' }),
  threshold: Type.Number({ description: 'The value that must be passed to trip the safeguard' }),
  windowMinutes: Type.Integer({
    minimum: 1,
    maximum: SAFEGUARD_BOUNDS.windowMinutes,
    description:
      'Minutes before now in which reports count. A query is not compared so long after the flag was switched on or the plan was continued',
  }),
  action: Type.Enum([...SAFEGUARD_ACTIONS], {
    description:
      '`pause` pauses the release plan; `disable` also switches the flag off in the environment. A flag without a plan has only `disable`',
  }),
});

/** Pauses a release plan, or switches a flag off in an environment, when a value passes its threshold. */
export interface Safeguard extends EntityOf<typeof SafeguardCondition> {
  readonly id: string;
  /** When it last tripped, with the value that was measured. Missing if it never did. */
  readonly triggeredAt?: string;
  readonly triggeredValue?: number;
  /** The change request that it opened then, because the environment demands a review. */
  readonly changeRequest?: number;
}

/** The condition of the safeguard, without what happened since it was set. */
export function conditionOf(safeguard: Safeguard): Static<typeof SafeguardCondition> {
  const { id: _id, triggeredAt: _at, triggeredValue: _value, changeRequest: _request, ...condition } = safeguard;
  return condition as Static<typeof SafeguardCondition>;
}

/** What a review of safeguards covers: their conditions. */
export function reviewedSafeguards(safeguards: readonly Safeguard[]): readonly object[] {
  return safeguards.map((safeguard) => ({ id: safeguard.id, ...conditionOf(safeguard) }));
}

/** The time from which on the safeguard counts: it has tripped then, or its flag was switched on, or its plan continued. Undefined: since it was set. */
export function countsFrom({ triggeredAt }: Safeguard, guardedFrom: string | undefined): string | undefined {
  if (triggeredAt === undefined || guardedFrom === undefined) return triggeredAt ?? guardedFrom;
  return triggeredAt > guardedFrom ? triggeredAt : guardedFrom;
}

/** Whether the safeguard has opened a change request since the flag was last switched on: then it waits for people. */
export function waitsForReview({ changeRequest, triggeredAt }: Safeguard, guardedFrom: string | undefined): boolean {
  return changeRequest !== undefined && (guardedFrom === undefined || (triggeredAt ?? '') > guardedFrom);
}
