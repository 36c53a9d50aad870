import { Fifo } from '../../base/queues/fifo.ts';
import { type SmallSet, valuesOf, withValue } from '../../base/small-set.ts';
import type { Scope } from '../../model/caller.ts';
import { covers } from '../../model/caller.ts';
import type { Feature } from '../../model/feature.ts';
import { type PartitionKey, partitionKey } from '../../state/revisions.ts';
import type { AppliedCommit } from '../../state/state.ts';

/**
 * Default number of remembered commits, and maximum number of flag and segment names in all of them. A client with an older revision gets the whole
 * list.
 */
export const DELTA_COMMITS = 1_024;
const NAMES_MAX = 65_536;

/** Maximum number of changed flags and segments that are sent as changes. If more have changed, the client gets the whole list. */
const SENT_NAMES_MAX = 1_024;

/** Every write creates one entry, and about a thousand entries are kept. So most commits share the same empty arrays. */
interface Entry {
  readonly seq: number;
  readonly touched: readonly PartitionKey[];
  /**
   * Names and projects of changed flags, alternating: name, project, name, project. A flag that moved has two pairs: its new project and its old
   * project.
   */
  readonly flags: readonly string[];
  /** Ids of segments that may have changed, and of segments that flags may have begun or stopped to use. */
  readonly segments: readonly number[];
  /** Ids of projects whose changes are not listed by name. Their clients get the whole list. */
  readonly unlistedProjects: readonly string[];
}

const NO_PROJECTS: readonly string[] = [];

/** The flags and segments that may differ between two revisions of a scope. */
export interface ChangedNames {
  /** Flag name → the project in which the flag was last seen. */
  readonly flags: ReadonlyMap<string, string>;
  readonly segments: ReadonlySet<number>;
}

/**
 * The names of the flags and segments that the last commits changed for clients. With them a list can be updated from one revision to a newer one
 * without a comparison of the two lists. The size is bounded: for a revision older than the stored commits, `since` returns null.
 */
export class ChangeRing {
  readonly #entries = new Fifo<Entry>();
  readonly #entriesMax: number;
  #names = 0;
  /** Sequence number of a commit. The entries contain all changes after it. */
  #floor: number;

  constructor(seq: number, entriesMax = DELTA_COMMITS) {
    this.#floor = seq;
    this.#entriesMax = entriesMax;
  }

  note({ commit, changes, bulk }: AppliedCommit): void {
    if (commit.touched.length === 0) return;
    const flags: string[] = [];
    let segments: SmallSet<number>;
    let unlistedProjects: Set<string> | undefined = bulk ? new Set(bulk.projects) : undefined;
    for (const change of bulk?.changesExceptFlags ?? changes) {
      if (change.collection === 'segments') segments = withValue(segments, Number(change.key));
      // A changed project may change all its flags for clients.
      else if (change.collection === 'projects') unlistedProjects = (unlistedProjects ?? new Set()).add(change.key);
      else if (change.collection === 'features') {
        const { before, after } = change;
        if (after) flags.push(after.name, after.project);
        if (before && before.project !== after?.project) flags.push(before.name, before.project);
        if (before) segments = withSegments(segments, before);
        if (after) segments = withSegments(segments, after);
      }
    }
    const entry: Entry = {
      seq: commit.seq,
      touched: commit.touched,
      flags,
      segments: valuesOf(segments),
      unlistedProjects: unlistedProjects ? [...unlistedProjects] : NO_PROJECTS,
    };
    this.#entries.push(entry);
    this.#names += namesIn(entry);
    while (this.#entries.length > this.#entriesMax || this.#names > NAMES_MAX) this.#forgetOldest();
  }

  /**
   * The flags and segments of the scope that may have changed after `revision`. Null when the ring no longer has these commits, when too many flags
   * and segments changed, or when a commit changed a project of the scope in a way that is not listed by name.
   */
  since(revision: number, scope: Scope): ChangedNames | null {
    if (revision < this.#floor) return null;
    const flags = new Map<string, string>();
    const segments = new Set<number>();
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      const entry = this.#entries.at(index) as Entry;
      if (entry.seq <= revision) break;
      if (!touches(entry, scope)) continue;
      for (const project of entry.unlistedProjects) if (covers(scope, project)) return null;
      for (let at = 0; at < entry.flags.length; at += 2) {
        const [name, project] = [entry.flags[at] as string, entry.flags[at + 1] as string];
        if (covers(scope, project) && !flags.has(name)) flags.set(name, project);
      }
      for (const id of entry.segments) segments.add(id);
      if (flags.size + segments.size > SENT_NAMES_MAX) return null;
    }
    return { flags, segments };
  }

  #forgetOldest(): void {
    const oldest = this.#entries.shift() as Entry;
    this.#names -= namesIn(oldest);
    this.#floor = oldest.seq;
  }
}

function namesIn({ flags, segments }: Entry): number {
  return flags.length / 2 + segments.length;
}

function touches({ touched }: Entry, { environment, projects }: Scope): boolean {
  if (projects === null) {
    for (const key of touched) if (key.startsWith(`${environment}/`)) return true;
    return false;
  }
  for (const project of projects) if (touched.includes(partitionKey(environment, project))) return true;
  return false;
}

/** Adds the segments of a flag that was added, removed or changed: it may be the only flag that uses them. */
function withSegments(known: SmallSet<number>, { environments }: Feature): SmallSet<number> {
  let segments = known;
  for (const { strategies } of environments)
    for (const { segments: ids } of strategies) for (const id of ids) segments = withValue(segments, id);
  return segments;
}
