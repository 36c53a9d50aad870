import { invalid, type Rejection } from '../base/rejection.ts';

/** Deepest nesting of arrays and objects in a body. Nothing of the contract comes near; validators and serialisers recurse. */
export const JSON_DEPTH_MAX = 64;

/** JSON parsers tell apart more than people need; this is their text as one value or a rejection. Keys named `__proto__` are refused. */
export function parseJson(bytes: Uint8Array): { readonly value: unknown } | Rejection {
  if (exceedsDepth(bytes)) return invalid(`The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return invalid(`The body is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}.`);
  }
  // A key of that name becomes a prototype as soon as anybody copies the object carelessly.
  if (hasProtoKey(value)) return invalid('The body has a key named "__proto__", which is not allowed.');
  return { value };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Looks at the bytes alone: decides before anything recursive runs over them. */
function exceedsDepth(bytes: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > JSON_DEPTH_MAX) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

function hasProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasProtoKey);
  if (Object.hasOwn(value, '__proto__')) return true;
  for (const key in value) if (hasProtoKey((value as Record<string, unknown>)[key])) return true;
  return false;
}
