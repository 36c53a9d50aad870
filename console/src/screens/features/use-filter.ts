import { useMemo } from 'react';
import { useUrlList, useUrlState } from '../../data/url-state.ts';
import { type FlagFilter, SORTS, type Sort } from '../../domain/flag-filter.ts';

type ListPart = 'project' | 'type' | 'tag' | 'state' | 'status';

/** The filter and the order of the list. All of it is in the address, so that it can be shared and survives a reload. */
export function useFlagFilter(project?: string) {
  const [text, setText] = useUrlState('q');
  const [projects, setProjects] = useUrlList('project');
  const [types, setTypes] = useUrlList('type');
  const [tags, setTags] = useUrlList('tag');
  const [states, setStates] = useUrlList('state');
  const [status, setStatus] = useUrlList('status');
  const [favorites, setFavorites] = useUrlState('favorites');
  const [order, setOrder] = useUrlState('sort', 'name');
  const lists = { project: projects, type: types, tag: tags, state: states, status };
  const key = JSON.stringify([text, lists, favorites, project]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has all of them, and lists are new in each render.
  const filter: FlagFilter = useMemo(
    () => ({
      text,
      projects: project ? [project] : projects,
      types,
      tags,
      states,
      status,
      favorites: favorites === 'true',
    }),
    [key],
  );
  const [column = 'name', direction] = order.split(':');
  const sort: Sort = SORTS.find((one) => one === column) ?? 'name';
  const setters = { project: setProjects, type: setTypes, tag: setTags, state: setStates, status: setStatus };
  return {
    filter,
    lists,
    sort,
    isDescending: direction === 'desc',
    setText,
    setFavorites: (on: boolean) => setFavorites(on ? 'true' : ''),
    setList: (part: ListPart, values: readonly string[]) => setters[part](values),
    setSort: (by: Sort) => setOrder(by === sort && direction !== 'desc' ? `${by}:desc` : by),
    isFiltered:
      text !== '' ||
      favorites !== '' ||
      types.length + tags.length + states.length + status.length > 0 ||
      (!project && projects.length > 0),
  };
}

export type FlagFilterState = ReturnType<typeof useFlagFilter>;
