import { collectionOf } from '../state/collections.ts';
import type { AppliedCommit } from '../state/state.ts';

/**
 * The most bytes that commits may add to the log before a snapshot is due. Only entities of collections with `Collection.weigh` count. A commit
 * contains complete entities, so a comment on a large change request writes the complete change request again.
 */
const LOGGED_BYTES_MAX = 256_000_000;

/**
 * The most entities that large commits may add to the log before a snapshot is due. The size of the entities does not matter. For example, one commit
 * adds an environment to a project of ten thousand flags. Reading this commit at a start takes as long as reading a snapshot of these flags.
 */
const LOGGED_ENTITIES_MAX = 10_000;

/**
 * Measures how much data a start must read after the newest snapshot, in addition to the number of commits. Commits that were read at this start
 * count as well, because the next start must read them again.
 */
export class LogWeight {
  #bytes = 0;
  #entities = 0;

  /** Whether a snapshot is due, even after few commits. */
  get isSnapshotDue(): boolean {
    return this.#bytes >= LOGGED_BYTES_MAX || this.#entities >= LOGGED_ENTITIES_MAX;
  }

  /** Counts a commit that is in the log. */
  add({ changes, bulk }: AppliedCommit): void {
    for (const { collection, after } of bulk?.changesExceptFlags ?? changes) {
      const { weigh } = collectionOf(collection) as { readonly weigh: ((entity: object) => number) | null };
      if (weigh && after) this.#bytes += weigh(after);
    }
    if (bulk) this.#entities += changes.length;
  }

  /** Called when a snapshot is taken that covers everything counted so far. */
  clear(): void {
    this.#bytes = 0;
    this.#entities = 0;
  }

  /** Replaces the counts by those of a state that has replaced the counted one. */
  copyFrom(other: LogWeight): void {
    this.#bytes = other.#bytes;
    this.#entities = other.#entities;
  }
}
