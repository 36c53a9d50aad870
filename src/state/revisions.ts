/** Names contain no "/" (UrlSafeName), so the key is unambiguous. */
export type PartitionKey = `${string}/${string}`;

export function partitionKey(environment: string, project: string): PartitionKey {
  return `${environment}/${project}`;
}

/**
 * The commits from the number `from` on belong to the epoch with this mark. After a refill, copy or restore, a new epoch with another mark begins.
 */
export interface Chapter {
  readonly from: number;
  readonly mark: string;
}

/** Maximum number of stored chapters. Older chapters are dropped: then a revision that belongs to a dropped chapter has no mark. */
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

  /** Increases the revision of the partition to `seq`. Never decreases it: a recovery replays older commits over a newer snapshot. */
  touch(key: PartitionKey, seq: number): void {
    if ((this.#partitions.get(key) ?? 0) < seq) this.#partitions.set(key, seq);
    const environment = key.slice(0, key.indexOf('/'));
    if (this.environment(environment) < seq) this.#environments.set(environment, seq);
  }

  /**
   * The mark of the epoch that the revision belongs to; "" for a store whose history is never replaced. After a loss of commits, new commits get the
   * lost numbers. So only number and mark together identify a content.
   */
  mark(revision: number): string {
    return this.#chapters.findLast(({ from }) => from <= revision)?.mark ?? '';
  }

  /** Records that the commit `seq` and later commits belong to the epoch with this mark. */
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

  load(entries: Iterable<readonly [PartitionKey, number]>, chapters: readonly Chapter[]): void {
    this.#chapters = chapters;
    for (const [key, revision] of entries) this.touch(key, revision);
  }
}
