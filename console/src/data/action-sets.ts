import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../api/schema.d.ts';
import { api, read } from './client.ts';
import { isFirstViewShown } from './first-view.ts';
import { keys } from './keys.ts';
import { useStore } from './store.ts';

export type ActionSet = components['schemas']['actionSetSchema'];

export const actionSetsQuery = (project: string) =>
  ({
    queryKey: keys.actionSets(project),
    queryFn: async () =>
      (await read(api.GET('/api/admin/projects/{projectId}/actions', { params: { path: { projectId: project } } })))
        .actions,
    retry: false,
  }) as const;

interface ChangingSet {
  readonly set: ActionSet;
  /** Where it changes the flag. */
  readonly environments: readonly string[];
}

/** The action sets that change the flag. They are asked for after the first view. */
export function useActionSetsOf(project: string, flag: string): readonly ChangingSet[] {
  const { data } = useQuery({ ...actionSetsQuery(project), enabled: useStore(isFirstViewShown) });
  return useMemo(() => {
    const environmentsOf = ({ actions }: ActionSet) =>
      actions.flatMap(({ executionParams: { featureName, environment } }) =>
        featureName === flag ? [environment] : [],
      );
    return (data ?? [])
      .map((set) => ({ set, environments: [...new Set(environmentsOf(set))] }))
      .filter(({ environments }) => environments.length > 0);
  }, [data, flag]);
}
