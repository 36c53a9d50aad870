import type { components } from '../api/schema.d.ts';
import type { SentContext } from '../domain/contexts.ts';
import { api, read, write } from './client.ts';
import { keys } from './keys.ts';

/** A set of contexts that the person saved under a name, without its contexts. */
export type ContextSet = components['schemas']['contextSetSummary'];

/** Limits of the API for one set. */
export const SET_MAX = 1_000;

const PATH = '/api/admin/user/contexts';
const ONE = '/api/admin/user/contexts/{id}';

export const contextSetsQuery = {
  queryKey: keys.own('context-sets'),
  queryFn: async () => (await read(api.GET(PATH))).contextSets,
} as const;

export const contextsOfSet = async (id: number) => (await read(api.GET(ONE, { params: { path: { id } } }))).contexts;

export const saveContextSet = (name: string, contexts: readonly SentContext[]) =>
  write(api.POST(PATH, { body: { name, contexts: contexts as never } }));

export const deleteContextSet = (id: number) => write<unknown>(api.DELETE(ONE, { params: { path: { id } } }));
