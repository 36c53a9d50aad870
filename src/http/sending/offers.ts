/**
 * Number of bytes of a body that are offered to a socket at a time; fewer only at its end. The number must depend only on the offset: with TLS, a
 * socket that refused bytes must be offered at least as many again, and would never accept fewer.
 */
const OFFER_BYTES = 1024 * 1024;

/** Where parts are joined. One for all connections: uWS has sent or copied what it takes of it before it returns, and is offered the rest anew. */
const JOINED = Buffer.allocUnsafeSlow(OFFER_BYTES);

/** What is offered of a body that lies in one buffer. */
export function offered(whole: Uint8Array, offset: number): Uint8Array {
  return offset === 0 && whole.byteLength <= OFFER_BYTES ? whole : whole.subarray(offset, offset + OFFER_BYTES);
}

/** What is offered of a body in parts. Valid until the next call, and in the same turn of the loop. */
export function offeredOfParts(parts: readonly Uint8Array[], offset: number): Uint8Array {
  let length = 0;
  let end = 0;
  for (const part of parts) {
    const start = end;
    end += part.byteLength;
    if (end <= offset) continue;
    const rest = part.subarray(Math.max(0, offset - start), offset + OFFER_BYTES - start);
    if (rest.byteLength === OFFER_BYTES) return rest;
    JOINED.set(rest, length);
    length += rest.byteLength;
    if (length === OFFER_BYTES) break;
  }
  return JOINED.subarray(0, length);
}
