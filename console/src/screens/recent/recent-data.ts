import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import type { HistoryEntry } from '../../domain/model.ts';

type HistoryPage = components['schemas']['history'];

const COMMITS = 50;
const MINUTE_MS = 60_000;

export interface Filters {
  readonly minutes: number;
  /** Empty: all. */
  readonly project: string;
  readonly environment: string;
}

/** The time from which commits are shown. It moves on by itself. */
export function useFrom(minutes: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now - minutes * MINUTE_MS;
}

function readPage({ project, environment }: Filters, before: number | undefined): Promise<HistoryPage> {
  const query = { limit: COMMITS, ...(before !== undefined && { before }) };
  if (project !== '')
    return read(
      api.GET('/api/admin/projects/{projectId}/history', { params: { path: { projectId: project }, query } }),
    );
  if (environment !== '')
    return read(api.GET('/api/admin/environments/{name}/history', { params: { path: { name: environment }, query } }));
  return read(api.GET('/api/admin/history', { params: { query } }));
}

/** With a project, the environment is compared here: no address has both. */
const isIn = ({ changes }: HistoryEntry, { project, environment }: Filters) =>
  environment === '' ||
  project === '' ||
  changes.some((change) => change.environment === environment || change.environment === null);

/** The commits of the time, newest first. Commits that others make appear at once. */
export function useRecent(filters: Filters) {
  const from = useFrom(filters.minutes);
  const { project, environment } = filters;
  const query = useInfiniteQuery({
    queryKey: ['history', 'recent', project, environment],
    queryFn: ({ pageParam }) => readPage({ minutes: 0, project, environment }, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }: HistoryPage) => next ?? undefined,
  });
  const { data, hasNextPage } = query;
  return useMemo(() => {
    const all = data?.pages.flatMap((page) => page.entries);
    const inTime = all?.filter(({ at }) => Date.parse(at) >= from);
    return {
      query,
      entries: inTime?.filter((entry) => isIn(entry, { minutes: 0, project, environment })),
      /** Whether the pages so far end within the time. */
      hasMore: hasNextPage && all !== undefined && inTime?.length === all.length,
    };
  }, [query, data, hasNextPage, from, project, environment]);
}
