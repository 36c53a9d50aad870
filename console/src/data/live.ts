import type { Query } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { BASE_PATH as BASE } from '../base-path.ts';
import { firstRevision, isReached, newestRevision, reachable, sawRevision } from './client.ts';
import { gathering, spreading } from './gather.ts';
import type { IndexAnswer } from './index-rows.ts';
import { queryClient } from './query-client.ts';
import { session } from './session.ts';
import { createStore } from './store.ts';

interface ChangedEntity {
  readonly type: string;
  readonly id: string | number;
  readonly project: string | null;
  readonly environments?: readonly string[];
}

export interface Commit {
  readonly revision: number;
  readonly at: string;
  readonly author: { readonly id: number | null; readonly name: string };
  readonly entities: readonly ChangedEntity[];
  readonly more: boolean;
}

/** `polling`: the stream ended (too many streams, a proxy that buffers), so what is on screen is read again from time to time. */
export const liveState = createStore<'connecting' | 'live' | 'polling'>('connecting');

const FALLBACK_EVERY_MS = 15_000;
const listeners = new Set<(commit: Commit | 'everything') => void>();

/** Calls the listener after each commit; with `'everything'` if commits were missed. */
export function onCommit(listener: (commit: Commit | 'everything') => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What differs in the index of flags, as an answer of the index with its revision. Null: it has to be asked for. */
export type StreamedFlags = (IndexAnswer & { readonly revision: string }) | null;
const flagListeners = new Set<(flags: StreamedFlags) => void>();

/** Calls the listener with what commits changed in the index of flags, before the listeners of `onCommit` are called with these commits. */
export function onFlags(listener: (flags: StreamedFlags) => void): void {
  flagListeners.add(listener);
}

/** Queries that show the past or only the caller's own data do not depend on commits. */
const NEVER = new Set(['own', 'me']);
/** These show entities of every type. */
const ALWAYS = new Set(['event', 'history']);
/** Parts of a project that its flags and segments do not change. */
const SETTINGS_OF_PROJECT = new Set<unknown>(['environments', 'reviews']);

export type Changed = Pick<Commit, 'entities' | 'more'>;

/** Whether the answer may be another one after the commit. */
export function concerns({ queryKey, state }: Pick<Query, 'queryKey' | 'state'>, commit: Changed): boolean {
  const [type, id, part, ...more] = queryKey as [string, unknown, unknown, ...unknown[]];
  if (NEVER.has(type)) return false;
  if (ALWAYS.has(type) || commit.more) return true;
  const showsUse = id !== 'list' || part === 'use';
  const isIn = (environment: unknown, { environments = [] }: ChangedEntity) =>
    environments.length === 0 || environments.includes(String(environment));
  return commit.entities.some(
    (entity) =>
      (entity.type === type &&
        (id === 'list' || String(entity.id) === String(id)) &&
        (part !== 'safeguards' || isIn(more[1], entity))) ||
      // Lists in a project, and its counts, change with its flags and segments.
      (type === 'project' && (id === 'list' || (entity.project === id && !SETTINGS_OF_PROJECT.has(part)))) ||
      (type === 'project' && entity.type === 'environment') ||
      // A flag shows its segments, and a segment shows the flags that use it.
      (type === 'feature' && (entity.type === 'segment' || entity.type === 'environment')) ||
      (type === 'segment' && showsUse && entity.type === 'feature') ||
      (type === 'context-field' && showsUse && (entity.type === 'feature' || entity.type === 'segment')) ||
      // A request says whether it still fits its flags. The lists of requests do not.
      (type === 'change-request' &&
        entity.type === 'feature' &&
        (id !== 'list' || (part === 'of-feature' && more[1] === entity.id && !isEmptyList(state.data)))) ||
      // Several answers are made of the settings of the instance, such as the one that says whether it is in maintenance.
      (type === 'setting' && entity.type === 'setting'),
  );
}

const isEmptyList = (data: unknown) => Array.isArray(data) && data.length === 0;

/** A busy instance has several commits a second. What they change is read again together, and only after the reads before have ended. */
const READS_EVERY_MS = 1000;
/** Reads wait while the browser is offline, so the next do not wait for their end without a limit. */
const READS_WAIT_MS = 10_000;

const readAgain = gathering<Commit>(READS_EVERY_MS, async (commits) => {
  const all = {
    entities: commits.flatMap(({ entities }) => entities),
    more: commits.some(({ more }) => more),
  };
  const reads = queryClient.invalidateQueries({ predicate: (query) => concerns(query, all) });
  await Promise.race([reads, new Promise((resolve) => setTimeout(resolve, READS_WAIT_MS))]);
});

/**
 * A commit reaches all open consoles at the same moment. If all read again at once, polls of SDKs would wait for them. Over a longer time, each request would
 * find the service idle, and cost more (docs/decisions/shared-answers.md).
 */
const READS_SPREAD_MS = 100;
const afterOthers = spreading(READS_SPREAD_MS);

/** A page that is not shown reads nothing. When it is shown, it reads what these commits changed, or all if there were more. */
const MISSED_MAX = 500;
let missed: Commit[] | 'everything' = [];

function take(commit: Commit | 'everything'): void {
  if (document.hidden) {
    if (commit === 'everything' || missed === 'everything' || missed.length === MISSED_MAX) missed = 'everything';
    else missed.push(commit);
    return;
  }
  if (commit === 'everything') void queryClient.invalidateQueries();
  else readAgain(commit);
  for (const listener of listeners) listener(commit);
}

function takeMissed(): void {
  if (document.hidden) return;
  const commits = missed === 'everything' ? ([missed] as const) : missed;
  missed = [];
  for (const commit of commits) take(commit);
}

function apply(commit: Commit): void {
  const isOwn = commit.revision <= newestRevision();
  sawRevision(commit.revision);
  if (isOwn) take(commit);
  else afterOthers(() => take(commit));
}

let isFirstStream = true;

/** The first stream sends the commits since the first answer. A later one has no position, and begins with `connected`. */
function addressOf(): string {
  const since = isFirstStream ? firstRevision() : undefined;
  isFirstStream = false;
  return `${BASE}/api/admin/changes?flags=details${since === undefined ? '' : `&since=${since}`}`;
}

/** Follows `GET /api/admin/changes` until the returned function is called. The browser resumes with `Last-Event-ID`. */
export function followChanges(): () => void {
  let source: EventSource | null = null;
  let fallback: ReturnType<typeof setInterval> | undefined;
  let reopen: ReturnType<typeof setTimeout> | undefined;

  const stopFallback = () => {
    clearInterval(fallback);
    fallback = undefined;
  };
  const startFallback = () => {
    liveState.set('polling');
    fallback ??= setInterval(() => {
      if (document.visibilityState === 'visible' && session.get() === 'signed-on') {
        void queryClient.invalidateQueries({ refetchType: 'active' });
        for (const listener of listeners) listener('everything');
      }
    }, FALLBACK_EVERY_MS);
  };

  const open = () => {
    source = new EventSource(addressOf());
    source.addEventListener('open', () => {
      liveState.set('live');
      // After an outage nothing else asks, so this is what notices that the server is back.
      reachable.set(true);
      stopFallback();
      // Each stream begins with all lists of people that are not empty.
      presences.set(new Map());
    });
    source.addEventListener('connected', (event) => {
      // Commits were missed, or the person's rights have changed.
      sawRevision((JSON.parse((event as MessageEvent<string>).data) as { revision: number }).revision);
      // The differences that follow are not those to what is there. A commit of this page is taken before everything is read again.
      for (const listener of flagListeners) listener(null);
      afterOthers(() => take('everything'));
    });
    source.addEventListener('flags', (event) => {
      const flags = JSON.parse((event as MessageEvent<string>).data) as StreamedFlags;
      for (const listener of flagListeners) listener(flags);
    });
    source.addEventListener('commit', (event) => apply(JSON.parse((event as MessageEvent<string>).data) as Commit));
    source.addEventListener('presence', (event) =>
      present(JSON.parse((event as MessageEvent<string>).data) as Presence),
    );
    source.addEventListener('error', () => {
      // The browser reconnects by itself, except after an answer that is not a stream (429, 401, 503).
      if (source?.readyState !== EventSource.CLOSED) {
        liveState.set('connecting');
        void isReached();
        return;
      }
      startFallback();
      reopen = setTimeout(open, FALLBACK_EVERY_MS);
    });
  };
  const ask = () => void isReached();
  open();
  document.addEventListener('visibilitychange', takeMissed);
  for (const name of ['online', 'offline']) window.addEventListener(name, ask);
  return () => {
    for (const name of ['online', 'offline']) window.removeEventListener(name, ask);
    document.removeEventListener('visibilitychange', takeMissed);
    source?.close();
    stopFallback();
    clearTimeout(reopen);
  };
}

/** Who changed the entity last, since it is shown. */
export function useLastAuthor(type: string, id: string): string | undefined {
  const [last, setLast] = useState<{ readonly of: string; readonly name: string }>();
  const of = `${type}/${id}`;
  useEffect(
    () =>
      onCommit((commit) => {
        if (commit === 'everything') return;
        if (commit.entities.some((entity) => `${entity.type}/${entity.id}` === of))
          setLast({ of, name: commit.author.name });
      }),
    [of],
  );
  return last?.of === of ? last.name : undefined;
}

interface Presence {
  readonly type: string;
  readonly id: string;
  readonly project: string | null;
  readonly people: readonly { readonly id: number; readonly name: string; readonly mode: 'viewing' | 'editing' }[];
}

/** Who looks at an entity or edits it, by `type/id`. */
const presences = createStore<ReadonlyMap<string, Presence['people']>>(new Map());

function present({ type, id, people }: Presence): void {
  presences.set((before) => {
    const after = new Map(before);
    if (people.length > 0) after.set(`${type}/${id}`, people);
    else after.delete(`${type}/${id}`);
    return after;
  });
}

/** Undefined if there are none. Renders again only when the people of this entity change. */
export const usePresent = (type: string, id: string): Presence['people'] | undefined =>
  useSyncExternalStore(presences.subscribe, () => presences.get().get(`${type}/${id}`));
