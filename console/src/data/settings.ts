import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, read } from './client.ts';
import { isFirstViewShown } from './first-view.ts';
import { keys } from './keys.ts';
import { useStore } from './store.ts';

/** What several screens read. Each is one query, so that it is read once and kept current by the stream. */

export const uiConfigQuery = { queryKey: keys.uiConfig, queryFn: () => read(api.GET('/api/admin/ui-config')) } as const;
/** No first view needs it. */
export const useUiConfig = () => useQuery({ ...uiConfigQuery, enabled: useStore(isFirstViewShown) }).data;

const projectsQuery = {
  queryKey: keys.projects,
  queryFn: async () => (await read(api.GET('/api/admin/projects'))).projects,
} as const;
export const useProjects = () => useQuery(projectsQuery);

const environmentsQuery = {
  queryKey: keys.environments,
  queryFn: async () => (await read(api.GET('/api/admin/environments'))).environments,
} as const;
export const useEnvironments = () => useQuery(environmentsQuery);

const segmentsQuery = {
  queryKey: keys.segments,
  queryFn: async () => (await read(api.GET('/api/admin/segments'))).segments ?? [],
} as const;
/** The counts of use are as old as the newest change of a segment. */
export const useSegments = () => useQuery(segmentsQuery);
/** Read again also after changes of flags. */
export const useSegmentsWithUse = () => useQuery({ ...segmentsQuery, queryKey: keys.segmentsWithUse });

const contextFieldsQuery = {
  queryKey: keys.contextFields,
  queryFn: () => read(api.GET('/api/admin/context')),
} as const;
/** The counts of use are as old as the newest change of a context field. */
export const useContextFields = () => useQuery(contextFieldsQuery);
/** Read again also after changes of flags and segments. */
export const useContextFieldsWithUse = () => useQuery({ ...contextFieldsQuery, queryKey: keys.contextFieldsWithUse });

export const tagTypesQuery = {
  queryKey: keys.tagTypes,
  queryFn: async () => (await read(api.GET('/api/admin/tag-types'))).tagTypes,
} as const;

/** The tags that flags have. */
export const tagsQuery = {
  queryKey: keys.tags,
  queryFn: async () => (await read(api.GET('/api/admin/tags'))).tags,
} as const;

export const bannersQuery = {
  queryKey: keys.banners,
  queryFn: async () => (await read(api.GET('/api/admin/banners'))).banners,
} as const;
export const useBanners = () => useQuery({ ...bannersQuery, enabled: useStore(isFirstViewShown) }).data;

export const maintenanceQuery = {
  queryKey: keys.maintenance,
  queryFn: () => read(api.GET('/api/admin/maintenance')),
} as const;

/** The environments of a project with what saving there needs: a reason, or approvals. */
const projectEnvironmentsQuery = (project: string) =>
  ({
    queryKey: keys.project(project, 'environments'),
    queryFn: async () =>
      (
        await read(
          api.GET('/api/admin/projects/{projectId}/environments', { params: { path: { projectId: project } } }),
        )
      ).environments,
  }) as const;
/** Without a project, nothing is read. */
export const useProjectEnvironments = (project: string | undefined) =>
  useQuery({ ...projectEnvironmentsQuery(project ?? ''), enabled: project !== undefined });

/** The types of flags, with the lifetime of each. */
export const flagTypesQuery = {
  queryKey: keys.featureTypes,
  queryFn: async () => (await read(api.GET('/api/admin/feature-types'))).types,
} as const;

export const reviewsQuery = (project: string) =>
  ({
    queryKey: keys.project(project, 'reviews'),
    queryFn: () =>
      read(
        api.GET('/api/admin/projects/{projectId}/change-requests/config', { params: { path: { projectId: project } } }),
      ),
  }) as const;
/** In which environments of the project changes need a review. */
export const useReviews = (project: string) => useQuery(reviewsQuery(project));

/** Production is a type of environment, so several environments can be production. */
export const isProduction = (type: string | undefined) => type === 'production';

export type ProductionNames = Pick<ReadonlySet<string>, 'has' | 'size'>;

/** Until the environments are read, each one may be production. */
const NOT_KNOWN_YET: ProductionNames = { has: () => true, size: 1 };

/** The names of the environments of production. It stays the same object until the environments change. */
export function useProductionNames(): ProductionNames {
  const { data } = useEnvironments();
  return useMemo(
    () => (data ? new Set(data.filter(({ type }) => isProduction(type)).map(({ name }) => name)) : NOT_KNOWN_YET),
    [data],
  );
}
