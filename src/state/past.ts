import { Packr } from 'msgpackr/pack';
import { isSameJson } from '../base/same-json.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Collection } from '../model/collection.ts';
import { type CollectionName, collectionOf, type Entity, type StateReader } from './collections.ts';
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
    const { past } = collectionOf(collection) as Collection<Entity, string, 'own'>;
    if (!past) continue;
    const entityBefore = before.get(collection, key) as Entity | undefined;
    if (entityBefore === undefined) {
      if (entity !== undefined) replaced.push({ collection, key, part: '', before: undefined });
      continue;
    }
    const parts = past.split(entityBefore);
    const partsAfter = entity === undefined ? NO_PARTS : past.split(entity);
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

/** The parts as they are stored in the record of an event. */
export function packedParts(parts: readonly PastPart[]): readonly PackedPart[] {
  return parts.map(({ collection, key, part, before }) => {
    const { schema } = collectionOf(collection);
    return before === undefined ? [collection, schema, key, part] : [collection, schema, key, part, before];
  });
}

/** The parts that were replaced with this event. Null if another version wrote the record, without them. @throws UnknownFormatError */
export function decodePast(bytes: Uint8Array): PastPart[] | null {
  const start = startOfParts(bytes);
  if (start === null) return null;
  const packed = packr.unpack(bytes.subarray(start)) as PackedPart[];
  return packed.map(([name, schema, key, part, before]) => {
    const { collection, upgrade } = readerOf('event record', name, schema);
    // Converts whole entities. The only collection with several parts has had one schema so far.
    return { collection, key, part, before: before && upgrade ? upgrade(before) : before };
  });
}

/** Same as `decodePast`, without the values, which are skipped. Of a record with an unknown collection, the names are returned as they are stored. */
export function decodePastNames(bytes: Uint8Array): readonly PartName[] | null {
  const start = startOfParts(bytes);
  if (start === null) return null;
  const names: PartName[] = [];
  let { count, at } = listAt(bytes, start);
  for (; count > 0; count--) {
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
  }
  return names;
}

/** A record is a list: the format, the event, and the replaced parts. Null if it has no parts. */
function startOfParts(bytes: Uint8Array): number | null {
  const { count, at } = listAt(bytes, 0);
  return count < 3 ? null : endOfValue(bytes, endOfValue(bytes, at));
}
