import { useQuery } from '@tanstack/react-query';
import { MINUTE_MS } from '../domain/milliseconds.ts';
import { api, read } from './client.ts';
import { Failure } from './failure.ts';
import { isFirstViewShown } from './first-view.ts';
import { keys } from './keys.ts';
import { useStore } from './store.ts';

export interface LastUse {
  /** When flags were used last, by name, in milliseconds. Missing: never, if all are read. */
  readonly times: ReadonlyMap<string, number>;
  readonly isComplete: boolean;
  /** Why not all are read. */
  readonly failure: Failure | null;
}

const PAGE = 1000;
const NOT_READ: LastUse = { times: new Map(), isComplete: false, failure: null };

/** By name: reports of SDKs move flags in other orders while pages are read, so that flags would be on no page. If a page fails, those before are shown. */
async function readLastUse(): Promise<LastUse> {
  const times = new Map<string, number>();
  let cursor: string | undefined;
  try {
    do {
      const query = {
        fields: 'lastSeenAt',
        lastSeenAt: 'IS_ON_OR_AFTER:1970-01-01',
        sortBy: 'name',
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      };
      const page = await read(api.GET('/api/admin/search/features', { params: { query } }));
      for (const { name, lastSeenAt } of page.features) if (lastSeenAt) times.set(name, Date.parse(lastSeenAt));
      cursor = page.cursor;
    } while (cursor !== undefined);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { times, isComplete: false, failure: error };
  }
  return { times, isComplete: true, failure: null };
}

/** The index of flags does not have the last use, because replicas know different ones: the search has it. Read when it is shown, and not before the list. */
export function useLastUse(isShown: boolean) {
  const enabled = useStore(isFirstViewShown) && isShown;
  const options = { queryKey: keys.reports('last-use'), queryFn: readLastUse, enabled, staleTime: MINUTE_MS } as const;
  const { data: lastUse = NOT_READ, refetch } = useQuery(options);
  return { lastUse, again: refetch };
}
