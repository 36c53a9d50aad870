import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { newestRevision } from '../../data/client.ts';
import { inTurn } from '../../data/in-turn.ts';
import { MINUTE_MS } from '../../domain/milliseconds.ts';
import type { HistoryEntry } from '../../domain/model.ts';
import { endsNow, isInTime, timesOf } from '../../domain/span.ts';
import { type Filters, queryOf, readHistoryPage } from '../../history/read-history.ts';
import { firstPage, type Newest, withFirst, withNext } from './bounded.ts';

const COMMITS = 50;

/** Now, by the minute: the last minutes move on by themselves. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The address of the first page, for a shell. */
export function addressOf(filters: Filters, now: number): string {
  const { feature, project, environment } = filters;
  const inProject = feature === '' && project !== '';
  const inEnvironment = feature === '' && project === '' && environment !== '';
  const place = inProject
    ? `projects/${encodeURIComponent(project)}/`
    : inEnvironment
      ? `environments/${encodeURIComponent(environment)}/`
      : '';
  const query = { ...queryOf(filters, now, COMMITS), ...(feature !== '' && { type: 'feature', id: feature }) };
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return `/api/admin/${place}history?${parameters}`;
}

/**
 * No address has two of the flag, the project and the environment: what the address leaves out is compared here. The history of a project also has the
 * flags that were moved out of it, which are in another project after that.
 */
const matches = ({ changes }: HistoryEntry, { feature, project, environment }: Filters) =>
  changes.some(
    (change) =>
      (feature === '' || project === '' || change.project === project || change.project === null) &&
      (environment === '' || change.environment === environment || change.environment === null),
  );

/** A time that is over has no new commits: commits of others do not make it old. */
const keyOf = (filters: Filters, now: number) =>
  [endsNow(filters.span, now) ? 'history' : 'own', 'recent', filters] as const;
type Key = ReturnType<typeof keyOf>;

/** Reads only the first page again. */
async function readFirst(client: QueryClient, key: Key): Promise<Newest<HistoryEntry>> {
  const [, , filters] = key;
  const first = await inTurn(async () => {
    // The answer is from this revision or a newer one.
    const newest = newestRevision();
    return firstPage(await readHistoryPage(filters, undefined, COMMITS), newest);
  });
  return withFirst(client.getQueryData<Newest<HistoryEntry>>(key), first);
}

/** The commits of the time, newest first. Commits that others make appear at once. */
export function useRecent(filters: Filters, now: number) {
  const client = useQueryClient();
  const key = keyOf(filters, now);
  const query = useQuery({
    queryKey: key,
    queryFn: () => readFirst(client, key),
    structuralSharing: false,
  });
  const { data } = query;
  const more = useMutation({
    mutationFn: async (before: number) => {
      const page = await inTurn(() => readHistoryPage(filters, before, COMMITS));
      client.setQueryData<Newest<HistoryEntry>>(key, (list) => withNext(list, before, page));
    },
  });
  const shown = useMemo(() => {
    const times = timesOf(filters.span, now);
    const inTime = data?.entries.filter(({ at }) => isInTime(at, times));
    return {
      entries: inTime?.filter((entry) => matches(entry, filters)),
      /** Whether the pages so far end within the time. */
      hasMore: data !== undefined && data.next !== null && inTime?.length === data.entries.length,
    };
  }, [data, filters, now]);
  const readMore = () => {
    if (typeof data?.next === 'number') more.mutate(data.next);
  };
  return {
    ...shown,
    readMore,
    isReadingMore: more.isPending,
    error: query.error ?? more.error,
    again: () => (query.error ? void query.refetch() : readMore()),
  };
}
