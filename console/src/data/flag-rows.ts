import { useSyncExternalStore } from 'react';
import type { FlagRow, RowsHead } from '../domain/flag-row.ts';
import { inSlices } from '../domain/steps.ts';
import { Failure, unreachable } from './failure.ts';
import { loadEnded, loadStarted } from './first-view.ts';
import { readIndex } from './flag-index.ts';
import { gathering } from './gather.ts';
import { headOf, type IndexAnswer, rowsAfter, rowsOf } from './index-rows.ts';
import { type Commit, onCommit, onFlags, type StreamedFlags } from './live.ts';
import { indexOfName, withChanges } from './sorted-rows.ts';

interface FlagRowsState {
  /** Sorted by name. A new list after every change, so that it can be compared by identity. */
  readonly rows: readonly FlagRow[];
  /** False until the flags were read once. */
  readonly isComplete: boolean;
  /** Why the rows are not current. */
  readonly failure: Failure | null;
  /** When the rows were current. */
  readonly readMs: number;
}

/** On a busy instance, commits come faster than a person reads: what they change is read together. */
const FOLLOWS_EVERY_MS = 1000;
/** What belongs to all rows or to many. The stream has what commits change in the rows of single flags. */
const TYPES_OF_MANY_ROWS = new Set(['project', 'environment', 'feature-type']);
/** What the stream sends between two commits that concern flags is little. If it is more, all of it is asked for. */
const STREAMED_MAX = 50;

const changesManyRows = (commit: Commit | 'everything') =>
  commit === 'everything' || commit.more || commit.entities.some(({ type }) => TYPES_OF_MANY_ROWS.has(type));
const changesRows = (commit: Commit | 'everything') =>
  changesManyRows(commit) || (commit !== 'everything' && commit.entities.some(({ type }) => type === 'feature'));

/** A revision of the index: the number of a commit, the mark of its history, and which private projects the person sees. */
const seqOf = (revision: string) => Number.parseInt(revision, 10);
const sightOf = (revision: string) => revision.slice(revision.lastIndexOf('.'));

/** All flags that the person may see, kept current. The list, the palette and the counts read from it, and never ask the server. */
class FlagRows {
  #state: FlagRowsState = { rows: [], isComplete: false, failure: null, readMs: 0 };
  /** What the rows were read from: the next answer has the differences to it. */
  #read: { readonly revision: string; readonly head: RowsHead; readonly headText: string } | undefined;
  readonly #listeners = new Set<() => void>();
  #loading: Promise<void> | null = null;
  #isReloadDue = false;
  /** What the stream has sent of commits that are not taken yet, and what of it is due. */
  #streamed: StreamedFlags[] = [];
  readonly #due: StreamedFlags[] = [];
  #isFollowing = false;

  get = () => this.#state;

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    if (!this.#isFollowing) {
      this.#isFollowing = true;
      onCommit(
        gathering<Commit | 'everything'>(FOLLOWS_EVERY_MS, async (commits) => {
          if (commits.some(changesManyRows)) await this.reload();
          else if (commits.some(changesRows)) await this.#takeStreamed();
        }),
      );
      onFlags((flags) => {
        this.#streamed = this.#streamed.length < STREAMED_MAX ? [...this.#streamed, flags] : [null];
      });
      void this.reload();
    }
    return () => this.#listeners.delete(listener);
  };

  find = (name: string) => this.#state.rows[indexOfName(this.#state.rows, name)];

  /** Shows a change before the server confirmed it; returns a function that shows the earlier state again. */
  patch = (name: string, change: Partial<FlagRow>) => {
    const before = this.find(name);
    if (!before) return () => undefined;
    this.#change(new Map([[name, { ...before, ...change }]]));
    return () => {
      const now = this.find(name);
      const fields = Object.keys(change) as (keyof FlagRow)[];
      // A newer state that arrived in between stays.
      if (!now || fields.some((field) => now[field] !== change[field])) return;
      this.#change(new Map([[name, { ...now, ...Object.fromEntries(fields.map((field) => [field, before[field]])) }]]));
    };
  };

  /** Reads what has changed; all, if that is not known. What is read already when it is called may be older, so it is read once more. */
  reload = (): Promise<void> => {
    this.#isReloadDue = true;
    return this.#work();
  };

  #takeStreamed(): Promise<void> {
    this.#due.push(...this.#streamed.splice(0));
    return this.#work();
  }

  #work(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** The first view is shown only when the rows are there: they are made of the answer in slices. */
  async #load(): Promise<void> {
    loadStarted();
    try {
      await this.#loadAll();
    } finally {
      loadEnded();
    }
  }

  async #loadAll(): Promise<void> {
    while (this.#isReloadDue || this.#due.length > 0) {
      if (!this.#isReloadDue) {
        await this.#takeDifferences(this.#due.shift() ?? null);
        continue;
      }
      this.#isReloadDue = false;
      // The answer has what was streamed until now.
      this.#streamed.length = 0;
      this.#due.length = 0;
      try {
        const { answer, revision } = await readIndex('details', this.#read?.revision);
        await this.#take(answer, revision);
      } catch (error) {
        this.#publish({ failure: error instanceof Failure ? error : unreachable() });
      }
    }
  }

  /** Differences fit what is there, unless a read failed, so that others are missing, or the person sees other projects than before. */
  async #takeDifferences(streamed: StreamedFlags): Promise<void> {
    const known = this.#read?.revision ?? '';
    if (!streamed || this.#state.failure || sightOf(streamed.revision) !== sightOf(known)) this.#isReloadDue = true;
    else if (seqOf(streamed.revision) > seqOf(known)) await this.#take(streamed, streamed.revision);
  }

  async #take(answer: IndexAnswer, revision: string): Promise<void> {
    const headText = JSON.stringify([answer.environments, answer.types, answer.lifetimes]);
    const isSame = headText === this.#read?.headText;
    const head = isSame && this.#read ? this.#read.head : headOf(answer);
    const favorites = new Set(answer.favorites);
    let rows = await inSlices(rowsAfter(() => this.#state.rows, answer, rowsOf(head, answer, favorites)));
    if (!isSame || rows.some((row) => row.favorite !== favorites.has(row.name)))
      rows = rows.map((row) => ({ ...row, head, favorite: favorites.has(row.name) }));
    this.#read = { head, headText, revision };
    this.#publish({ rows, isComplete: true, failure: null, readMs: Date.now() });
  }

  #change(changes: ReadonlyMap<string, FlagRow | null>): void {
    this.#publish({ rows: withChanges(this.#state.rows, changes) });
  }

  #publish(change: Partial<FlagRowsState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of [...this.#listeners]) listener();
  }
}

export const flagRows = new FlagRows();

export const useFlagRows = (): FlagRowsState => useSyncExternalStore(flagRows.subscribe, flagRows.get);
