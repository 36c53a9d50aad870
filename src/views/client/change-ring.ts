import type { Scope } from '../../model/caller.ts';
import { covers } from '../../model/caller.ts';
import type { Feature } from '../../model/feature.ts';
import { type PartitionKey, partitionKey } from '../../state/revisions.ts';
import type { AppliedCommit } from '../../state/state.ts';

/** Commits that are remembered, and names of flags in all of them. Who is further behind gets the whole list. */
const ENTRIES_MAX = 1_024;
const NAMES_MAX = 65_536;

interface Entry {
  readonly seq: number;
  readonly touched: ReadonlySet<PartitionKey>;
  /** Flags that may be others, with the project they are in; and with the one they left. */
  readonly flags: readonly (readonly [name: string, project: string])[];
  /** Segments that may be others, or used or not used any more. */
  readonly segments: ReadonlySet<number>;
  /** Projects of which more changed than is remembered. */
  readonly whole: ReadonlySet<string>;
}

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
  readonly #entries: Entry[] = [];
  #names = 0;
  /** Everything that was touched after this commit is in the entries. */
  #floor: number;

  constructor(seq: number) {
    this.#floor = seq;
  }

  note({ commit, changes, bulk }: AppliedCommit): void {
    if (commit.touched.length === 0) return;
    const flags: (readonly [string, string])[] = [];
    const segments = new Set<number>();
    const whole = new Set<string>(bulk?.projects);
    for (const change of bulk?.others ?? changes) {
      if (change.collection === 'segments') segments.add(Number(change.key));
      else if (change.collection === 'projects') whole.add(change.key);
      else if (change.collection === 'features') {
        const { before, after } = change;
        if (after) flags.push([after.name, after.project]);
        if (before && before.project !== after?.project) flags.push([before.name, before.project]);
        for (const feature of [before, after]) if (feature) addSegments(segments, feature);
      }
    }
    this.#entries.push({ seq: commit.seq, touched: new Set(commit.touched), flags, segments, whole });
    this.#names += flags.length + segments.size;
    while (this.#entries.length > ENTRIES_MAX || this.#names > NAMES_MAX) this.#forgetOldest();
  }

  /** What may differ for the scope after `revision`; null when that is not known any more. */
  since(revision: number, scope: Scope): ChangedNames | null {
    if (revision < this.#floor) return null;
    const flags = new Map<string, string>();
    const segments = new Set<number>();
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      const entry = this.#entries[index] as Entry;
      if (entry.seq <= revision) break;
      if (!touches(entry, scope)) continue;
      for (const project of entry.whole) if (covers(scope, project)) return null;
      for (const [name, project] of entry.flags)
        if (covers(scope, project) && !flags.has(name)) flags.set(name, project);
      for (const id of entry.segments) segments.add(id);
    }
    return { flags, segments };
  }

  #forgetOldest(): void {
    const oldest = this.#entries.shift();
    if (!oldest) return;
    this.#names -= oldest.flags.length + oldest.segments.size;
    this.#floor = oldest.seq;
  }
}

function touches({ touched }: Entry, { environment, projects }: Scope): boolean {
  if (projects === null) {
    for (const key of touched) if (key.startsWith(`${environment}/`)) return true;
    return false;
  }
  for (const project of projects) if (touched.has(partitionKey(environment, project))) return true;
  return false;
}

/** A flag that comes, goes or changes may be the only one that uses a segment. */
function addSegments(segments: Set<number>, { environments }: Feature): void {
  for (const { strategies } of environments)
    for (const { segments: ids } of strategies) for (const id of ids) segments.add(id);
}
