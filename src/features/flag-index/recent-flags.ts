import { Fifo } from '../../base/queues/fifo.ts';
import type { AppliedChange, AppliedCommit } from '../../state/state.ts';

/** Maximum number of changes that are kept, and of the changes of one commit. */
const CHANGES_MAX = 20_000;
const COMMIT_CHANGES_MAX = 2_000;

interface ChangedFlag {
  readonly seq: number;
  readonly name: string;
  /** The project that contained the flag before the change; null if the flag did not exist. */
  readonly project: string | null;
}

/** Which flags the last commits changed. Their number is bounded. */
export class RecentFlags {
  readonly #changes = new Fifo<ChangedFlag>();
  /** All changes after this commit are kept. */
  #floor: number;

  constructor(seq: number) {
    this.#floor = seq;
  }

  note({ commit: { seq }, changes }: AppliedCommit): void {
    const isTooMuch = changes.length > COMMIT_CHANGES_MAX;
    if (isTooMuch || changes.some(changesManyRows)) this.restart(seq);
    for (const { collection, key, before } of isTooMuch ? [] : changes)
      if (collection === 'features') this.#changes.push({ seq, name: key, project: before?.project ?? null });
    while (this.#changes.length > CHANGES_MAX) this.#floor = this.#changes.shift()?.seq ?? seq;
  }

  /** Forgets all changes: they are not enough to get from an earlier state to this one. */
  restart(seq: number): void {
    this.#changes.clear();
    this.#floor = seq;
  }

  /**
   * The flags that changed after the commit, with the project that contained each of them at that time: null if it did not exist. Undefined if they are
   * not known, or are more than `flagsMax`.
   */
  since(seq: number, flagsMax: number): Map<string, string | null> | undefined {
    if (seq < this.#floor) return undefined;
    const found = new Map<string, string | null>();
    for (let index = this.#changes.length - 1; index >= 0; index--) {
      const change = this.#changes.at(index) as ChangedFlag;
      if (change.seq <= seq) break;
      found.set(change.name, change.project);
      if (found.size > flagsMax) return undefined;
    }
    return found;
  }
}

/** Whether the change alters rows of flags that the commit does not name, or who sees a project's flags. */
function changesManyRows({ collection, before, after }: AppliedChange): boolean {
  if (collection === 'environments') return !before || !after;
  if (collection !== 'projects' || !before) return false;
  if (!after || (before.mode === 'private') !== (after.mode === 'private')) return true;
  return [...before.environments].sort().join('\n') !== [...after.environments].sort().join('\n');
}
