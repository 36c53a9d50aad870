import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import { gathering } from '../../data/gather.ts';
import { keys } from '../../data/keys.ts';
import { type Commit, onCommit } from '../../data/live.ts';
import { useMe } from '../../data/may.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/milliseconds.ts';

type Found = components['schemas']['searchFeatures']['features'][number];

export const REASONS = ['stale', 'lifetime', 'completed', 'unused'] as const;
export type Reason = (typeof REASONS)[number];

/** A flag that is probably not needed any more. */
export interface Candidate {
  readonly name: string;
  readonly project: string;
  readonly type: NonNullable<Found['type']>;
  readonly createdAt: string;
  readonly lastSeenAt: string | null;
  readonly reasons: readonly Reason[];
  /** For a completed flag: `kept` or `discarded`. */
  readonly status: string | undefined;
  readonly environments: NonNullable<Found['environments']>;
}

export interface Candidates {
  readonly rows: readonly Candidate[];
  /** False if there are more than were read. */
  readonly isComplete: boolean;
}

export const DAYS = ['7', '30', '90', '180'] as const;
export const daysOf = (text: string): number => Number(DAYS.find((days) => days === text) ?? '30');

const PAGE = 1000;
export const FLAGS_MAX = 5000;
const FIELDS = 'project,type,stale,potentiallyStale,createdAt,lastSeenAt,lifecycle,environments';

interface Search {
  readonly state?: string;
  readonly lifecycle?: string;
  readonly createdAt?: string;
  readonly project?: string;
  readonly sortBy: string;
  readonly sortOrder: string;
}

/** The flags of all pages, until one is not asked for, or the maximum is reached. */
async function search(
  query: Search,
  isAsked: (found: Found) => boolean,
): Promise<{ found: Found[]; isComplete: boolean }> {
  const found: Found[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(
      api.GET('/api/admin/search/features', {
        params: { query: { ...query, limit: PAGE, fields: FIELDS, ...(cursor === undefined ? {} : { cursor }) } },
      }),
    );
    for (const one of page.features) {
      if (!isAsked(one)) return { found, isComplete: true };
      found.push(one);
    }
    cursor = page.cursor;
  } while (cursor !== undefined && found.length < FLAGS_MAX);
  return { found, isComplete: cursor === undefined };
}

/** The first moment of the day, in UTC, that was so many days ago. */
const startMs = (days: number, nowMs: number) => Math.floor((nowMs - days * DAY_MS) / DAY_MS) * DAY_MS;

const isUnused = ({ createdAt, lastSeenAt }: Pick<Found, 'createdAt' | 'lastSeenAt'>, sinceMs: number) =>
  Date.parse(createdAt ?? '') < sinceMs && (!lastSeenAt || Date.parse(lastSeenAt) < sinceMs);

function candidateOf(found: Found, sinceMs: number): Candidate {
  const { lifecycle, lastSeenAt = null, createdAt } = found;
  const has: Record<Reason, boolean> = {
    stale: found.stale ?? false,
    lifetime: found.potentiallyStale ?? false,
    completed: lifecycle?.stage === 'completed',
    unused: isUnused(found, sinceMs),
  };
  return {
    name: found.name,
    project: found.project ?? '',
    type: found.type ?? 'release',
    createdAt: createdAt ?? '',
    lastSeenAt,
    reasons: REASONS.filter((reason) => has[reason]),
    status: lifecycle?.status,
    environments: found.environments ?? [],
  };
}

/** Reads the flags of each reason by a search of its own. A flag with several reasons is one row. */
async function readCandidates(project: string, days: number, nowMs: number): Promise<Candidates> {
  const sinceMs = startMs(days, nowMs);
  const of = project === '' ? {} : { project: `IS:${project}` };
  const byName = { ...of, sortBy: 'name', sortOrder: 'asc' };
  const everything = () => true;
  const day = new Date(sinceMs).toISOString().slice(0, 10);
  const parts = await Promise.all([
    search({ ...byName, state: 'IS_ANY_OF:stale,potentially-stale' }, everything),
    search({ ...byName, lifecycle: 'IS:completed' }, everything),
    // Flags that were never seen come first, then those that were not seen for longest.
    search({ ...of, createdAt: `IS_BEFORE:${day}`, sortBy: 'lastSeenAt', sortOrder: 'asc' }, (found) =>
      isUnused(found, sinceMs),
    ),
  ]);
  const rows = new Map<string, Candidate>();
  for (const { found } of parts) for (const one of found) rows.set(one.name, candidateOf(one, sinceMs));
  return {
    rows: [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    isComplete: parts.every(({ isComplete }) => isComplete),
  };
}

const OWN_EVERY_MS = 1000;
/** A list can be 15 pages long, and on a busy instance flags change each second. */
const OTHERS_EVERY_MS = MINUTE_MS;

const isOfFlags = (commit: Commit | 'everything') =>
  commit === 'everything' || commit.more || commit.entities.some(({ type }) => type === 'feature');

/** Read again at once after commits of the person, at most each minute after those of others, and whenever it is shown. */
export function useCandidates(project: string, days: number) {
  const client = useQueryClient();
  const me = useMe().data?.user.id;
  useEffect(() => {
    const refresh = () => client.invalidateQueries({ queryKey: keys.reports('clean-up') });
    const soon = gathering(OWN_EVERY_MS, refresh);
    const later = gathering(OTHERS_EVERY_MS, refresh);
    return onCommit((commit) => {
      if (!isOfFlags(commit)) return;
      if (commit !== 'everything' && commit.author.id === me) soon(commit);
      else later(commit);
    });
  }, [client, me]);
  return useQuery({
    staleTime: 0,
    queryKey: keys.reports('clean-up', project, days),
    queryFn: () => readCandidates(project, days, Date.now()),
  });
}

export const useInsights = (projectId: string) =>
  useQuery({
    staleTime: 0,
    queryKey: ['project', projectId, 'insights'],
    queryFn: () => read(api.GET('/api/admin/projects/{projectId}/insights', { params: { path: { projectId } } })),
    retry: false,
  });

export const useStageCounts = () =>
  useQuery({
    staleTime: 0,
    queryKey: ['feature', 'list', 'stages'],
    queryFn: () => read(api.GET('/api/admin/lifecycle/count')),
  });
