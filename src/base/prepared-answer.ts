import { type HeaderRecord, type ResponseHead, responseHead } from './response-head.ts';

/** One run of bytes, or several that are sent one after the other. */
export interface PreparedBody {
  readonly parts: readonly Uint8Array[];
  readonly lengthBytes: number;
}

/** An answer that was ready before anybody asked: sending it encodes nothing and allocates nothing. */
export interface PreparedAnswer {
  readonly head: ResponseHead;
  readonly body: PreparedBody | undefined;
}

/** A body that is one run of bytes. */
export function bodyOf(bytes: Uint8Array): PreparedBody {
  return { parts: [bytes], lengthBytes: bytes.byteLength };
}

export function preparedAnswer(status: number, headers: HeaderRecord, body?: PreparedBody): PreparedAnswer {
  return { head: responseHead(status, headers), body };
}
