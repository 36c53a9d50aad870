import type { PreparedBody } from '../../base/prepared-answer.ts';
import type { Steps } from '../../base/yield-control.ts';
import { Piece, separated } from '../payload/piece.ts';
import type { ListChanges, ListPosition, ShownList } from './list-changes.ts';

/**
 * How a position of a list is written in ETags and event ids: its revision, what was asked, and the mark of the history where there is one. A client that
 * comes with the position of another list, because its token sees something else now, must not be sent what changed in this one.
 */
export function textOf({ revision, mark }: ListPosition, queryHash: string): string {
  return mark === '' ? `${revision}:${queryHash}` : `${revision}:${queryHash}.${mark}`;
}

/** The position of the list that a text names; a revision alone is one, too. Undefined for anything else, and for positions of other lists. */
export function positionOf(text: string, queryHash: string): ListPosition | undefined {
  const found = /^(\d{1,15})(?::([0-9a-f]{8})(?:\.([\w-]{1,64}))?)?$/.exec(text);
  if (!found || (found[2] !== undefined && found[2] !== queryHash)) return undefined;
  return { revision: Number(found[1]), mark: found[3] ?? '' };
}

/** What has changed, as events. A segment comes before the flags that use it, and goes after those that used it. Null when there is none. */
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

/** A whole list as one event, in pieces that are compressed already. */
export function hydrationPieces({ position, flags, segments }: ShownList): readonly Piece[] {
  return [
    Piece.ofText(`{"events":[{"eventId":${position.revision},"type":"hydration","features":[`),
    ...separated(flags),
    Piece.ofText('],"segments":['),
    ...separated(segments),
    Piece.ofText(']}]}'),
  ];
}

/** One event of a stream. `data` is JSON, which has no line breaks. */
export function streamEvent(name: string, id: string, { parts }: PreparedBody): Uint8Array {
  return Buffer.concat([Buffer.from(`id: ${id}\nevent: ${name}\ndata: `), ...parts, END_OF_EVENT]);
}

const END_OF_EVENT = Buffer.from('\n\n');

/** Bytes that are copied in one step. */
const STEP_BYTES = 256 * 1024;

/** As `streamEvent`, a step some of its bytes: of a list of tens of megabytes the copy alone takes as many milliseconds. */
export function* streamEventInSteps(name: string, id: string, { parts, lengthBytes }: PreparedBody): Steps<Uint8Array> {
  const head = Buffer.from(`id: ${id}\nevent: ${name}\ndata: `);
  const whole = Buffer.allocUnsafeSlow(head.byteLength + lengthBytes + END_OF_EVENT.byteLength);
  let at = 0;
  for (const part of [head, ...parts, END_OF_EVENT]) {
    for (let from = 0; from < part.byteLength; from += STEP_BYTES) {
      const piece = part.subarray(from, from + STEP_BYTES);
      whole.set(piece, at);
      at += piece.byteLength;
      yield;
    }
  }
  return whole;
}
