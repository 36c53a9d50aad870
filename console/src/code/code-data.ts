import { useQuery } from '@tanstack/react-query';
import type { components } from '../api/schema.d.ts';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';

type References = components['schemas']['codeReferences'];
export type UsingRepository = References['repositories'][number];
export type Place = UsingRepository['places'][number];
export type Repository = components['schemas']['codeRepositories']['repositories'][number];
export type UnknownName = components['schemas']['unknownFlagsInCode']['unknownFlags'][number];

/** Commits to flags change some of these answers too, so they are read again whenever they are shown. */
const READ_AGAIN = { staleTime: 0 } as const;

export const useReferences = (projectId: string, featureName: string) =>
  useQuery({
    ...READ_AGAIN,
    queryKey: keys.codeRepositories('of', projectId, featureName),
    queryFn: () =>
      read(
        api.GET('/api/admin/projects/{projectId}/features/{featureName}/code-references', {
          params: { path: { projectId, featureName } },
        }),
      ),
  });

/** The names of the flags that no code uses; none if no repository reported. */
export const useUnusedInCode = (project: string) =>
  useQuery({
    ...READ_AGAIN,
    queryKey: keys.codeRepositories('unused', project),
    queryFn: async () => {
      const query = project === '' ? {} : { project };
      const { flags } = await read(api.GET('/api/admin/code-references/unused-flags', { params: { query } }));
      return new Set(flags.map(({ name }) => name));
    },
  });

export const useRepositories = () =>
  useQuery({
    ...READ_AGAIN,
    queryKey: keys.codeRepositories('all'),
    queryFn: async () => (await read(api.GET('/api/admin/code-repositories'))).repositories,
  });

export const useUnknownInCode = () =>
  useQuery({
    ...READ_AGAIN,
    queryKey: keys.codeRepositories('unknown'),
    queryFn: () => read(api.GET('/api/admin/code-references/unknown-flags')),
  });

/** Characters of a path that a link keeps as they are. */
const encoded = (text: string) => encodeURIComponent(text).replaceAll('%2F', '/');

/** The web address of a place; undefined if the repository has no links, or the link needs what was not reported. */
export function linkOf(
  { link, commit, branch }: Pick<UsingRepository, 'link' | 'commit' | 'branch'>,
  { path, line }: Place,
): string | undefined {
  if (link === null) return undefined;
  const values: Readonly<Record<string, string | null>> = { commit, branch, path, line: String(line) };
  let isComplete = true;
  const address = link.replace(/\{(commit|branch|path|line)\}/g, (_all, name: string) => {
    const value = values[name] ?? null;
    if (value === null) isComplete = false;
    return encoded(value ?? '');
  });
  // The service checks it too: an address that a page links to must never run a script.
  return isComplete && /^https?:\/\//i.test(address) ? address : undefined;
}
