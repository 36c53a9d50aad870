import { ProgramError } from '../subcommand.ts';
import { type AdminApi, pathOf } from './connection.ts';
import type { Flag, FoundFlag } from './flag-types.ts';

/** The largest page of a search. */
export const PAGE_MAX = 100;

/** A page of a search. */
export interface FoundPage {
  readonly total: number;
  readonly features: readonly FoundFlag[];
}

/** The flag with its settings. Names of flags are unique in a service, so the project can be found by the name. @throws ProgramError */
export async function findFlag(api: AdminApi, name: string, project: string | undefined): Promise<Flag> {
  const found = project ?? (await projectOf(api, name, false));
  if (found === undefined) {
    // The API returns the settings only of flags that are not archived.
    const archivedIn = await projectOf(api, name, true);
    if (archivedIn === undefined)
      throw new ProgramError(`there is no flag "${name}" that you may see: see burgee flags`);
    throw new ProgramError(`the flag ${name} in the project ${archivedIn} is archived: see burgee flags --archived`);
  }
  return api.get<Flag>(pathOf`/projects/${found}/features/${name}`);
}

/** The project of the flag, also if it is archived. @throws ProgramError */
export async function findProjectOf(api: AdminApi, name: string): Promise<string> {
  const found = (await projectOf(api, name, false)) ?? (await projectOf(api, name, true));
  if (found !== undefined) return found;
  throw new ProgramError(
    `there is no flag "${name}" that you may see: see burgee flags, or add the --project of a deleted flag`,
  );
}

/**
 * The project of the flag with exactly this name. The search has no filter for exact names, but it sorts by name: a binary search reads few pages,
 * also if all names of 100,000 flags contain this one.
 */
async function projectOf(api: AdminApi, name: string, archived: boolean): Promise<string | undefined> {
  const query = new URLSearchParams({ query: name, sortBy: 'name', limit: String(PAGE_MAX) });
  if (archived) query.set('archived', 'IS:true');
  let from = 0;
  let to = Number.POSITIVE_INFINITY;
  let offset = 0;
  while (from < to) {
    query.set('offset', String(offset));
    const { total, features } = await api.get<FoundPage>(`/search/features?${query}`);
    const match = features.find((flag) => flag.name === name);
    if (match) return match.project;
    const [first, last] = [features[0], features.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    if (last.name < name) from = offset + features.length;
    else to = first.name > name ? offset : from;
    to = Math.min(to, total);
    offset = Math.max(from, Math.floor((from + to - PAGE_MAX) / 2));
  }
  return undefined;
}
