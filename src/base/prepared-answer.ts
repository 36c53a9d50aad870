import { type HeaderRecord, type ResponseHead, responseHead } from './response-head.ts';

/** One run of bytes, or several that are sent one after the other. */
export interface PreparedBody {
  readonly parts: readonly Uint8Array[];
  readonly lengthBytes: number;
  /** All parts in one run, as long as they lie so. Only for the turn of the loop in which it is asked for: the memory is used again. */
  readonly inOne?: () => Uint8Array | undefined;
}

/** An answer that was ready before anybody asked: sending it encodes nothing, and allocates nothing but views of the memory that it lies in. */
export interface PreparedAnswer {
  readonly head: ResponseHead;
  readonly body: PreparedBody | undefined;
}

/** A body that is one run of bytes. */
export function bodyOf(bytes: Uint8Array): PreparedBody {
  return { parts: [bytes], lengthBytes: bytes.byteLength };
}

/** A body of these parts, one after the other. */
export function bodyInParts(parts: readonly Uint8Array[]): PreparedBody {
  return { parts, lengthBytes: parts.reduce((sum, part) => sum + part.byteLength, 0) };
}

export function preparedAnswer(status: number, headers: HeaderRecord, body?: PreparedBody): PreparedAnswer {
  return { head: responseHead(status, headers), body };
}
