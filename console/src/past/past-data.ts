import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../api/schema.d.ts';
import { api, read } from '../data/client.ts';
import { inTurn } from '../data/in-turn.ts';
import type { HistoryEntry } from '../domain/model.ts';
import type { SegmentNames } from '../words/en/rule-sentences.ts';
import { isRevision } from './moment.ts';

type HistoryPage = components['schemas']['history'];
export type PastSegment = components['schemas']['adminSegment'];

/** What the past is of. */
export type Scope =
  | { readonly of: 'feature'; readonly id: string }
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
  // By its name alone: at the moment that is shown, it may have been in another project.
  return read(api.GET('/api/admin/history', { params: { query: { type: 'feature', id: scope.id, ...query } } }));
}

/** The recorded commits, from the oldest that was read to the newest. Commits that others make appear. */
export function useCommits(scope: Scope) {
  const query = useInfiniteQuery({
    queryKey: ['history', 'commits', scope],
    queryFn: ({ pageParam }) => inTurn(() => readHistory(scope, pageParam)),
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
      inTurn(async () => {
        const query = { limit: 1, before: Number(at) + 1 };
        const { entries } = await read(api.GET('/api/admin/history', { params: { query } }));
        return entries[0]?.at ?? null;
      }),
    enabled: !isKnown,
  });
  if (!isRevision(at)) return at;
  return (isKnown ? known?.at : data) ?? undefined;
}

/** What differs between the moment and now. Read again after each commit. */
export const useDifference = (from: string, within: DifferenceScope, isWanted = true) =>
  useQuery({
    queryKey: ['history', 'difference', from, within],
    queryFn: () =>
      inTurn(() => read(api.GET('/api/admin/history/difference', { params: { query: { from, ...within } } }))),
    enabled: isWanted,
  });

/** Empty: everything that the person may see. */
export type DifferenceScope = { readonly [Of in Scope['of']]?: string };

/** A read of the past: it never changes, so commits do not make it old. */
export const usePast = <T>(at: string, what: readonly unknown[], queryFn: () => Promise<T>) =>
  useQuery({ queryKey: ['own', 'past', at, ...what], queryFn: () => inTurn(queryFn) });

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
