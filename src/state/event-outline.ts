import { Packr } from 'msgpackr/pack';
import type { AuditEvent, EventType } from '../model/event.ts';
import { decodeEvent, EVENT_FORMAT } from './commit.ts';
import { endOfValue, isContainer, isMap, mapAt } from './skip-value.ts';

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
