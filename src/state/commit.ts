import { Packr } from 'msgpackr/pack';
import { assert } from '../base/assert.ts';
import { atOnce, type Steps } from '../base/yield-control.ts';
import type { AuditEvent } from '../model/event.ts';
import type { Author } from '../model/primitives.ts';
import { type CollectionName, type Collections, collectionOf } from './collections.ts';
import { joinPieces, listHead, STEP_BYTES, unpackInSteps, unpackItems } from './packed-list.ts';
import { type PastPart, packedParts, RECORD_WITH_PARTS } from './past.ts';
import type { PartitionKey } from './revisions.ts';
import { listAt } from './skip-value.ts';
import { DamagedRecordError, type EntityReader, otherFormat, readerOf, UnknownFormatError } from './stored-schema.ts';

/** One entity replaced, or removed when `entity` is absent. */
export type Change = { [C in CollectionName]: Put<C> | Removal<C> }[CollectionName];

interface Put<C extends CollectionName> {
  readonly collection: C;
  readonly key: string;
  readonly entity: Collections[C];
}

interface Removal<C extends CollectionName> {
  readonly collection: C;
  readonly key: string;
  readonly entity?: undefined;
}

/** One durable, atomic change of the state. `seq` counts from 1 without gaps; `writeId` distinguishes a repeated append from a new one. */
export interface Commit {
  readonly seq: number;
  readonly writeId: string;
  /** RFC 3339. */
  readonly at: string;
  readonly by: Author;
  readonly changes: readonly Change[];
  /** Partitions whose clients see a change with this commit. */
  readonly touched: readonly PartitionKey[];
  readonly events: EventRange;
}

/**
 * The audit events of a commit: `firstId`, `firstId + 1`, … They are not part of the commit, but stored separately in the same atomic
 * append: docs/decisions/large-commands.md. If the count is 0, `firstId` has no meaning.
 */
interface EventRange {
  readonly firstId: number;
  readonly count: number;
}

/** Version of the encoding of commits. Raise it with every change of the encoding: a record contains its version, and another version is refused. */
export const COMMIT_FORMAT = 2;

/** Version of the encoding of audit events. */
export const EVENT_FORMAT = 1;

// `msgpackr/pack` does not load the native decoder. The texts that the native decoder returns are slices of one text of the whole record, so code
// that keeps a name would keep the record in memory (docs/decisions/decoding.md).
const packr = new Packr({ useRecords: false, moreTypes: false });

/**
 * A record is one msgpack array with the list of changes as its last item. A msgpack list is its head followed by its items, so the
 * items can be packed and unpacked a few at a time. The collections come before the changes, each with the schema version of its entities, so
 * an unknown collection or version is refused before any change is read.
 */
const FIELDS = 10;
const FIXARRAY = 0x90;
const MAP_16 = 0xde;

/** `collection`: its index in the record's list of collections. */
type PackedChange = readonly [collection: number, key: string, entity?: unknown];

export function encodeCommit(commit: Commit): Uint8Array {
  return atOnce(encodeInSteps(commit));
}

/**
 * Same as `encodeCommit`, one step per change: the size of a change is known only after packing, and a flag may have a megabyte. Returns undefined as
 * soon as the size exceeds `bytesMax`, so that a commit that will be refused uses no memory for its other changes.
 */
export function encodeInSteps(commit: Commit): Steps<Uint8Array>;
export function encodeInSteps(commit: Commit, bytesMax: number): Steps<Uint8Array | undefined>;
export function* encodeInSteps(commit: Commit, bytesMax = Number.POSITIVE_INFINITY): Steps<Uint8Array | undefined> {
  const { seq, writeId, at, by, changes, touched, events } = commit;
  const [first] = changes;
  if (first && changes.length === 1) return packr.pack(recordOfOne(commit, first));
  const collectionIndexes = new Map<CollectionName, number>();
  for (const { collection } of changes)
    if (!collectionIndexes.has(collection)) collectionIndexes.set(collection, collectionIndexes.size);
  const schemas = Array.from(collectionIndexes.keys(), (name) => [name, collectionOf(name).schema]);
  const packedChange = ({ collection, key, entity }: Change): PackedChange => {
    const collectionIndex = collectionIndexes.get(collection) as number;
    return entity === undefined ? [collectionIndex, key] : [collectionIndex, key, entity];
  };
  const fields = [COMMIT_FORMAT, seq, writeId, at, by, touched, events.firstId, events.count, schemas];
  if (changes.length === 0) return packr.pack([...fields, []]);
  const head = packr.pack(fields);
  head[0] = FIXARRAY | FIELDS;
  const pieces: Uint8Array[] = [head, listHead(changes.length)];
  let size = 0;
  for (const change of changes) {
    const piece = packr.pack(packedChange(change));
    size += piece.byteLength;
    if (size > bytesMax) return undefined;
    pieces.push(piece);
    yield;
  }
  return yield* joinPieces(pieces);
}

/** @throws UnknownFormatError when the record has a format that this version cannot read; DamagedRecordError. */
export function decodeCommit(bytes: Uint8Array): Commit {
  return atOnce(decodeInSteps(bytes));
}

/** Same as `decodeCommit`, a few changes per step. @throws UnknownFormatError, DamagedRecordError */
export function* decodeInSteps(bytes: Uint8Array): Steps<Commit> {
  try {
    return yield* decodeRecord(bytes);
  } catch (error) {
    if (error instanceof UnknownFormatError) throw error;
    throw new DamagedRecordError(`log record is damaged: ${(error as Error).message}`, { cause: error });
  }
}

function* decodeRecord(bytes: Uint8Array): Steps<Commit> {
  checkFormat(bytes);
  if (bytes.length <= STEP_BYTES) {
    const record = packr.unpack(bytes) as unknown[];
    const unpacked = changeReader(record);
    return commitOf(record, (record[FIELDS - 1] as PackedChange[]).map(unpacked));
  }
  const fields: unknown[] = [];
  const list = listAt(
    bytes,
    unpackItems(bytes, 1, FIELDS - 1, (field) => fields.push(field)),
  );
  const unpacked = changeReader(fields);
  const changes: Change[] = [];
  const end = yield* unpackInSteps(bytes, list.at, list.count, (item) => changes.push(unpacked(item as PackedChange)));
  assert(end === bytes.length, 'it does not end where its changes do');
  return commitOf(fields, changes);
}

/** @throws UnknownFormatError when the record has another format. */
function checkFormat(bytes: Uint8Array): void {
  const [head, formatByte] = bytes;
  if (head === (FIXARRAY | FIELDS) && formatByte === COMMIT_FORMAT) return;
  const format = formatOf(packr.unpack(bytes));
  assert(format !== COMMIT_FORMAT, 'it has another number of fields');
  throw new UnknownFormatError(otherFormat('log record', format, COMMIT_FORMAT));
}

function formatOf(record: unknown): unknown {
  return Array.isArray(record) ? record[0] : typeof record;
}

function commitOf(fields: readonly unknown[], changes: readonly Change[]): Commit {
  const [, seq, writeId, at, by, touched, firstId, count] = fields;
  return { seq, writeId, at, by, changes, touched, events: { firstId, count } } as Commit;
}

/** @throws UnknownFormatError when the record has an unknown collection or schema version, before any change is read. */
function changeReader(fields: readonly unknown[]): (change: PackedChange) => Change {
  const schemas = fields[FIELDS - 2] as readonly (readonly [string, number])[];
  const readers = schemas.map(([name, schema]) => readerOf('log record', name, schema));
  return ([collection, key, entity]) => {
    const reader = readers[collection];
    assert(reader, `it has no collection ${collection}`);
    return changeOf(reader, key, entity);
  };
}

function changeOf({ collection, upgrade }: EntityReader, key: string, entity: unknown): Change {
  if (entity === undefined) return { collection, key } as Change;
  return { collection, key, entity: upgrade ? upgrade(entity) : entity } as Change;
}

/** The common case: a commit with one change. */
function recordOfOne(
  { seq, writeId, at, by, touched, events }: Commit,
  { collection, key, entity }: Change,
): readonly unknown[] {
  const change: PackedChange = entity === undefined ? [0, key] : [0, key, entity];
  const schemas = [[collection, collectionOf(collection).schema]];
  return [COMMIT_FORMAT, seq, writeId, at, by, touched, events.firstId, events.count, schemas, [change]];
}

/** Same as `encodeEventInSteps`, at once. */
export function encodeEvent(event: AuditEvent, replaced: readonly PastPart[] = []): Uint8Array {
  return atOnce(encodeEventInSteps(event, replaced));
}

/**
 * Encodes an audit event, followed by the parts of entities that were replaced with it (`past.ts`). Events are stored one by one beside the log, so they
 * still exist when the log is trimmed. Older versions ignore the parts.
 */
export function* encodeEventInSteps(event: AuditEvent, replaced: readonly PastPart[]): Steps<Uint8Array> {
  const head = packr.pack([EVENT_FORMAT, event]);
  head[0] = RECORD_WITH_PARTS;
  return yield* joinPieces([head, ...(yield* packedParts(replaced))]);
}

/** The fields by which events are searched. */
export type EventHead = Pick<
  AuditEvent,
  'id' | 'type' | 'createdAt' | 'createdBy' | 'createdByUserId' | 'environment' | 'project' | 'featureName' | 'revision'
>;

/** The keys with which every encoded event begins, in order. Newer versions add `revision`. */
const HEAD_KEYS: readonly string[] = [
  'id',
  'type',
  'createdAt',
  'createdBy',
  'createdByUserId',
  'environment',
  'project',
  'featureName',
];

/** Decodes the fields by which an event is searched, but not its data, which may have megabytes. @throws UnknownFormatError */
export function decodeEventHead(bytes: Uint8Array): EventHead {
  const head: Record<string, unknown> = {};
  if (bytes[1] !== EVENT_FORMAT) return decodeEvent(bytes);
  let key = '';
  let read = 0;
  packr.unpackMultiple(bytes.subarray(bytes[2] === MAP_16 ? 5 : 3), (value: unknown) => {
    if (read % 2 === 0) key = value as string;
    else head[key] = value;
    // If another version wrote the keys in another order, the complete event is decoded below.
    if (read % 2 === 0 && key !== (HEAD_KEYS[read / 2] ?? 'revision')) return false;
    return ++read < 2 * HEAD_KEYS.length + 2;
  });
  return read >= 2 * HEAD_KEYS.length ? (head as unknown as EventHead) : decodeEvent(bytes);
}

/** @throws UnknownFormatError */
export function decodeEvent(bytes: Uint8Array): AuditEvent {
  const record = packr.unpack(bytes);
  const format = formatOf(record);
  if (format !== EVENT_FORMAT) throw new UnknownFormatError(otherFormat('event record', format, EVENT_FORMAT));
  return record[1] as AuditEvent;
}
