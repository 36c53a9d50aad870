import { useCallback, useMemo } from 'react';
import { useUrlList, useUrlState } from '../data/url-state.ts';
import { type FlagFilter, SORTS, type Sort } from '../domain/flag-filter.ts';

type ListPart = 'project' | 'type' | 'tag' | 'state' | 'status';

/**
 * The filter and the order of the list. All of it is in the address, so that it can be shared and survives a reload. The result, and its lists, are the
 * same objects until they change.
 */
export function useFlagFilter(project?: string) {
  const [text, setText] = useUrlState('q');
  const [projects, setProjects] = useUrlList('project');
  const [types, setTypes] = useUrlList('type');
  const [tags, setTags] = useUrlList('tag');
  const [states, setStates] = useUrlList('state');
  const [status, setStatus] = useUrlList('status');
  const [favorites, setFavorites] = useUrlState('favorites');
  const [order, setOrder] = useUrlState('sort', 'name');
  const listsKey = JSON.stringify([projects, types, tags, states, status]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has all of them, and lists are new in each render.
  const lists = useMemo(() => ({ project: projects, type: types, tag: tags, state: states, status }), [listsKey]);
  const setList = useCallback(
    (part: ListPart, values: readonly string[]) =>
      ({ project: setProjects, type: setTypes, tag: setTags, state: setStates, status: setStatus })[part](values),
    [setProjects, setTypes, setTags, setStates, setStatus],
  );
  return useMemo(() => {
    const filter: FlagFilter = {
      text,
      projects: project ? [project] : lists.project,
      types: lists.type,
      tags: lists.tag,
      states: lists.state,
      status: lists.status,
      favorites: favorites === 'true',
    };
    const [column = 'name', direction] = order.split(':');
    const sort: Sort = SORTS.find((one) => one === column) ?? 'name';
    const { project: projects, ...others } = lists;
    return {
      filter,
      lists,
      sort,
      isDescending: direction === 'desc',
      setText,
      setFavorites: (on: boolean) => setFavorites(on ? 'true' : ''),
      setList,
      setSort: (by: Sort) => setOrder(by === sort && direction !== 'desc' ? `${by}:desc` : by),
      isFiltered:
        text !== '' ||
        favorites !== '' ||
        Object.values(others).some(({ length }) => length > 0) ||
        (!project && projects.length > 0),
    };
  }, [text, lists, favorites, order, project, setText, setList, setFavorites, setOrder]);
}

export type FlagFilterState = ReturnType<typeof useFlagFilter>;
