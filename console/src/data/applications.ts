import type { components } from '../api/schema.d.ts';
import { api, read } from './client.ts';
import { keys } from './keys.ts';

export type Application = components['schemas']['applications']['applications'][number];

/** What SDKs report changes without commits, so it is read again whenever it is shown. */
export const OF_REPORTS = { staleTime: 0 } as const;

const PAGE = 1000;

/** The pages of the list, one after the other. */
async function readApplications(): Promise<readonly Application[]> {
  const all = new Map<string, Application>();
  let offset = 0;
  let total: number;
  do {
    const page = await read(api.GET('/api/admin/metrics/applications', { params: { query: { limit: PAGE, offset } } }));
    for (const one of page.applications) all.set(one.appName, one);
    total = page.applications.length === 0 ? 0 : page.total;
    offset += PAGE;
  } while (offset < total);
  return [...all.values()];
}

export const applicationsQuery = {
  ...OF_REPORTS,
  queryKey: keys.reports('applications'),
  queryFn: readApplications,
} as const;
