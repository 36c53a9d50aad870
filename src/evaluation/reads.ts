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

/** Reads these fields, and may draw. Equal ones are one object: most flags read the same few fields. */
export function reading(fields: readonly string[], draws = false): Reads {
  if (fields.length === 0) return draws ? CHANCE : NOTHING;
  const sorted = [...new Set(fields)].sort();
  return kept.get(JSON.stringify([draws, sorted]), () => Object.freeze({ fields: Object.freeze(sorted), draws }));
}

/** What any of them reads. */
export function readingAll(parts: readonly Reads[]): Reads {
  let only = NOTHING;
  let isOne = true;
  for (const part of parts) {
    if (part === NOTHING || part === only) continue;
    if (only !== NOTHING) isOne = false;
    only = part;
  }
  if (isOne) return only;
  return reading(
    parts.flatMap(({ fields }) => fields),
    parts.some(({ draws }) => draws),
  );
}
