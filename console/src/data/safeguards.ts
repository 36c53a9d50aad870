import { api, read } from './client.ts';
import { keys } from './keys.ts';
import type { Target } from './save.ts';

/** How often the last comparisons are read again: the service compares every minute. */
const CHECKED_EVERY_MS = 60_000;

/** The safeguards of a flag in an environment, and what the last comparison of each gave, also of those of its plan. */
export const safeguardsQuery = ({ project, feature, environment }: Target) =>
  ({
    queryKey: keys.featureOf(feature, 'safeguards', project, environment),
    refetchInterval: CHECKED_EVERY_MS,
    queryFn: () =>
      read(
        api.GET('/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/safeguards', {
          params: { path: { projectId: project, featureName: feature, environment } },
        }),
      ),
  }) as const;
