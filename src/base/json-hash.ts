import { createHash } from 'node:crypto';
import type { Steps } from './yield-control.ts';

/**
 * A strong ETag, with its quotes, of JSON values that are equal on every replica. It does not depend on the order of properties, or on properties
 * that are undefined. Each value is one step.
 */
export function* etagOfJson(values: Iterable<unknown>): Steps<string> {
  const hash = createHash('sha256');
  for (const value of values) {
    // A text of JSON contains no line break, so the values cannot be divided in another way.
    hash.update(`${JSON.stringify(value, withSortedNames)}\n`);
    yield;
  }
  return `"${hash.digest('base64url').slice(0, TAG_CHARS)}"`;
}

/** 132 bits: no two versions of an entity have the same ETag. */
const TAG_CHARS = 22;

function withSortedNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A hash with which a value can be compared later, without storing the value. It depends on the order of properties. */
export function fingerprint(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, TAG_CHARS);
}
