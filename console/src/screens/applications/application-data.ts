import { useQuery } from '@tanstack/react-query';
import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';

export type Application = components['schemas']['applications']['applications'][number];
export type ApplicationDetails = components['schemas']['application'];
export type ApplicationOverview = components['schemas']['applicationOverview'];
export type OutdatedSdk = components['schemas']['outdatedSdks']['sdks'][number];

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

const outdatedQuery = {
  ...OF_REPORTS,
  queryKey: keys.reports('outdated'),
  queryFn: async () => (await read(api.GET('/api/admin/metrics/sdks/outdated'))).sdks,
} as const;
export const useOutdatedSdks = () => useQuery(outdatedQuery);

export const applicationQuery = (appName: string) =>
  ({
    ...OF_REPORTS,
    queryKey: keys.reports('application', appName),
    queryFn: async () => {
      const params = { path: { appName } };
      const [details, overview] = await Promise.all([
        read(api.GET('/api/admin/metrics/applications/{appName}', { params })),
        read(api.GET('/api/admin/metrics/applications/{appName}/overview', { params })),
      ]);
      return { details, overview };
    },
  }) as const;

/** The names of the environments in which the application was seen, in any project. */
export const environmentsOf = ({ usage }: Pick<Application, 'usage'>): readonly string[] =>
  [...new Set(usage.flatMap(({ environments }) => environments))].sort();
