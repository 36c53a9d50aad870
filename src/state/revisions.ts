/** Names contain no "/" (UrlSafeName), so this is unambiguous. */
export type PartitionKey = `${string}/${string}`;

export function partitionKey(environment: string, project: string): PartitionKey {
  return `${environment}/${project}`;
}

/** From this number on, commits belong to this history: what was refilled, copied or restored goes on under another mark. */
export interface Chapter {
  readonly from: number;
  readonly mark: string;
}

/** Chapters that are remembered. With older ones go the marks of revisions that nothing has changed since. */
const CHAPTERS_MAX = 64;

/**
 * For every partition (environment × project) the sequence number of the last commit that changed what its clients can see. ETags are
 * made of these. They are a function of the log alone, so every replica has the same ones; they are kept in snapshots, so a restart has
 * them too. A removed partition keeps its revision: the scopes that saw it must still move forward, never back.
 */
export class Revisions {
  readonly #partitions = new Map<PartitionKey, number>();
  readonly #environments = new Map<string, number>();
  #chapters: readonly Chapter[] = [];

  /** Revision of one partition; 0 when nothing was ever visible in it. */
  partition(environment: string, project: string): number {
    return this.#partitions.get(partitionKey(environment, project)) ?? 0;
  }

  /** The newest revision among all partitions of the environment. */
  environment(environment: string): number {
    return this.#environments.get(environment) ?? 0;
  }

  /** Only ever forward: replaying older commits over a newer snapshot must not turn a revision back. */
  touch(key: PartitionKey, seq: number): void {
    if ((this.#partitions.get(key) ?? 0) < seq) this.#partitions.set(key, seq);
    const environment = key.slice(0, key.indexOf('/'));
    if (this.environment(environment) < seq) this.#environments.set(environment, seq);
  }

  /**
   * Which history the revision belongs to; "" for a store whose history is never replaced. After commits were lost, their numbers are given
   * again: only number and mark together identify a content.
   */
  mark(revision: number): string {
    return this.#chapters.findLast(({ from }) => from <= revision)?.mark ?? '';
  }

  /** The commit `seq` and those that follow belong to the history of this mark. */
  begin(seq: number, mark: string): void {
    if (mark === (this.#chapters.at(-1)?.mark ?? '')) return;
    this.#chapters = [...this.#chapters.filter(({ from }) => from < seq), { from: seq, mark }].slice(-CHAPTERS_MAX);
  }

  get chapters(): readonly Chapter[] {
    return this.#chapters;
  }

  entries(): [PartitionKey, number][] {
    return [...this.#partitions];
  }

  load(entries: Iterable<readonly [PartitionKey, number]>, chapters: readonly Chapter[] = []): void {
    this.#chapters = chapters;
    for (const [key, revision] of entries) this.touch(key, revision);
  }
}
