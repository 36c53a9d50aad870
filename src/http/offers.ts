/**
 * So many bytes of a body in many parts are offered to a socket at a time, and fewer only at its end: how many must depend on nothing but the offset. With TLS a
 * socket that refused some is to be offered at least as many again, and would never take fewer. With 256 kB behind the first megabyte a list of 10,000 flags cost a fifth
 * more in plain; with a megabyte, a reader for whom the kernel holds no more than 128 kB has parts put in a row half as often again as need be.
 */
const OFFER_BYTES = 1024 * 1024;

/**
 * Where parts are put in a row. One for all connections: uWS has sent or copied what it takes of it before it returns, and is offered the rest anew, from the
 * parts.
 */
const IN_A_ROW = Buffer.allocUnsafeSlow(OFFER_BYTES);

/** What is offered of a body that lies in one run. */
export function offered(whole: Uint8Array, offset: number): Uint8Array {
  return offset === 0 && whole.byteLength <= OFFER_BYTES ? whole : whole.subarray(offset, offset + OFFER_BYTES);
}

/** What is offered of many parts. Remembers where it has come to: offsets never go back. */
export class Offers {
  readonly #parts: readonly Uint8Array[];
  #index = 0;
  /** Where the part at `#index` begins. */
  #partStart = 0;

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts;
  }

  /** The bytes from `offset` on. To be used before others are asked for, and in the same turn of the loop. */
  at(offset: number): Uint8Array {
    this.#passTo(offset);
    const part = this.#parts[this.#index];
    const from = offset - this.#partStart;
    if (part && part.byteLength - from >= OFFER_BYTES) return part.subarray(from, from + OFFER_BYTES);
    return this.#inARow(from);
  }

  #passTo(offset: number): void {
    let part = this.#parts[this.#index];
    while (part && this.#partStart + part.byteLength <= offset) {
      this.#partStart += part.byteLength;
      part = this.#parts[++this.#index];
    }
  }

  #inARow(fromInFirst: number): Uint8Array {
    let length = 0;
    let from = fromInFirst;
    for (let at = this.#index; at < this.#parts.length && length < OFFER_BYTES; at++) {
      const part = this.#parts[at] as Uint8Array;
      const end = Math.min(part.byteLength, from + OFFER_BYTES - length);
      IN_A_ROW.set(from === 0 && end === part.byteLength ? part : part.subarray(from, end), length);
      length += end - from;
      from = 0;
    }
    return IN_A_ROW.subarray(0, length);
  }
}
