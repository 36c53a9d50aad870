import { useQuery } from '@tanstack/react-query';
import { api, read } from './client.ts';
import { isFirstViewShown } from './first-view.ts';
import { keys } from './keys.ts';
import { useStore } from './store.ts';

/** `project`: undefined for the templates of all projects. */
export const readTemplates = (archived: boolean, project: string | undefined) =>
  project === undefined
    ? read(api.GET('/api/admin/release-plan-templates', { params: { query: { archived } } }))
    : read(
        api.GET('/api/admin/projects/{projectId}/release-plan-templates', {
          params: { path: { projectId: project }, query: { archived } },
        }),
      );

/** Those of which plans can be made for flags of the project: of all projects, and of this one. */
export const usableTemplatesQuery = (project: string) =>
  ({
    queryKey: keys.releaseTemplates('usable', project),
    queryFn: async () => (await Promise.all([readTemplates(false, undefined), readTemplates(false, project)])).flat(),
  }) as const;

/** Whether a plan can be made. It is asked for after the first view. */
export function useHasTemplates(project: string): boolean {
  const { data } = useQuery({ ...usableTemplatesQuery(project), enabled: useStore(isFirstViewShown) });
  return data !== undefined && data.length > 0;
}
