import { useSyncExternalStore } from 'react';
import { api, read } from './client.ts';
import { Failure } from './failure.ts';
import { type Commit, onCommit } from './live.ts';

/** A flag in the list: only what the list shows and filters by. */
export interface FlagRow {
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly description: string;
  readonly stale: boolean;
  readonly potentiallyStale: boolean;
  readonly favorite: boolean;
  readonly createdAt: string | null;
  readonly lastSeenAt: string | null;
  /** `type:value` */
  readonly tags: readonly string[];
  /** Whether the flag is on, for each environment of its project. Rows with the same states share one map. */
  readonly environments: ReadonlyMap<string, boolean>;
  /** Name, description and tags in lower case, for the search. */
  readonly text: string;
}

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
  /** Shows a change before the server confirmed it; returns a function that takes it back. */
  patch(name: string, change: Partial<FlagRow>): () => void;
  /** Reads again, after an error. */
  reload(): void;
}

const PAGE = 1000;
const NAMES_A_SEARCH = 20;
/** More changed flags than this are read by reading the whole list again. */
const REFRESHED_ONE_BY_ONE = 200;
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

const byName = (a: FlagRow, b: FlagRow) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Reads pages of `GET /api/admin/search/features`, then only the flags that the stream of changes names. */
class SearchedFlagRows implements FlagRows {
  #byName = new Map<string, FlagRow>();
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
      onCommit((commit) => void this.#followed(commit));
      this.reload();
    }
    return () => this.#listeners.delete(listener);
  };

  find = (name: string) => this.#byName.get(name);

  patch = (name: string, change: Partial<FlagRow>) => {
    const before = this.#byName.get(name);
    if (!before) return () => undefined;
    const after = { ...before, ...change };
    this.#byName.set(name, after);
    this.#publish();
    return () => {
      // A newer state that arrived in between stays.
      if (this.#byName.get(name) !== after) return;
      this.#byName.set(name, before);
      this.#publish();
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
      const fresh = new Map<string, FlagRow>();
      const isFirst = !this.#state.isComplete;
      let cursor: string | undefined;
      try {
        do {
          const page = await search(cursor === undefined ? {} : { cursor });
          for (const found of page.features) fresh.set(found.name, rowOf(found));
          cursor = page.cursor;
          if (isFirst) this.#publish({ total: page.total, failure: null }, fresh);
        } while (cursor !== undefined);
        this.#publish({ isComplete: true, total: fresh.size, failure: null }, fresh);
      } catch (error) {
        this.#publish({ failure: error instanceof Failure ? error : null });
        return;
      }
    }
  }

  async #followed(commit: Commit | 'everything'): Promise<void> {
    if (commit === 'everything' || commit.more) return this.reload();
    if (commit.entities.some(({ type }) => type === 'project' || type === 'environment')) return this.reload();
    const names = commit.entities.filter(({ type }) => type === 'feature').map(({ id }) => String(id));
    if (names.length === 0) return;
    if (names.length > REFRESHED_ONE_BY_ONE || this.#loading) return this.reload();
    try {
      for (let at = 0; at < names.length; at += NAMES_A_SEARCH)
        await this.#refresh(names.slice(at, at + NAMES_A_SEARCH));
    } catch {
      this.reload();
    }
  }

  async #refresh(names: readonly string[]): Promise<void> {
    const wanted = new Set(names);
    const page = await search({ query: names.join(',') });
    // A short name is a part of many others, so the page may not contain the flag itself.
    if (page.cursor !== undefined) return this.reload();
    for (const found of page.features) {
      if (wanted.delete(found.name)) this.#byName.set(found.name, rowOf(found));
    }
    for (const gone of wanted) this.#byName.delete(gone);
    this.#publish({ total: this.#byName.size });
  }

  #publish(change: Partial<FlagRowsState> = {}, rows = this.#byName): void {
    this.#byName = rows;
    this.#state = { ...this.#state, ...change, rows: [...rows.values()].sort(byName) };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** The states of a row with one of them changed. */
export const withState = (row: FlagRow, environment: string, enabled: boolean): FlagRow['environments'] =>
  sharedStates([...row.environments].map(([name, on]) => ({ name, enabled: name === environment ? enabled : on })));

export const flagRows: FlagRows = new SearchedFlagRows();

export const useFlagRows = (): FlagRowsState => useSyncExternalStore(flagRows.subscribe, flagRows.get);
