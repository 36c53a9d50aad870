import { type Api, ToolError } from './api.ts';

/** Number of flags that are searched for the exact name. */
const FOUND_MAX = 100;

interface Found {
  readonly features: readonly { readonly name: string; readonly project: string }[];
}

/** The project of a flag: the stated one, or the one of the flag with exactly this name. @throws ToolError */
export async function projectOf(api: Api, flag: string, project: string | undefined): Promise<string> {
  if (project !== undefined) return project;
  // A comma separates texts in this search.
  const [text = ''] = flag.split(',');
  for (const archived of [undefined, 'IS:true']) {
    const query = { query: text, sortBy: 'name', limit: FOUND_MAX, archived };
    const { features } = await api.get<Found>('/api/admin/search/features', { query });
    const match = features.find(({ name }) => name === flag);
    if (match) return match.project;
  }
  throw new ToolError(
    'There is no flag with this name that this token may see. If many names contain it, state the project.',
  );
}
