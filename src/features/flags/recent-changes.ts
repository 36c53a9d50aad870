import { Fifo } from '../../base/queues/fifo.ts';
import type { Replica } from '../../engine/replica.ts';
import type { AppliedChange, AppliedCommit, State } from '../../state/state.ts';
import type { Moment } from '../../views/client/list-moment.ts';

/** Maximum number of changes that are kept, and of the changes of one commit. */
const CHANGES_MAX = 20_000;
const COMMIT_CHANGES_MAX = 10_000;

/** If more flags changed, reading all flags is not much slower than finding the changed ones. */
const FLAGS_MAX = 10_000;

/** The collections from which flags are indexed. */
type NotedName = 'features' | 'lifecycles' | 'projects' | 'environments';

interface Noted {
  readonly seq: number;
  readonly collection: NotedName;
  readonly key: string;
  /** The project that contained the flag before the change; null if the flag did not exist, or if it is no flag. */
  readonly project: string | null;
}

/** What changed since a moment. */
export interface ChangesSince {
  /** The names of flags, with the project that contained each of them at that moment: null if it did not exist. */
  readonly flags: ReadonlyMap<string, string | null>;
  /** Flags whose stage changed. */
  readonly stages: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
  /** Whether environments changed. */
  readonly environments: boolean;
}

/**
 * The last changes of what flags are indexed by: the search and the index of flags follow the state with it, when they are asked, so that a commit does no
 * more than note what it changed. Nothing is noted before the first question.
 */
export class RecentChanges {
  readonly #state: State;
  readonly #noted = new Fifo<Noted>();
  /** All changes after this commit are kept. Undefined: nothing was asked yet. */
  #floor: number | undefined;
  /** The last commit that changed rows of flags which it does not name, or who sees the flags of a project. */
  #manyRowsSeq = 0;

  constructor(replica: Replica) {
    this.#state = replica.state;
    replica.onApplied((applied) => this.#note(applied));
    replica.onReplaced(() => {
      if (this.#floor !== undefined) this.#restart(this.#state.seq);
    });
  }

  /** Begins to note changes. */
  follow(): void {
    if (this.#floor === undefined) this.#restart(this.#state.seq);
  }

  /** Undefined if the changes are not known, or if they are of more than `flagsMax` flags. */
  since(moment: Moment | undefined, flagsMax = FLAGS_MAX): ChangesSince | undefined {
    this.follow();
    if (moment?.generation !== this.#state.generation || moment.seq < (this.#floor as number)) return undefined;
    const { seq } = moment;
    const [flags, stages, projects] = [new Map<string, string | null>(), new Set<string>(), new Set<string>()];
    let environments = false;
    const noted = this.#noted;
    for (let index = noted.length - 1; index >= 0; index--) {
      const change = noted.at(index) as Noted;
      if (change.seq <= seq) break;
      if (change.collection === 'features') flags.set(change.key, change.project);
      else if (change.collection === 'lifecycles') stages.add(change.key);
      else if (change.collection === 'projects') projects.add(change.key);
      else environments = true;
      if (flags.size > flagsMax) return undefined;
    }
    return { flags, stages, projects, environments };
  }

  /** Whether the rows of all flags that the commits after this moment do not name are as they were, and seen by the same callers. */
  keepsOtherRows({ seq }: Moment): boolean {
    return seq >= this.#manyRowsSeq;
  }

  #note({ commit: { seq }, changes, bulk }: AppliedCommit): void {
    if (this.#floor === undefined) return;
    const isTooMuch = changes.length > COMMIT_CHANGES_MAX;
    if (isTooMuch || (bulk?.changesExceptFlags ?? changes).some(changesManyRows)) this.#manyRowsSeq = seq;
    if (isTooMuch) this.#restart(seq);
    for (const { collection, key, before } of isTooMuch ? [] : changes) {
      if (collection === 'features') this.#noted.push({ seq, collection, key, project: before?.project ?? null });
      else if (collection === 'lifecycles' || collection === 'projects' || collection === 'environments')
        this.#noted.push({ seq, collection, key, project: null });
    }
    while (this.#noted.length > CHANGES_MAX) this.#floor = this.#noted.shift()?.seq ?? seq;
  }

  #restart(seq: number): void {
    this.#noted.clear();
    this.#floor = seq;
    this.#manyRowsSeq = seq;
  }
}

/** Whether the change alters rows of flags that the commit does not name, or who sees a project's flags. */
function changesManyRows({ collection, before, after }: AppliedChange): boolean {
  if (collection === 'environments') return !before || !after;
  if (collection !== 'projects' || !before) return false;
  if (!after || (before.mode === 'private') !== (after.mode === 'private')) return true;
  return [...before.environments].sort().join('\n') !== [...after.environments].sort().join('\n');
}
