import { Packr } from 'msgpackr/pack';
import { isSameJson } from '../base/same-json.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Collection } from '../model/collection.ts';
import { type CollectionName, collectionOf, type Entity, type StateReader } from './collections.ts';
import { listHead, unpackInSteps } from './packed-list.ts';
import { endOfValue, listAt } from './skip-value.ts';
import { readerOf } from './stored-schema.ts';

/** The name of a part of an entity: docs/decisions/history.md. */
export interface PartName {
  readonly collection: CollectionName;
  readonly key: string;
  /** '' is the entity itself, without its other parts. */
  readonly part: string;
}

/** The name of a part as one text, for maps. */
export function partKey({ collection, key, part }: PartName): string {
  return `${collection}\n${key}\n${part}`;
}

/** A part of an entity as it was before a commit. */
export interface PastPart extends PartName {
  /** Undefined if the part did not exist. */
  readonly before: object | undefined;
}

/** An entity as it is after a change; undefined if the change removes it. */
interface EntityChange {
  readonly collection: CollectionName;
  readonly key: string;
  readonly entity?: Entity | undefined;
}

const packr = new Packr({ useRecords: false, moreTypes: false });

const NO_PARTS: ReadonlyMap<string, object> = new Map();

/** What an event record contains: collection, schema of the collection, key, part, and the value if there was one. */
type PackedPart = readonly [collection: string, schema: number, key: string, part: string, before?: object];

/** The parts that the changes replace, as they are before the changes. Only of collections that record their past. */
export function* replacedParts(before: StateReader, changes: readonly EntityChange[]): Steps<PastPart[]> {
  const replaced: PastPart[] = [];
  for (const { collection, key, entity } of changes) {
    if (!collectionOf(collection).past) continue;
    const entityBefore = before.get(collection, key) as Entity | undefined;
    if (entityBefore === undefined) {
      if (entity !== undefined) replaced.push({ collection, key, part: '', before: undefined });
      continue;
    }
    const parts = partsOf(collection, entityBefore);
    const partsAfter = partsOf(collection, entity);
    for (const [part, value] of parts) {
      if (!isSameJson(value, partsAfter.get(part))) replaced.push({ collection, key, part, before: value });
    }
    for (const part of partsAfter.keys()) {
      if (!parts.has(part)) replaced.push({ collection, key, part, before: undefined });
    }
    yield;
  }
  return replaced;
}

/** The parts of an entity, by name. Empty if changes of these entities do not record what was before. */
export function partsOf(collection: CollectionName, entity: Entity | undefined): ReadonlyMap<string, object> {
  const { past } = collectionOf(collection) as Collection<Entity, string, 'own'>;
  return past && entity ? past.split(entity) : NO_PARTS;
}

/** The entity with these parts instead of its own ones. Undefined removes a part; without the part '' the entity does not exist. */
export function withParts(
  collection: CollectionName,
  entity: Entity | undefined,
  parts: Iterable<readonly [part: string, value: object | undefined]>,
): Entity | undefined {
  const { past } = collectionOf(collection) as Collection<Entity, string, 'own'>;
  const merged = new Map(partsOf(collection, entity));
  for (const [part, value] of parts) {
    if (value === undefined) merged.delete(part);
    else merged.set(part, value);
  }
  return past && merged.has('') ? past.join(merged) : undefined;
}

/**
 * The first byte of an event record with parts: a list of the format, the event, the list of parts, and the size of the list of parts in bytes. The size
 * has always five bytes, so that the parts are found without reading the event, which may have megabytes.
 */
export const RECORD_WITH_PARTS = 0x94;
const UINT_32 = 0xce;
const SIZE_BYTES = 5;

/** Parts that are packed at once. */
const FEW = 16;

/** The list of parts and its size, as they are stored after an event: pieces to join. */
export function* packedParts(parts: readonly PastPart[]): Steps<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  if (parts.length <= FEW) pieces.push(packr.pack(parts.map(packedPart)));
  else {
    pieces.push(listHead(parts.length));
    for (const part of parts) {
      pieces.push(packr.pack(packedPart(part)));
      yield;
    }
  }
  const size = Buffer.alloc(SIZE_BYTES, UINT_32);
  size.writeUInt32BE(
    pieces.reduce((sum, { length }) => sum + length, 0),
    1,
  );
  pieces.push(size);
  return pieces;
}

function packedPart({ collection, key, part, before }: PastPart): PackedPart {
  const { schema } = collectionOf(collection);
  return before === undefined ? [collection, schema, key, part] : [collection, schema, key, part, before];
}

/** The parts that were replaced with this event. Null if another version wrote the record, without them. @throws UnknownFormatError */
export function* decodePast(bytes: Uint8Array): Steps<PastPart[] | null> {
  const list = listOfParts(bytes);
  if (!list) return null;
  const parts: PastPart[] = [];
  yield* unpackInSteps(bytes, list.at, list.count, (item) => {
    const [name, schema, key, part, before] = item as PackedPart;
    const { collection, upgrade } = readerOf('event record', name, schema);
    // Converts whole entities. The only collection with several parts has had one schema so far.
    parts.push({ collection, key, part, before: before && upgrade ? upgrade(before) : before });
  });
  return parts;
}

/** Same as `decodePast`, without the values, which are skipped. Names of an unknown collection are returned as they are stored. */
export function* decodePastNames(bytes: Uint8Array): Steps<readonly PartName[] | null> {
  const list = listOfParts(bytes);
  if (!list) return null;
  const names: PartName[] = [];
  let { at } = list;
  for (let index = 0; index < list.count; index++) {
    const item = listAt(bytes, at);
    const schemaAt = endOfValue(bytes, item.at);
    const keyAt = endOfValue(bytes, schemaAt);
    const partAt = endOfValue(bytes, keyAt);
    const end = endOfValue(bytes, partAt);
    names.push({
      collection: packr.unpack(bytes.subarray(item.at, schemaAt)) as CollectionName,
      key: packr.unpack(bytes.subarray(keyAt, partAt)) as string,
      part: packr.unpack(bytes.subarray(partAt, end)) as string,
    });
    at = item.count > 4 ? endOfValue(bytes, end) : end;
    if (index % FEW === FEW - 1) yield;
  }
  return names;
}

/** Where the event ends in its record: there the list of parts begins, if the record has one. */
export function endOfEvent(bytes: Uint8Array): number {
  return bytes[0] === RECORD_WITH_PARTS ? startOfParts(bytes) : bytes.length;
}

/** The number of parts of the record, and where the first one begins. Null if another version wrote the record, without parts. */
function listOfParts(bytes: Uint8Array): { readonly count: number; readonly at: number } | null {
  return bytes[0] === RECORD_WITH_PARTS ? listAt(bytes, startOfParts(bytes)) : null;
}

function startOfParts(bytes: Uint8Array): number {
  const sizeAt = bytes.length - SIZE_BYTES;
  return sizeAt - new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(sizeAt + 1);
}
