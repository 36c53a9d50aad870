import { collectionOf } from '../state/collections.ts';
import type { AppliedCommit } from '../state/state.ts';

/**
 * What commits may put into the log, of collections whose entities weigh something (`Collection.weigh`), before a snapshot is due: a commit holds whole
 * entities, so a remark on a large change request writes all of it once more.
 */
const LOGGED_BYTES_MAX = 256_000_000;

/**
 * Entities that large commits may put into the log before a snapshot is due, whatever they weigh: to give a project of ten thousand flags an environment is
 * one commit, which a start reads as long as it reads a snapshot of them.
 */
const LOGGED_ENTITIES_MAX = 10_000;

/** How much a start has to read behind the newest snapshot, beside the number of commits. What a start has read counts, too: the next one reads it again. */
export class LogWeight {
  #bytes = 0;
  #entities = 0;

  /** Whether a snapshot is due, however few commits that took. */
  get isMuch(): boolean {
    return this.#bytes >= LOGGED_BYTES_MAX || this.#entities >= LOGGED_ENTITIES_MAX;
  }

  /** Adds a commit of the log. */
  add({ changes, bulk }: AppliedCommit): void {
    for (const { collection, after } of bulk?.others ?? changes) {
      const { weigh } = collectionOf(collection) as { readonly weigh: ((entity: object) => number) | null };
      if (weigh && after) this.#bytes += weigh(after);
    }
    if (bulk) this.#entities += changes.length;
  }

  /** A snapshot is taken of everything until now. */
  clear(): void {
    this.#bytes = 0;
    this.#entities = 0;
  }

  /** Takes the counts of another state, which has replaced the previous one. */
  takeFrom(other: LogWeight): void {
    this.#bytes = other.#bytes;
    this.#entities = other.#entities;
  }
}
