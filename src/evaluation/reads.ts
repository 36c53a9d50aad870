import { Interner } from './interner.ts';

/**
 * What an answer depends on beside the definition. Contexts whose values for `fields` are equal get equal answers, unless `draws`: then chance
 * decides, too. A context with a sessionId is taken for granted: the frontend fills it in, so stickiness `default` never draws there.
 */
export interface Reads {
  /** Names of context fields, sorted. A name stands for the well-known field and for the property. */
  readonly fields: readonly string[];
  readonly draws: boolean;
}

/** The same for every context. */
export const NOTHING: Reads = Object.freeze({ fields: Object.freeze([]), draws: false });

export const CHANCE: Reads = Object.freeze({ fields: Object.freeze([]), draws: true });

const kept = new Interner<Reads>();

const single = new Interner<Reads>();

/** Reads one field. */
export function readingField(name: string): Reads {
  return single.get(name, () => reading([name]));
}

/** Reads these fields, and may draw. Equal ones are one object: most flags read the same few fields. */
export function reading(fields: readonly string[], draws = false): Reads {
  if (fields.length === 0) return draws ? CHANCE : NOTHING;
  const sorted = [...new Set(fields)].sort();
  return kept.get(JSON.stringify([draws, sorted]), () => Object.freeze({ fields: Object.freeze(sorted), draws }));
}

/** What any of them reads. */
export function readingAll(parts: readonly Reads[]): Reads {
  let all = NOTHING;
  for (const part of parts) all = readingBoth(all, part);
  return all;
}

/** Unions that were made: flags read the same few combinations. */
const unions = new WeakMap<Reads, WeakMap<Reads, Reads>>();

/** What either of them reads. */
export function readingBoth(one: Reads, other: Reads): Reads {
  if (other === one || other === NOTHING) return one;
  if (one === NOTHING) return other;
  let ofOne = unions.get(one);
  if (ofOne === undefined) {
    ofOne = new WeakMap();
    unions.set(one, ofOne);
  }
  let both = ofOne.get(other);
  if (both === undefined) {
    both = reading([...one.fields, ...other.fields], one.draws || other.draws);
    ofOne.set(other, both);
  }
  return both;
}
