import { bareHead, type HeaderRecord, type ResponseHead, responseHead } from './response-head.ts';

/** Parts that are sent one after the other. */
export interface PreparedBody {
  readonly parts: readonly Uint8Array[];
  readonly lengthBytes: number;
  /**
   * All parts in one buffer, which needs fewer writes. While a slow reader receives the body, only the parts stay in memory: several bodies share
   * them.
   */
  readonly buffer?: Uint8Array;
}

/** An answer that was prepared before the request: sending it encodes nothing, and allocates only views of its memory. */
export interface PreparedAnswer {
  readonly head: ResponseHead;
  readonly body: PreparedBody | undefined;
}

/** A body of one part. */
export function bodyOf(bytes: Uint8Array): PreparedBody {
  return { parts: [bytes], buffer: bytes, lengthBytes: bytes.byteLength };
}

/** A body of these parts, one after the other. */
export function bodyInParts(parts: readonly Uint8Array[]): PreparedBody {
  return { parts, lengthBytes: parts.reduce((sum, part) => sum + part.byteLength, 0) };
}

/** Without a body, the head says so: otherwise a client would wait for one until the connection is closed. */
export function preparedAnswer(status: number, headers: HeaderRecord, body?: PreparedBody): PreparedAnswer {
  return { head: body ? responseHead(status, headers) : bareHead(status, headers), body };
}
