import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';

export type Statistics = components['schemas']['instanceAdminStats'];

/** Counting goes through all flags: it is done when it is asked for, not after each change. */
export const statisticsQuery = {
  queryKey: keys.statistics,
  queryFn: () => read(api.GET('/api/admin/instance-admin/statistics')),
  staleTime: 60_000,
} as const;

const readReady = () => read(api.GET('/ready'));
export type Ready = Awaited<ReturnType<typeof readReady>>;

export const readyQuery = { queryKey: [...keys.statistics, 'ready'], queryFn: readReady } as const;

const KB = 1000;
const UNITS = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** "3.2 MB" */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes / KB, 0];
  while (value >= KB && unit < UNITS.length - 1) [value, unit] = [value / KB, unit + 1];
  const format = { style: 'unit', unit: UNITS[unit] ?? 'kilobyte', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, format).format(value);
}
