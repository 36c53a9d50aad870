import { isUtf8Encoded } from '../../base/percent-encoding.ts';
import { invalid, type Rejection } from '../../base/rejection.ts';
import { covers, type Scope } from '../../model/caller.ts';
import type { Feature } from '../../model/feature.ts';
import type { State } from '../../state/state.ts';

/** The filter of a client list. A flag must match every filter, and at least one value of each filter; null means no filter. */
export interface ClientQuery {
  readonly tags: readonly { readonly type: string; readonly value: string }[] | null;
  readonly projects: readonly string[] | null;
  readonly namePrefix: string | null;
}

export const EVERYTHING: ClientQuery = { tags: null, projects: null, namePrefix: null };

/** Maximum number of values of one filter. */
const VALUES_MAX = 100;

/**
 * Reads `tag[]`, `project` and `namePrefix`, and ignores other parameters. Values are sorted and duplicates removed, so that equal filters have
 * the same JSON text.
 */
export function parseClientQuery(text: string): ClientQuery | Rejection {
  if (text === '') return EVERYTHING;
  if (!isUtf8Encoded(text)) return invalid('The query is not UTF-8.');
  const tags = new Set<string>();
  const projects = new Set<string>();
  let namePrefix: string | null = null;
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === 'tag' || name === 'tag[]') tags.add(value);
    else if (name === 'project' || name === 'project[]') projects.add(value);
    else if (name === 'namePrefix') namePrefix = value;
    if (tags.size > VALUES_MAX || projects.size > VALUES_MAX || value.length > 256) {
      return invalid(`A filter has at most ${VALUES_MAX} values of at most 256 characters.`);
    }
  }
  const parsedTags: { type: string; value: string }[] = [];
  for (const tag of [...tags].sort()) {
    const colon = tag.indexOf(':');
    if (colon <= 0 || colon === tag.length - 1)
      return invalid(`The tag filter "${tag}" is not of the form <type>:<value>.`, '/tag');
    parsedTags.push({ type: tag.slice(0, colon), value: tag.slice(colon + 1) });
  }
  return {
    tags: parsedTags.length > 0 ? parsedTags : null,
    projects: projects.size > 0 ? [...projects].sort() : null,
    namePrefix: namePrefix === null || namePrefix === '' ? null : namePrefix,
  };
}

/** The part of the scope that the query requests. */
export function requestedScope(scope: Scope, { projects }: ClientQuery): Scope {
  if (projects === null) return scope;
  return { environment: scope.environment, projects: new Set(projects.filter((project) => covers(scope, project))) };
}

/**
 * The reason to refuse the query, or undefined. Sources do not send tags, so a relay must refuse a filter by tags; otherwise it would answer as
 * if no flag had a tag.
 */
export function tagProblem({ tags }: ClientQuery, state: Pick<State, 'size'>): Rejection | undefined {
  if (tags === null || state.size('mirroredScopes') === 0) return undefined;
  return invalid(
    'A relay does not know the tags of flags, and cannot filter by tags. Remove the tag filter, or send the request to the source of the relay.',
    '/tag',
  );
}

/** Whether the query selects the flag. The projects of the query are not checked. */
export function matches(query: ClientQuery, feature: Feature): boolean {
  const { tags, namePrefix } = query;
  if (namePrefix !== null && !feature.name.startsWith(namePrefix)) return false;
  if (tags === null) return true;
  return feature.tags.some((tag) => tags.some(({ type, value }) => tag.type === type && tag.value === value));
}

/** Whether the query filters by other properties than the project. */
export function filtersFlags(query: ClientQuery): boolean {
  return query.tags !== null || query.namePrefix !== null;
}
