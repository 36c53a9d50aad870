import type { Rejection } from '../../../base/rejection.ts';
import type { Attributes } from './attributes.ts';
import type { Doc } from './matching.ts';
import { invalidScim } from './protocol.ts';
import type { Draft } from './values.ts';

/** Maximum number of names in `attributes` or `excludedAttributes`. */
const NAMES_MAX = 100;

/** Attributes that every answer has. */
const ALWAYS = ['schemas', 'id'];

/** Which attributes an answer has: RFC 7644, 3.9. */
export interface Projection {
  shows(name: string): boolean;
  /** The value without the sub-attributes that were not asked for. */
  part(name: string, value: unknown): unknown;
}

export const EVERYTHING: Projection = { shows: () => true, part: (_name, value) => value };

/** The projection for the lists of names. Unknown names have no effect. */
export function projectionOf(
  attributes: Attributes,
  wanted: readonly string[],
  excluded: readonly string[],
): Projection | Rejection {
  if (wanted.length > NAMES_MAX || excluded.length > NAMES_MAX)
    return invalidScim('invalidValue', `A list of attributes has at most ${NAMES_MAX} names.`);
  if (wanted.length === 0 && excluded.length === 0) return EVERYTHING;
  const names = namesIn(attributes, wanted.length > 0 ? wanted : excluded);
  if (wanted.length > 0) {
    return {
      shows: (name) => ALWAYS.includes(name) || names.has(name),
      part: (name, value) => withParts(value, names.get(name), true),
    };
  }
  return {
    shows: (name) => ALWAYS.includes(name) || names.get(name) !== 'whole',
    part: (name, value) => withParts(value, names.get(name), false),
  };
}

type Parts = 'whole' | Set<string>;

/** Attribute → the sub-attributes that the list names, in lower case. */
function namesIn(attributes: Attributes, paths: readonly string[]): ReadonlyMap<string, Parts> {
  const names = new Map<string, Parts>();
  for (const path of paths) {
    const [name, sub] = attributes.split(path.trim());
    const attribute = attributes.find(name);
    if (attribute === 'unstored' || attribute === undefined) continue;
    const known = names.get(attribute.name);
    if (sub === undefined || known === 'whole') names.set(attribute.name, 'whole');
    else names.set(attribute.name, (known ?? new Set<string>()).add(sub.toLowerCase()));
  }
  return names;
}

function withParts(value: unknown, parts: Parts | undefined, isWanted: boolean): unknown {
  if (!(parts instanceof Set)) return value;
  if (Array.isArray(value)) return value.map((one) => withParts(one, parts, isWanted));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => parts.has(name.toLowerCase()) === isWanted));
}

/** The document with the attributes that the projection shows. */
export function projected(doc: Doc, projection: Projection): Doc {
  if (projection === EVERYTHING) return doc;
  const result: Draft = {};
  for (const [name, value] of Object.entries(doc)) {
    if (projection.shows(name)) result[name] = projection.part(name, value);
  }
  return result;
}
