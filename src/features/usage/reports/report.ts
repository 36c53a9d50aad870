import type { Static } from 'typebox';
import { invalid, type Rejection } from '../../../base/rejection.ts';
import type { FlagReports } from '../flag-report.ts';
import type { ClientMetricsBody } from './schemas.ts';

type Body = Static<typeof ClientMetricsBody>;

/** The report of an SDK. */
export interface Report extends Pick<Body, 'appName' | 'instanceId' | 'connectionId' | 'sdkVersion' | 'impactMetrics'> {
  readonly flags: FlagReports;
  /** End of the bucket; undefined if there is none. */
  readonly untilMs: number | undefined;
}

/** The report in a validated body, or a rejection if the start or the stop of the bucket is not a valid time. */
export function reportOf({ bucket, ...fields }: Body): Report | Rejection {
  const { appName, instanceId, connectionId, sdkVersion, impactMetrics } = fields;
  const untilMs = bucket ? timeOf(bucket.stop) : undefined;
  if (bucket && (untilMs === undefined || timeOf(bucket.start) === undefined))
    return invalid('The start and the stop of the bucket must be times.', '/bucket');
  return { appName, instanceId, connectionId, sdkVersion, impactMetrics, flags: bucket?.toggles ?? {}, untilMs };
}

/** Converts a time to milliseconds since 1970; undefined if the value is not a time. */
export function timeOf(sent: string | number): number | undefined {
  const timeMs = typeof sent === 'number' ? sent : Date.parse(sent);
  return Number.isFinite(timeMs) ? Math.max(0, Math.trunc(timeMs)) : undefined;
}
