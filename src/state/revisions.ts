/** Names contain no "/" (UrlSafeName), so the key is unambiguous. */
export type PartitionKey = `${string}/${string}`;

export function partitionKey(environment: string, project: string): PartitionKey {
  return `${environment}/${project}`;
}

/** The history of the commits from this number on. After a refill, copy or restore, a new history with another mark begins. */
export interface Chapter {
  readonly from: number;
  readonly mark: string;
}

/** Maximum number of stored chapters. Older chapters are dropped. A revision that has not changed since such a chapter then has no mark. */
const CHAPTERS_MAX = 64;

/**
 * For every partition (environment × project) the sequence number of the last commit with a change that its clients can see. ETags contain these
 * revisions. They depend only on the log, so they are equal on all replicas; they are stored in snapshots, so they survive a restart. A removed
 * partition keeps its revision: the revision of a scope that included it must never decrease.
 */
export class Revisions {
  readonly #partitions = new Map<PartitionKey, number>();
  readonly #environments = new Map<string, number>();
  #chapters: readonly Chapter[] = [];

  /** Revision of one partition; 0 if it was never touched. */
  partition(environment: string, project: string): number {
    return this.#partitions.get(partitionKey(environment, project)) ?? 0;
  }

  /** The newest revision among all partitions of the environment. */
  environment(environment: string): number {
    return this.#environments.get(environment) ?? 0;
  }

  /** Only increases a revision: replaying older commits over a newer snapshot must not decrease it. */
  touch(key: PartitionKey, seq: number): void {
    if ((this.#partitions.get(key) ?? 0) < seq) this.#partitions.set(key, seq);
    const environment = key.slice(0, key.indexOf('/'));
    if (this.environment(environment) < seq) this.#environments.set(environment, seq);
  }

  /**
   * The history that the revision belongs to; "" for a store whose history is never replaced. After a loss of commits their numbers are used
   * again, so a content is identified only by number and mark together.
   */
  mark(revision: number): string {
    return this.#chapters.findLast(({ from }) => from <= revision)?.mark ?? '';
  }

  /** The commit `seq` and later commits belong to the history with this mark. */
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
