import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../api/schema.d.ts';
import { api, read } from '../data/client.ts';
import type { HistoryEntry } from '../domain/model.ts';
import type { SegmentNames } from '../words/en/rule-sentences.ts';
import { isRevision } from './moment.ts';

type HistoryPage = components['schemas']['history'];
export type PastSegment = components['schemas']['adminSegment'];

/** What the past is of. */
export type Scope =
  | { readonly of: 'feature'; readonly project: string; readonly id: string }
  | { readonly of: 'project'; readonly id: string }
  | { readonly of: 'environment'; readonly id: string };

/** Most that one request answers. */
const COMMITS = 100;

const page = (before: number | undefined) => ({ limit: COMMITS, ...(before === undefined ? {} : { before }) });

function readHistory(scope: Scope, before: number | undefined): Promise<HistoryPage> {
  const query = page(before);
  if (scope.of === 'environment')
    return read(api.GET('/api/admin/environments/{name}/history', { params: { path: { name: scope.id }, query } }));
  if (scope.of === 'project')
    return read(
      api.GET('/api/admin/projects/{projectId}/history', { params: { path: { projectId: scope.id }, query } }),
    );
  const path = { projectId: scope.project, featureName: scope.id };
  return read(api.GET('/api/admin/projects/{projectId}/features/{featureName}/history', { params: { path, query } }));
}

/** The recorded commits, from the oldest that was read to the newest. Commits that others make appear. */
export function useCommits(scope: Scope) {
  const query = useInfiniteQuery({
    queryKey: ['history', 'commits', scope],
    queryFn: ({ pageParam }) => readHistory(scope, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }: HistoryPage) => next ?? undefined,
  });
  const { data } = query;
  const entries = useMemo(
    () => data?.pages.flatMap((one) => one.entries).toSorted((a, b) => a.revision - b.revision),
    [data],
  );
  return { ...query, entries };
}

/** When the revision was, by the newest commit until then that the person may see. */
export function useTimeOf(at: string, known: HistoryEntry | undefined): string | undefined {
  const isKnown = !isRevision(at) || known?.revision === Number(at);
  const { data } = useQuery({
    queryKey: ['own', 'time-of', at],
    queryFn: () =>
      read(api.GET('/api/admin/history', { params: { query: { limit: 1, before: Number(at) + 1 } } })).then(
        ({ entries }) => entries[0]?.at ?? null,
      ),
    enabled: !isKnown,
  });
  if (!isRevision(at)) return at;
  return (isKnown ? known?.at : data) ?? undefined;
}

/** What differs between the moment and now. Read again after each commit. */
export const useDifference = (at: string, scope: Scope) =>
  useQuery({
    queryKey: ['history', 'difference', at, scope],
    queryFn: () =>
      read(api.GET('/api/admin/history/difference', { params: { query: { from: at, [scope.of]: scope.id } } })),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** A read of the past: it never changes, so commits do not make it old. */
export const usePast = <T>(at: string, what: readonly unknown[], queryFn: () => Promise<T>) =>
  useQuery({ queryKey: ['own', 'past', at, ...what], queryFn, retry: false });

/** The segments as they were. */
export const usePastSegments = (at: string) =>
  usePast(
    at,
    ['segments'],
    async () => (await read(api.GET('/api/admin/segments', { params: { query: { at } } }))).segments ?? [],
  );

export function namesOf(segments: readonly PastSegment[] | undefined): SegmentNames {
  return new Map((segments ?? []).map(({ id, name }) => [id, name]));
}
