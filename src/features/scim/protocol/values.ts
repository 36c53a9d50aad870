import { Rejection } from '../../../base/rejection.ts';
import { PEOPLE_LIMITS } from '../../people/limits.ts';
import { SCIM_LIMITS } from '../limits.ts';
import { type Attribute, type Attributes, subAttribute } from './attributes.ts';
import { shown } from './filter.ts';
import type { Doc } from './matching.ts';
import { invalidScim } from './protocol.ts';

/** Maximum number of attributes of one object that a client sends. The standard has about 25 for users. */
export const PROPERTIES_MAX = 200;

/** A document while it is built. Its keys are names of the schema, never text of the client. */
export type Draft = Record<string, unknown>;

/**
 * The value as Burgee stores it; undefined if the value unassigns the attribute (null, an empty text or an empty list). Letter case of names does not
 * matter, booleans may be texts (Entra sends `"True"`), and what Burgee does not store is left out.
 */
export function storedValue(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined;
  if (!attribute.multiValued) return singleValue(attribute, value);
  const values = Array.isArray(value) ? value : [value];
  if (values.length > SCIM_LIMITS.scimEmails.max)
    return invalidValue(attribute, `has at most ${SCIM_LIMITS.scimEmails.max} values`);
  const stored: unknown[] = [];
  for (const one of values) {
    const single = singleValue(attribute, typeof one === 'string' ? { value: one } : one);
    if (single instanceof Rejection) return single;
    if (single !== undefined) stored.push(single);
  }
  return stored.length > 0 ? stored : undefined;
}

function singleValue(attribute: Attribute, value: unknown): unknown {
  if (attribute.type === 'complex') return complexValue(attribute, value);
  if (attribute.type === 'boolean') {
    const text = typeof value === 'string' ? value.toLowerCase() : value;
    if (text === true || text === 'true') return true;
    return text === false || text === 'false' ? false : invalidValue(attribute, 'is true or false');
  }
  const max = PEOPLE_LIMITS.scimTextLength.max;
  if (typeof value !== 'string' || value.length > max)
    return invalidValue(attribute, `is a text of at most ${max} characters`);
  return value;
}

function complexValue(attribute: Attribute, value: unknown): unknown {
  if (!isObject(value)) return invalidValue(attribute, 'is an object');
  const stored: Draft = {};
  for (const [name, part] of Object.entries(value)) {
    const sub = subAttribute(attribute, name);
    if (sub === 'unstored' || sub === undefined || sub.mutability === 'readOnly') continue;
    const single = part === null || part === '' ? undefined : singleValue(sub, part);
    if (single instanceof Rejection) return single;
    if (single !== undefined) stored[sub.name] = single;
  }
  return Object.keys(stored).length > 0 ? stored : undefined;
}

/** The attributes of a sent resource that Burgee stores, without those of `except`. */
export function readResource(attributes: Attributes, body: Doc, except?: string): Draft | Rejection {
  const doc: Draft = {};
  for (const [name, value] of Object.entries(body)) {
    const attribute = attributes.find(name);
    if (attribute === 'unstored' || attribute === undefined) continue;
    if (attribute.mutability === 'readOnly' || attribute.name === except) continue;
    const stored = storedValue(attribute, value);
    if (stored instanceof Rejection) return stored;
    if (stored !== undefined) doc[attribute.name] = stored;
  }
  return doc;
}

export function isObject(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalidValue({ name }: Attribute, rule: string): Rejection {
  return invalidScim('invalidValue', `The attribute ${shown(name)} ${rule}.`);
}
