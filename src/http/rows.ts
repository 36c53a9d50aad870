/** Parts from this size on are sent from where they lie: their writes are few anyway. */
const LARGE_BYTES = 32 * 1024;

/**
 * Where smaller parts are put in a row, so that a socket takes them in few writes. One for all connections: uWS has sent or copied what it takes of it
 * before it returns, and is given the rest anew, from the parts.
 */
const IN_A_ROW = Buffer.allocUnsafeSlow(256 * 1024);

/** The bytes of many parts from an offset on, as few rows of them. Each is to be used before the next one is asked for, and in the same turn of the loop. */
export class Rows {
  readonly #parts: readonly Uint8Array[];
  #index = 0;
  /** Of the part at `#index`. */
  #sentBytes: number;

  constructor(parts: readonly Uint8Array[], sentBytes: number) {
    this.#parts = parts;
    this.#sentBytes = sentBytes;
    for (let part = parts[0]; part && this.#sentBytes >= part.byteLength; part = parts[this.#index]) {
      this.#sentBytes -= part.byteLength;
      this.#index++;
    }
  }

  /** Undefined when nothing is left. */
  next(): Uint8Array | undefined {
    const first = this.#rest();
    if (!first || first.byteLength >= LARGE_BYTES) {
      this.#pass();
      return first;
    }
    let length = 0;
    for (let part = this.#rest(); part && part.byteLength < LARGE_BYTES; part = this.#rest()) {
      if (length + part.byteLength > IN_A_ROW.byteLength) break;
      IN_A_ROW.set(part, length);
      length += part.byteLength;
      this.#pass();
    }
    return IN_A_ROW.subarray(0, length);
  }

  #rest(): Uint8Array | undefined {
    const part = this.#parts[this.#index];
    return part && this.#sentBytes > 0 ? part.subarray(this.#sentBytes) : part;
  }

  #pass(): void {
    this.#index++;
    this.#sentBytes = 0;
  }
}
