import { Packr } from 'msgpackr';
import type { AuditEvent } from '../model/event.ts';
import type { Author } from '../model/primitives.ts';
import type { CollectionName, Collections } from './collections.ts';
import type { PartitionKey } from './revisions.ts';

/** One entity replaced, or removed when `entity` is absent. */
export type Change = { [C in CollectionName]: Put<C> | Removal<C> }[CollectionName];

export interface Put<C extends CollectionName> {
  readonly collection: C;
  readonly key: string;
  readonly entity: Collections[C];
}

export interface Removal<C extends CollectionName> {
  readonly collection: C;
  readonly key: string;
  readonly entity?: undefined;
}

/** One durable step of the state: whole or not at all. `seq` counts from 1 without gaps; `writeId` tells a repeated append from a new one. */
export interface Commit {
  readonly seq: number;
  readonly writeId: string;
  /** RFC 3339. */
  readonly at: string;
  readonly by: Author;
  readonly changes: readonly Change[];
  /** Partitions whose clients see something else from this commit on. */
  readonly touched: readonly PartitionKey[];
  readonly events: readonly AuditEvent[];
}

/** Version of the encodings below. Raise it when an older Burgee could misread them; readers refuse what they do not know. */
export const COMMIT_FORMAT = 1;

export class UnknownFormatError extends Error {
  override readonly name = 'UnknownFormatError';
}

const packr = new Packr({ useRecords: false, moreTypes: false });

export function encodeCommit(commit: Commit): Uint8Array {
  const { seq, writeId, at, by, changes, touched, events } = commit;
  const packedChanges = changes.map((change) =>
    change.entity === undefined ? [change.collection, change.key] : [change.collection, change.key, change.entity],
  );
  return packr.pack([COMMIT_FORMAT, seq, writeId, at, by, packedChanges, touched, events]);
}

/** @throws UnknownFormatError when the record was written by a Burgee this one does not understand. */
export function decodeCommit(bytes: Uint8Array): Commit {
  const record = packr.unpack(bytes);
  if (!Array.isArray(record) || record[0] !== COMMIT_FORMAT) {
    throw new UnknownFormatError(
      `log record has format ${Array.isArray(record) ? record[0] : typeof record}; this Burgee reads format ${COMMIT_FORMAT}`,
    );
  }
  const [, seq, writeId, at, by, packedChanges, touched, events] = record;
  const changes = (packedChanges as [CollectionName, string, unknown?][]).map(([collection, key, entity]) =>
    entity === undefined ? { collection, key } : { collection, key, entity },
  ) as Change[];
  return { seq, writeId, at, by, changes, touched, events };
}

/** Audit events are stored one by one beside the log, so that they outlive it. */
export function encodeEvent(event: AuditEvent): Uint8Array {
  return packr.pack([COMMIT_FORMAT, event]);
}

/** @throws UnknownFormatError */
export function decodeEvent(bytes: Uint8Array): AuditEvent {
  const record = packr.unpack(bytes);
  if (!Array.isArray(record) || record[0] !== COMMIT_FORMAT) {
    throw new UnknownFormatError(`event record is not of format ${COMMIT_FORMAT}`);
  }
  return record[1] as AuditEvent;
}
