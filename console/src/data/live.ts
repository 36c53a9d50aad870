import type { Query } from '@tanstack/react-query';
import { BASE_PATH as BASE } from '../base-path.ts';
import { reachable, sawRevision } from './client.ts';
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

/** Queries that show the past or only the caller's own data do not depend on commits. */
const NEVER = new Set(['own', 'me']);
/** These show entities of every type. */
const ALWAYS = new Set(['event', 'history']);

function concerns(query: Query, commit: Commit): boolean {
  const [type, id] = query.queryKey as [string, unknown];
  if (NEVER.has(type)) return false;
  if (ALWAYS.has(type) || commit.more) return true;
  return commit.entities.some(
    (entity) =>
      (entity.type === type && (id === 'list' || String(entity.id) === String(id))) ||
      // Lists in a project, and its counts, change with its flags and segments.
      (type === 'project' && (id === 'list' || entity.project === id)) ||
      // A flag shows its segments, and a segment shows the flags that use it.
      (type === 'feature' && (entity.type === 'segment' || entity.type === 'environment')) ||
      (type === 'segment' && entity.type === 'feature') ||
      (type === 'context-field' && (entity.type === 'feature' || entity.type === 'segment')) ||
      (type === 'change-request' && entity.type === 'feature') ||
      // Several answers are made of the settings of the instance, such as the one that says whether it is in maintenance.
      (type === 'setting' && entity.type === 'setting'),
  );
}

function apply(commit: Commit): void {
  sawRevision(commit.revision);
  void queryClient.invalidateQueries({ predicate: (query) => concerns(query, commit) });
  if (commit.entities.some(({ type }) => type === 'role' || type === 'group' || type === 'user')) {
    void queryClient.invalidateQueries({ queryKey: ['me'] });
  }
  for (const listener of listeners) listener(commit);
}

function everythingChanged(revision: number): void {
  sawRevision(revision);
  void queryClient.invalidateQueries();
  for (const listener of listeners) listener('everything');
}

/** Whether the first `connected` of this page was seen: what was read before the stream began may be older than it. */
let connectedOnce = false;

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
    source = new EventSource(`${BASE}/api/admin/changes`);
    source.addEventListener('open', () => {
      liveState.set('live');
      // After an outage nothing else asks, so this is what notices that the server is back.
      reachable.set(true);
      stopFallback();
    });
    source.addEventListener('connected', (event) => {
      const { revision } = JSON.parse((event as MessageEvent<string>).data) as { revision: number };
      if (connectedOnce) everythingChanged(revision);
      else sawRevision(revision);
      connectedOnce = true;
    });
    source.addEventListener('commit', (event) => apply(JSON.parse((event as MessageEvent<string>).data) as Commit));
    source.addEventListener('presence', (event) => {
      const presence = JSON.parse((event as MessageEvent<string>).data) as Presence;
      presences.set((before) => new Map(before).set(`${presence.type}/${presence.id}`, presence.people));
    });
    source.addEventListener('error', () => {
      // The browser reconnects by itself, except after an answer that is not a stream (429, 401, 503).
      if (source?.readyState !== EventSource.CLOSED) return;
      startFallback();
      reopen = setTimeout(open, FALLBACK_EVERY_MS);
    });
  };
  open();
  return () => {
    source?.close();
    stopFallback();
    clearTimeout(reopen);
  };
}

interface Presence {
  readonly type: string;
  readonly id: string;
  readonly project: string | null;
  readonly people: readonly { readonly id: number; readonly name: string; readonly mode: 'viewing' | 'editing' }[];
}

/** Who looks at an entity or edits it, by `type/id`. */
export const presences = createStore<ReadonlyMap<string, Presence['people']>>(new Map());
