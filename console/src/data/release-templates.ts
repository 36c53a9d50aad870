import { useQuery } from '@tanstack/react-query';
import { api, read } from './client.ts';
import { isFirstViewShown } from './first-view.ts';
import { keys } from './keys.ts';
import { useStore } from './store.ts';

export const readTemplates = (archived: boolean) =>
  read(api.GET('/api/admin/release-plan-templates', { params: { query: { archived } } }));

/** Those of which plans can be made. */
export const usableTemplatesQuery = {
  queryKey: keys.releaseTemplates('usable'),
  queryFn: () => readTemplates(false),
} as const;

/** Whether a plan can be made. It is asked for after the first view. */
export function useHasTemplates(): boolean {
  const { data } = useQuery({ ...usableTemplatesQuery, enabled: useStore(isFirstViewShown) });
  return data !== undefined && data.length > 0;
}
