import { api } from '../data/client.ts';
import { listedRead } from '../data/listing.ts';
import { curlOf } from '../domain/curl.ts';
import type { FlagFilter, Sort } from '../domain/flag-filter.ts';

/** As many as the API answers at once. */
const FLAGS_MAX = 100;

const oneOf = <N extends string>(name: N, operator: string, values: readonly string[]) =>
  values.length === 0 ? {} : ({ [name]: `${operator}:${values.join(',')}` } as Record<N, string>);

/** The search of the API that finds what the list shows. */
export async function searchCurl(filter: FlagFilter, sortBy: Sort, isDescending: boolean): Promise<string> {
  const { text, projects, types, tags, states, status } = filter;
  const query = {
    ...(text.trim() && { query: text.trim() }),
    ...oneOf('project', 'IS_ANY_OF', projects),
    ...oneOf('type', 'IS_ANY_OF', types),
    ...oneOf('tag', 'INCLUDE_ANY_OF', tags),
    ...oneOf('state', 'IS_ANY_OF', states),
    ...(status.length > 0 && { status: [...status] }),
    sortBy,
    sortOrder: isDescending ? 'desc' : 'asc',
    limit: FLAGS_MAX,
  } as const;
  return curlOf([await listedRead(api.GET('/api/admin/search/features', { params: { query } }))]);
}
