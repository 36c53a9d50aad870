import { useQuery } from '@tanstack/react-query';
import type { Feature } from '../domain/model.ts';
import { api, read, readTagged, type Tagged } from './client.ts';
import { Failure } from './failure.ts';
import { keys } from './keys.ts';
import { useMe } from './may.ts';

/** The flag, also if it is archived: archived flags are read from the archive, and the flag's own address answers 404. */
async function readFeature(projectId: string, featureName: string): Promise<Tagged<Feature>> {
  try {
    return await readTagged(
      api.GET('/api/admin/projects/{projectId}/features/{featureName}', {
        params: { path: { projectId, featureName } },
      }),
    );
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 404) throw error;
    const { features } = await read(
      api.GET('/api/admin/archive/features/{projectId}', { params: { path: { projectId } } }),
    ).catch(() => ({ features: [] }));
    const archived = features.find(({ name }) => name === featureName);
    if (!archived) throw error;
    return { value: archived, etag: null };
  }
}

export const featureQuery = (project: string, name: string) =>
  ({
    queryKey: keys.feature(project, name),
    queryFn: () => readFeature(project, name),
  }) as const;

export const useFeature = (project: string, name: string) => useQuery(featureQuery(project, name));

/** The change requests that would change the flag, with the person's drafts. */
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

const NO_REQUESTS: readonly never[] = [];

/** The most flags that the search accepts, and the most requests that are shown. */
const [FLAGS_MAX, OTHERS_MAX] = [100, 20];

/** The open change requests that change one of the flags in the environment, newest first. */
export function useOpenRequests(project: string, environment: string, flags: readonly string[]) {
  const feature = flags.slice(0, FLAGS_MAX);
  const { data } = useQuery({
    queryKey: keys.changeRequests('open-of-flags', project, environment, feature),
    enabled: feature.length > 0,
    queryFn: () =>
      read(
        api.GET('/api/admin/search/change-requests', {
          params: { query: { state: 'open', project, environment, feature, limit: OTHERS_MAX } },
        }),
      ),
  });
  return data?.changeRequests ?? NO_REQUESTS;
}

/** The drafts of the person in an environment, newest first. */
export function useMyDrafts(project: string, environment: string, enabled: boolean) {
  const me = useMe().data?.user.id;
  const { data, isPending } = useQuery({
    queryKey: keys.changeRequests('my-drafts', project, environment, me),
    enabled: enabled && me !== undefined,
    queryFn: () =>
      read(
        api.GET('/api/admin/search/change-requests', {
          params: { query: { state: 'Draft', project, environment, createdBy: String(me), limit: 50 } },
        }),
      ),
  });
  return { drafts: data?.changeRequests ?? NO_REQUESTS, isPending };
}

export const useStrategyTypes = () =>
  useQuery({
    queryKey: keys.strategyTypes,
    queryFn: async () => (await read(api.GET('/api/admin/strategies'))).strategies,
  });
