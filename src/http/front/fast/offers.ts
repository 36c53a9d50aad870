/**
 * Number of bytes of a body that are offered to a socket at a time; fewer only at its end. The number must depend only on the offset: with TLS, a
 * socket that refused bytes must be offered at least as many again, and would never accept fewer.
 */
const OFFER_BYTES = 1024 * 1024;

/** Buffer for joined parts, for all connections. Before uWS returns, it has sent or copied the bytes that it accepts; the rest is offered again. */
const JOINED = Buffer.allocUnsafeSlow(OFFER_BYTES);

/** The bytes to offer at `offset` of a body in one buffer. */
export function offerOf(body: Uint8Array, offset: number): Uint8Array {
  return offset === 0 && body.byteLength <= OFFER_BYTES ? body : body.subarray(offset, offset + OFFER_BYTES);
}

/** The bytes to offer at `offset` of a body in parts. Valid until the next call, and only in the same turn of the event loop. */
export function offerOfParts(parts: readonly Uint8Array[], offset: number): Uint8Array {
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
