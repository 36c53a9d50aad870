import { Packr } from 'msgpackr/pack';
import { assert } from '../base/assert.ts';
import type { AuditEvent, EventType } from '../model/event.ts';
import { decodeEvent, EVENT_FORMAT } from './commit.ts';

/** Decodes only values that were found by `endOfValue`: texts, numbers and null. */
const packr = new Packr({ useRecords: false, moreTypes: false });

/** The fields of an event that are decoded, besides the named fields of its data. Every event has these. */
const REQUIRED_KEYS = [
  'id',
  'type',
  'createdAt',
  'createdBy',
  'createdByUserId',
  'environment',
  'project',
  'featureName',
];

/** The last two are missing in events of older versions. If they exist, they precede the data. */
const OUTLINE_KEYS: ReadonlySet<string> = new Set([...REQUIRED_KEYS, 'revision', 'reason']);

/** Up to this size, it is cheaper to decode the whole event than to skip parts of it. */
const SMALL_BYTES = 2_048;

/**
 * Decodes an event without its large parts. Of `data` and `preData` it has at least the fields that are a text or a number and that `namesOf` names;
 * of a large event, no other ones. It has no tags and no address. What is skipped is neither decoded nor copied. @throws UnknownFormatError
 */
export function decodeEventOutline(bytes: Uint8Array, namesOf: (type: EventType) => readonly string[]): AuditEvent {
  if (bytes.length <= SMALL_BYTES || bytes[1] !== EVENT_FORMAT) return outlineOf(decodeEvent(bytes));
  const fields = new Map<string, unknown>();
  let names: readonly string[] = [];
  let { count, at } = mapAt(bytes, 2);
  for (; count > 0; count--) {
    const keyEnd = endOfValue(bytes, at);
    const key = String(valueAt(bytes, at, keyEnd));
    const isData = key === 'data' || key === 'preData';
    // The names depend on the type. If another version wrote the keys in another order, the whole event is decoded.
    if (isData && !fields.has('type')) return outlineOf(decodeEvent(bytes));
    // Nothing that is needed follows.
    if (isData && names.length === 0 && REQUIRED_KEYS.every((required) => fields.has(required))) break;
    at = endOfValue(bytes, keyEnd);
    if (OUTLINE_KEYS.has(key)) fields.set(key, valueAt(bytes, keyEnd, at));
    else if (isData) fields.set(key, namedFields(bytes, keyEnd, names));
    if (key === 'type') names = namesOf(fields.get('type') as EventType);
  }
  return { data: null, preData: null, tags: null, ...Object.fromEntries(fields) } as unknown as AuditEvent;
}

function outlineOf({ ip: _ip, ...event }: AuditEvent): AuditEvent {
  return { ...event, tags: null };
}

/** The named fields of the object at this position that are a text or a number; null if there is no object. */
function namedFields(
  bytes: Uint8Array,
  start: number,
  names: readonly string[],
): Readonly<Record<string, unknown>> | null {
  if (names.length === 0 || !isMap(bytes[start])) return null;
  const found = new Map<string, unknown>();
  let { count, at } = mapAt(bytes, start);
  for (; count > 0; count--) {
    const keyEnd = endOfValue(bytes, at);
    const key = valueAt(bytes, at, keyEnd);
    at = endOfValue(bytes, keyEnd);
    if (typeof key !== 'string' || !names.includes(key) || isContainer(bytes[keyEnd])) continue;
    found.set(key, valueAt(bytes, keyEnd, at));
  }
  return Object.fromEntries(found);
}

function valueAt(bytes: Uint8Array, start: number, end: number): unknown {
  return packr.unpack(bytes.subarray(start, end));
}

const isMap = (first = 0) => (first & 0xf0) === 0x80 || first === 0xde || first === 0xdf;
const isContainer = (first = 0) => isMap(first) || (first & 0xf0) === 0x90 || first === 0xdc || first === 0xdd;

function mapAt(bytes: Uint8Array, start: number): { count: number; at: number } {
  const first = bytes[start] ?? 0;
  assert(isMap(first), 'the event or its data is no object');
  if (first === 0xde) return { count: numberAt(bytes, start + 1, 2), at: start + 3 };
  if (first === 0xdf) return { count: numberAt(bytes, start + 1, 4), at: start + 5 };
  return { count: first & 0x0f, at: start + 1 };
}

function numberAt(bytes: Uint8Array, at: number, size: number): number {
  assert(at + size <= bytes.length, 'the event ends before its values do');
  let value = 0;
  for (let index = at; index < at + size; index++) value = value * 256 + (bytes[index] as number);
  return value;
}

/**
 * MessagePack, for the first bytes 0xc0 to 0xdf: the number of bytes that follow, or the number of bytes of the length that follows. 0xc1 is never
 * used. See https://github.com/msgpack/msgpack/blob/master/spec.md.
 */
const FOLLOWING = [
  ...[0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 4, 8, 1, 2, 4, 8],
  ...[1, 2, 4, 8, 2, 3, 5, 9, 17, 1, 2, 4, 2, 4, 2, 4],
] as const;

/** The position after the value that begins at `start`. It does not recurse and decodes nothing. */
function endOfValue(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let values = 1; values > 0; values--) {
    const first = bytes[at];
    assert(first !== undefined, 'the event ends before its values do');
    at++;
    if (first < 0x80 || first >= 0xe0) continue;
    if (first < 0x90) values += 2 * (first & 0x0f);
    else if (first < 0xa0) values += first & 0x0f;
    else if (first < 0xc0) at += first & 0x1f;
    else {
      const size = FOLLOWING[first - 0xc0] as number;
      const isText = first >= 0xd9 && first <= 0xdb;
      if (first >= 0xdc) values += (first >= 0xde ? 2 : 1) * numberAt(bytes, at, size);
      else if (isText || (first >= 0xc4 && first <= 0xc6)) at += numberAt(bytes, at, size);
      else if (first >= 0xc7 && first <= 0xc9) at += 1 + numberAt(bytes, at, size);
      at += size;
    }
  }
  assert(at <= bytes.length, 'the event ends before its values do');
  return at;
}
