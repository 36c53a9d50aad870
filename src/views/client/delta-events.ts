import type { PreparedBody } from '../../base/prepared-answer.ts';
import type { Steps } from '../../base/yield-control.ts';
import { commaSeparated, Piece } from '../payload/piece.ts';
import type { ListChanges, ListPosition, ShownList } from './list-changes.ts';

/**
 * The text of a list position in ETags and event ids: the revision, the hash of the query, and the mark of the history if it has one. A client may
 * send the position of another list, because its token now gives access to other projects. Such a client must not get the changes of this list.
 */
export function positionText({ revision, mark }: ListPosition, queryHash: string): string {
  return mark === '' ? `${revision}:${queryHash}` : `${revision}:${queryHash}.${mark}`;
}

/**
 * Parses the text of a position. A revision alone is also accepted. Undefined when the text is not a position, or is the position of another list.
 */
export function parsePosition(text: string, queryHash: string): ListPosition | undefined {
  const found = /^(\d{1,15})(?::([0-9a-f]{8})(?:\.([\w-]{1,64}))?)?$/.exec(text);
  if (!found || (found[2] !== undefined && found[2] !== queryHash)) return undefined;
  return { revision: Number(found[1]), mark: found[3] ?? '' };
}

/**
 * The changes as events. A segment is added before the flags that use it, and removed after the flags that used it. Null when nothing has changed.
 */
export function changeEvents({ position, segments, flags }: ListChanges): Uint8Array | null {
  if (segments.length === 0 && flags.length === 0) return null;
  const eventId = position.revision;
  const parts: Uint8Array[] = [];
  const add = (text: string, bytes?: Uint8Array) => {
    parts.push(Buffer.from(`${parts.length === 0 ? '{"events":[' : ','}${text}`));
    if (bytes) parts.push(bytes, CLOSE);
  };
  const event = (type: string, rest: object) => JSON.stringify({ eventId, type, ...rest });
  for (const { bytes } of segments) if (bytes) add(`{"eventId":${eventId},"type":"segment-updated","segment":`, bytes);
  for (const { name, project, bytes } of flags) {
    if (bytes) add(`{"eventId":${eventId},"type":"feature-updated","feature":`, bytes);
    else add(event('feature-removed', { featureName: name, project }));
  }
  for (const { id, bytes } of segments) if (!bytes) add(event('segment-removed', { segmentId: id }));
  parts.push(END);
  return Buffer.concat(parts);
}

const CLOSE = Buffer.from('}');
const END = Buffer.from(']}');

/** The whole list as one event, in pieces. The pieces of flags and segments are already compressed. */
export function hydrationPieces({ position, flags, segments }: ShownList): readonly Piece[] {
  return [
    Piece.ofText(`{"events":[{"eventId":${position.revision},"type":"hydration","features":[`),
    ...commaSeparated(flags),
    Piece.ofText('],"segments":['),
    ...commaSeparated(segments),
    Piece.ofText(']}]}'),
  ];
}

/** One event of a stream. The body is JSON without line breaks. */
export function streamEvent(name: string, id: string, { parts }: PreparedBody): Uint8Array {
  return Buffer.concat([Buffer.from(`id: ${id}\nevent: ${name}\ndata: `), ...parts, END_OF_EVENT]);
}

const END_OF_EVENT = Buffer.from('\n\n');

/** Number of bytes copied in one step. */
const STEP_BYTES = 256 * 1024;

/** Same as `streamEvent`, but copies the bytes in steps: for a list of tens of megabytes the copy takes tens of milliseconds. */
export function* streamEventInSteps(name: string, id: string, { parts, lengthBytes }: PreparedBody): Steps<Uint8Array> {
  const head = Buffer.from(`id: ${id}\nevent: ${name}\ndata: `);
  const event = Buffer.allocUnsafeSlow(head.byteLength + lengthBytes + END_OF_EVENT.byteLength);
  let at = 0;
  for (const part of [head, ...parts, END_OF_EVENT]) {
    for (let from = 0; from < part.byteLength; from += STEP_BYTES) {
      const piece = part.subarray(from, from + STEP_BYTES);
      event.set(piece, at);
      at += piece.byteLength;
      yield;
    }
  }
  return event;
}
