import { useQuery } from '@tanstack/react-query';
import { api, read, readTagged } from './client.ts';
import { keys } from './keys.ts';

export const featureQuery = (project: string, name: string) =>
  ({
    queryKey: keys.feature(project, name),
    queryFn: () =>
      readTagged(
        api.GET('/api/admin/projects/{projectId}/features/{featureName}', {
          params: { path: { projectId: project, featureName: name } },
        }),
      ),
  }) as const;

export const useFeature = (project: string, name: string) => useQuery(featureQuery(project, name));

/** The change requests that would change the flag. */
export const usePendingRequests = (project: string, name: string) =>
  useQuery({
    queryKey: keys.changeRequests('of-feature', project, name),
    queryFn: () =>
      read(
        api.GET('/api/admin/projects/{projectId}/change-requests/pending/{featureName}', {
          params: { path: { projectId: project, featureName: name } },
        }),
      ),
  });

export const useStrategyTypes = () =>
  useQuery({
    queryKey: keys.strategyTypes,
    queryFn: async () => (await read(api.GET('/api/admin/strategies'))).strategies,
  });
