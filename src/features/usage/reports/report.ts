import type { Static } from 'typebox';
import { invalid, type Rejection } from '../../../base/rejection.ts';
import { countsOf, FlagCounts } from '../flag-counts.ts';
import type { BulkMetricsBody, ClientMetricsBody } from './schemas.ts';

type Body = Static<typeof ClientMetricsBody>;
type Bulk = Static<typeof BulkMetricsBody>;

/** What an SDK reports, however it was read. */
export interface Report extends Pick<Body, 'appName' | 'instanceId' | 'connectionId' | 'sdkVersion' | 'impactMetrics'> {
  readonly counts: FlagCounts;
  /** When the bucket ended; undefined when there is none. */
  readonly untilMs: number | undefined;
}

/** What a relay reports, however it was read. */
export interface BulkReport extends Pick<Bulk, 'applications' | 'impactMetrics'> {
  readonly uses: BulkUses;
}

/** What a relay has counted: a flag of an application is a number in these columns and in those of the counts. */
export class BulkUses {
  readonly counts = new FlagCounts();
  readonly appNames: string[] = [];
  /** Null: the token's. */
  readonly environments: (string | null)[] = [];
  /** NaN: now. */
  readonly untilMs: number[] = [];

  clear(): void {
    this.counts.clear();
  }

  /** Of whom the flag is that was added to the counts last. */
  of(appName: string, environment: string | null, untilMs: number): void {
    const at = this.counts.length - 1;
    this.appNames[at] = appName;
    this.environments[at] = environment;
    this.untilMs[at] = untilMs;
  }
}

/** What a body says that conforms to its schema. Refused when the bucket's start or stop cannot be read as a time. */
export function reportOf({ bucket, ...said }: Body): Report | Rejection {
  const { appName, instanceId, connectionId, sdkVersion, impactMetrics } = said;
  const untilMs = bucket ? timeOf(bucket.stop) : undefined;
  if (bucket && (untilMs === undefined || timeOf(bucket.start) === undefined))
    return invalid('The bucket has a start and a stop that are times.', '/bucket');
  const counts = countsOf(bucket?.toggles ?? {});
  return { appName, instanceId, connectionId, sdkVersion, impactMetrics, counts, untilMs };
}

/** The same of a relay's. A time that cannot be read is now. */
export function bulkOf({ applications, metrics, impactMetrics }: Bulk): BulkReport {
  const uses = new BulkUses();
  for (const { featureName, appName, environment, timestamp, ...use } of metrics ?? []) {
    uses.counts.addReport(featureName, use);
    uses.of(appName, environment ?? null, (timestamp === undefined ? undefined : timeOf(timestamp)) ?? Number.NaN);
  }
  return { applications, impactMetrics, uses };
}

/** Undefined when it is no time. */
function timeOf(sent: string | number): number | undefined {
  const timeMs = typeof sent === 'number' ? sent : Date.parse(sent);
  return Number.isFinite(timeMs) ? Math.max(0, Math.trunc(timeMs)) : undefined;
}
