import { useSyncExternalStore } from 'react';
import type { FlagRow } from '../domain/flag-row.ts';
import { api, read } from './client.ts';
import { Failure } from './failure.ts';
import { afterFirstView } from './first-view.ts';
import { gathering } from './gather.ts';
import { type Commit, onCommit } from './live.ts';
import { indexOfName, withChanges } from './sorted-rows.ts';

interface FlagRowsState {
  /** Sorted by name. A new list after every change, so that it can be compared by identity. */
  readonly rows: readonly FlagRow[];
  /** False while the first pages arrive; the rows so far can be shown. */
  readonly isComplete: boolean;
  readonly total: number | null;
  readonly failure: Failure | null;
}

/** All flags that the person may see, kept current. The list, the palette and the counts read from it, and never ask the server. */
interface FlagRows {
  get(): FlagRowsState;
  subscribe(listener: () => void): () => void;
  find(name: string): FlagRow | undefined;
  /** Shows a change before the server confirmed it; returns a function that shows the earlier state again. */
  patch(name: string, change: Partial<FlagRow>): () => void;
  /** Reads again, after an error. */
  reload(): void;
}

const PAGE = 1000;
const NAMES_A_SEARCH = 20;
/** More changed flags than this are read by reading the whole list again; in a long list, as many as need no more requests than that. */
const REFRESHED_BY_NAME = 200;
/** On a busy instance, commits come faster than a person reads: what they change is read together. */
const FOLLOWS_EVERY_MS = 1000;
const FIELDS = 'project,type,description,stale,potentiallyStale,favorite,createdAt,lastSeenAt,tags,environments';

const stateMaps = new Map<string, ReadonlyMap<string, boolean>>();
function sharedStates(environments: readonly { name: string; enabled: boolean }[]): ReadonlyMap<string, boolean> {
  const key = environments.map(({ name, enabled }) => `${name}=${enabled ? 1 : 0}`).join();
  let map = stateMaps.get(key);
  if (!map) {
    map = new Map(environments.map(({ name, enabled }) => [name, enabled]));
    stateMaps.set(key, map);
  }
  return map;
}

type Found = Awaited<ReturnType<typeof search>>['features'][number];

const search = (query: { query?: string; cursor?: string; limit?: number }) =>
  read(
    api.GET('/api/admin/search/features', {
      params: { query: { limit: PAGE, ...query, fields: FIELDS, sortBy: 'name' } },
    }),
  );

function rowOf(found: Found): FlagRow {
  const tags = found.tags?.map(({ type, value }) => `${type}:${value}`) ?? [];
  return {
    name: found.name,
    project: found.project ?? '',
    type: found.type ?? 'release',
    description: found.description ?? '',
    stale: found.stale ?? false,
    potentiallyStale: found.potentiallyStale ?? false,
    favorite: found.favorite ?? false,
    createdAt: found.createdAt ?? null,
    lastSeenAt: found.lastSeenAt ?? null,
    tags,
    environments: sharedStates(found.environments ?? []),
    text: `${found.name} ${found.description ?? ''} ${tags.join(' ')}`.toLowerCase(),
  };
}

/** Reads pages of `GET /api/admin/search/features`, then only the flags that the stream of changes names. */
class SearchedFlagRows implements FlagRows {
  #state: FlagRowsState = { rows: [], isComplete: false, total: null, failure: null };
  readonly #listeners = new Set<() => void>();
  #loading: Promise<void> | null = null;
  #isReloadDue = false;
  #isFollowing = false;

  get = () => this.#state;

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    if (!this.#isFollowing) {
      this.#isFollowing = true;
      onCommit(gathering<Commit | 'everything'>(FOLLOWS_EVERY_MS, (commits) => this.#follow(commits)));
      this.reload();
    }
    return () => this.#listeners.delete(listener);
  };

  find = (name: string) => this.#state.rows[indexOfName(this.#state.rows, name)];

  patch = (name: string, change: Partial<FlagRow>) => {
    const before = this.find(name);
    if (!before) return () => undefined;
    const after = { ...before, ...change };
    this.#change(new Map([[name, after]]));
    return () => {
      // A newer state that arrived in between stays.
      if (this.find(name) === after) this.#change(new Map([[name, before]]));
    };
  };

  reload = () => {
    this.#isReloadDue = true;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
  };

  async #load(): Promise<void> {
    while (this.#isReloadDue) {
      this.#isReloadDue = false;
      const isFirst = !this.#state.isComplete;
      let rows: readonly FlagRow[] = [];
      let cursor: string | undefined;
      try {
        do {
          const page = await search(cursor === undefined ? {} : { cursor });
          rows = withChanges(rows, new Map(page.features.map((found) => [found.name, rowOf(found)])));
          cursor = page.cursor;
          if (isFirst) this.#publish({ rows, total: page.total, failure: null });
          await new Promise<void>(afterFirstView);
        } while (cursor !== undefined);
        this.#publish({ rows, isComplete: true, total: rows.length, failure: null });
      } catch (error) {
        this.#publish({ failure: error instanceof Failure ? error : null });
        return;
      }
    }
  }

  async #follow(commits: readonly (Commit | 'everything')[]): Promise<void> {
    // A load that runs may have read the flags before they changed. Another complete one is not necessary for that.
    await this.#loading;
    const names = this.#namesIn(commits);
    try {
      if (names === 'all') this.reload();
      else
        for (let at = 0; at < names.length; at += NAMES_A_SEARCH)
          await this.#refresh(names.slice(at, at + NAMES_A_SEARCH));
    } catch {
      this.reload();
    }
    await this.#loading;
  }

  /** The flags that the commits change, or `all` if it is better to read the list again. */
  #namesIn(commits: readonly (Commit | 'everything')[]): readonly string[] | 'all' {
    const names = new Set<string>();
    for (const commit of commits) {
      if (commit === 'everything' || commit.more) return 'all';
      for (const { type, id } of commit.entities) {
        if (type === 'project' || type === 'environment') return 'all';
        if (type === 'feature') names.add(String(id));
      }
    }
    const most = Math.max(REFRESHED_BY_NAME, (this.#state.rows.length / PAGE) * NAMES_A_SEARCH);
    return names.size > most ? 'all' : [...names];
  }

  async #refresh(names: readonly string[]): Promise<void> {
    const page = await search({ query: names.join(',') });
    const changes = new Map<string, FlagRow | null>(names.map((name) => [name, null]));
    let missing = changes.size;
    for (const found of page.features) {
      if (!changes.has(found.name)) continue;
      changes.set(found.name, rowOf(found));
      missing--;
    }
    // A short name is a part of many others, so the page may not contain the flag itself.
    if (missing > 0 && page.cursor !== undefined) return this.reload();
    this.#change(changes);
  }

  #change(changes: ReadonlyMap<string, FlagRow | null>): void {
    const rows = withChanges(this.#state.rows, changes);
    this.#publish({ rows, total: rows.length });
  }

  #publish(change: Partial<FlagRowsState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** The states of a row with one of them changed. */
export const withState = (row: FlagRow, environment: string, enabled: boolean): FlagRow['environments'] =>
  sharedStates([...row.environments].map(([name, on]) => ({ name, enabled: name === environment ? enabled : on })));

export const flagRows: FlagRows = new SearchedFlagRows();

export const useFlagRows = (): FlagRowsState => useSyncExternalStore(flagRows.subscribe, flagRows.get);
