import type { Static } from 'typebox';
import { invalid, type Rejection } from '../../../base/rejection.ts';
import type { FlagReports } from '../flag-report.ts';
import type { ClientMetricsBody } from './schemas.ts';

type Body = Static<typeof ClientMetricsBody>;

/** What an SDK reports. */
export interface Report extends Pick<Body, 'appName' | 'instanceId' | 'connectionId' | 'sdkVersion' | 'impactMetrics'> {
  readonly flags: FlagReports;
  /** When the bucket ended; undefined when there is none. */
  readonly untilMs: number | undefined;
}

/** What a body says that conforms to its schema. Refused when the bucket's start or stop cannot be read as a time. */
export function reportOf({ bucket, ...said }: Body): Report | Rejection {
  const { appName, instanceId, connectionId, sdkVersion, impactMetrics } = said;
  const untilMs = bucket ? timeOf(bucket.stop) : undefined;
  if (bucket && (untilMs === undefined || timeOf(bucket.start) === undefined))
    return invalid('The bucket has a start and a stop that are times.', '/bucket');
  return { appName, instanceId, connectionId, sdkVersion, impactMetrics, flags: bucket?.toggles ?? {}, untilMs };
}

/** In milliseconds since 1970; undefined when it is no time. */
export function timeOf(sent: string | number): number | undefined {
  const timeMs = typeof sent === 'number' ? sent : Date.parse(sent);
  return Number.isFinite(timeMs) ? Math.max(0, Math.trunc(timeMs)) : undefined;
}
