import { useQuery } from '@tanstack/react-query';
import type { components } from '../../api/schema.d.ts';
import { type Application, OF_REPORTS } from '../../data/applications.ts';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';

export type ApplicationDetails = components['schemas']['application'];
export type ApplicationOverview = components['schemas']['applicationOverview'];
export type OutdatedSdk = components['schemas']['outdatedSdks']['sdks'][number];

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
