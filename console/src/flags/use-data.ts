import type { components } from '../api/schema.d.ts';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { DAY_MS, HOUR_MS } from '../domain/milliseconds.ts';

export type Report = components['schemas']['featureMetrics']['data'][number];

/** Up to this many hours, counts are by the hour; beyond, by the day. */
const HOURS_BY_HOUR = 48;

export const PERIODS = ['48', '720', '2184'] as const;
export type Period = (typeof PERIODS)[number];
export const periodOf = (text: string): Period => PERIODS.find((period) => period === text) ?? '48';

const HOUR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
/** Days begin at midnight in UTC. */
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The hour or the day of a count. */
export const slotText = (startMs: number, hoursBack: number): string =>
  (hoursBack <= HOURS_BY_HOUR ? HOUR : DAY).format(startMs);

/** What SDKs report changes without commits, so it is read again whenever it is shown. */
export const reportsQuery = (name: string, hoursBack: number) =>
  ({
    staleTime: 0,
    queryKey: keys.featureOf(name, 'reports', hoursBack),
    queryFn: async () =>
      (
        await read(
          api.GET('/api/admin/client-metrics/features/{name}/raw', {
            params: { path: { name }, query: { hoursBack } },
          }),
        )
      ).data,
  }) as const;

export const lifecycleQuery = (projectId: string, featureName: string) =>
  ({
    staleTime: 0,
    queryKey: keys.featureOf(featureName, 'lifecycle'),
    queryFn: () =>
      read(
        api.GET('/api/admin/projects/{projectId}/features/{featureName}/lifecycle', {
          params: { path: { projectId, featureName } },
        }),
      ),
  }) as const;

/** An hour or a day, with the counts of all applications. */
interface Slot {
  readonly startMs: number;
  readonly yes: number;
  readonly no: number;
}

interface VariantCount {
  readonly name: string;
  readonly count: number;
}

export interface EnvironmentUse {
  readonly yes: number;
  readonly no: number;
  /** All hours or days of the period, also those without reports. */
  readonly slots: readonly Slot[];
  /** The most given first. */
  readonly variants: readonly VariantCount[];
}

export interface ApplicationUse {
  readonly appName: string;
  readonly environments: readonly string[];
  readonly yes: number;
  readonly no: number;
  readonly lastMs: number;
}

/** The use in one environment, over the period that ends now. */
export function countsIn(
  reports: readonly Report[],
  environment: string,
  hoursBack: number,
  nowMs: number,
): EnvironmentUse {
  const stepMs = hoursBack <= HOURS_BY_HOUR ? HOUR_MS : DAY_MS;
  const lastMs = Math.floor(nowMs / stepMs) * stepMs;
  const count = Math.ceil((hoursBack * HOUR_MS) / stepMs);
  const firstMs = lastMs - (count - 1) * stepMs;
  const slots = Array.from({ length: count }, (_, index) => ({ startMs: firstMs + index * stepMs, yes: 0, no: 0 }));
  const variants = new Map<string, number>();
  let [yes, no] = [0, 0];
  for (const report of reports) {
    if (report.environment !== environment) continue;
    yes += report.yes;
    no += report.no;
    for (const [name, given] of Object.entries(report.variants)) variants.set(name, (variants.get(name) ?? 0) + given);
    const slot = slots[Math.floor((Date.parse(report.timestamp) - firstMs) / stepMs)];
    if (!slot) continue;
    slot.yes += report.yes;
    slot.no += report.no;
  }
  const sorted = [...variants].map(([name, given]) => ({ name, count: given })).sort((a, b) => b.count - a.count);
  return { yes, no, slots, variants: sorted };
}

/** The applications, the one that asks most first. */
export function applicationsOf(reports: readonly Report[]): readonly ApplicationUse[] {
  const found = new Map<string, { environments: Set<string>; yes: number; no: number; lastMs: number }>();
  for (const { appName, environment, yes, no, timestamp } of reports) {
    const one = found.get(appName) ?? { environments: new Set<string>(), yes: 0, no: 0, lastMs: 0 };
    one.environments.add(environment);
    one.yes += yes;
    one.no += no;
    one.lastMs = Math.max(one.lastMs, Date.parse(timestamp));
    found.set(appName, one);
  }
  return [...found]
    .map(([appName, one]) => ({ appName, ...one, environments: [...one.environments].sort() }))
    .sort((a, b) => b.yes + b.no - a.yes - a.no);
}
