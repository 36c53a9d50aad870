import { Fifo } from '../../base/queues/fifo.ts';
import type { Scope } from '../../model/caller.ts';
import { covers } from '../../model/caller.ts';
import type { Feature } from '../../model/feature.ts';
import { type PartitionKey, partitionKey } from '../../state/revisions.ts';
import type { AppliedCommit } from '../../state/state.ts';

/** Commits that are remembered by default, and names of flags in all of them. A client that is further behind gets the whole list. */
export const DELTA_COMMITS = 1_024;
const NAMES_MAX = 65_536;

/** Names that are sent at a time: a client that lacks more gets the whole list sooner. */
const SENT_NAMES_MAX = 1_024;

/** A thousand of them are kept, and one is made with every write: nothing in it that most commits leave empty. */
interface Entry {
  readonly seq: number;
  readonly touched: readonly PartitionKey[];
  /** Flags that may be others, each name with the project it is in behind it; and with the one it left. */
  readonly flags: readonly string[];
  /** Segments that may be others, or used or not used any more. */
  readonly segments: readonly number[];
  /** Projects of which more changed than is remembered. */
  readonly whole: readonly string[];
}

const NO_SEGMENTS: readonly number[] = [];
const NO_PROJECTS: readonly string[] = [];

/** What may differ between two revisions of a scope. */
export interface ChangedNames {
  /** Name → project where the flag was last seen. */
  readonly flags: ReadonlyMap<string, string>;
  readonly segments: ReadonlySet<number>;
}

/**
 * What the last commits changed for clients, by name: enough to bring a list from one revision to a newer one without comparing them. Bounded;
 * what is forgotten is known to be (`since` answers null).
 */
export class ChangeRing {
  readonly #entries = new Fifo<Entry>();
  readonly #entriesMax: number;
  #names = 0;
  /** Everything that was touched after this commit is in the entries. */
  #floor: number;

  constructor(seq: number, entriesMax = DELTA_COMMITS) {
    this.#floor = seq;
    this.#entriesMax = entriesMax;
  }

  note({ commit, changes, bulk }: AppliedCommit): void {
    if (commit.touched.length === 0) return;
    const flags: string[] = [];
    let segments: Ids;
    let whole: Set<string> | undefined = bulk ? new Set(bulk.projects) : undefined;
    for (const change of bulk?.others ?? changes) {
      if (change.collection === 'segments') segments = withId(segments, Number(change.key));
      else if (change.collection === 'projects') whole = (whole ?? new Set()).add(change.key);
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
      segments: listOf(segments),
      whole: whole ? [...whole] : NO_PROJECTS,
    };
    this.#entries.push(entry);
    this.#names += namesIn(entry);
    while (this.#entries.length > this.#entriesMax || this.#names > NAMES_MAX) this.#forgetOldest();
  }

  /** What may differ for the scope after `revision`; null when that is not known any more, or is too much to send. */
  since(revision: number, scope: Scope): ChangedNames | null {
    if (revision < this.#floor) return null;
    const flags = new Map<string, string>();
    const segments = new Set<number>();
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      const entry = this.#entries.at(index) as Entry;
      if (entry.seq <= revision) break;
      if (!touches(entry, scope)) continue;
      for (const project of entry.whole) if (covers(scope, project)) return null;
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
    const oldest = this.#entries.shift();
    if (!oldest) return;
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

/** A flag that comes, goes or changes may be the only one that uses a segment. */
function withSegments(known: Ids, { environments }: Feature): Ids {
  let segments = known;
  for (const { strategies } of environments)
    for (const { segments: ids } of strategies) for (const id of ids) segments = withId(segments, id);
  return segments;
}

/** Each once. */
type Ids = number[] | Set<number> | undefined;

/** Ids that are looked through: a set of few costs more, and one is made with every write. */
const LISTED_IDS_MAX = 16;

function withId(ids: Ids, id: number): Ids {
  if (!ids) return [id];
  if (!Array.isArray(ids)) return ids.add(id);
  if (ids.includes(id)) return ids;
  if (ids.length === LISTED_IDS_MAX) return new Set(ids).add(id);
  ids.push(id);
  return ids;
}

function listOf(ids: Ids): readonly number[] {
  if (!ids) return NO_SEGMENTS;
  return Array.isArray(ids) ? ids : [...ids];
}
