/** The first size of the buffer when the length of the body is not known. */
const CAPACITY_BYTES = 64 * 1024;

/**
 * Collects the chunks of a body up to a limit. The server may reuse the memory of each chunk after the callback, so each chunk is copied. The chunks are copied
 * into one buffer, because joining 50 MB at the end would block the event loop.
 */
export class BodyCollector {
  readonly #limitBytes: number;
  #buffer: Buffer | undefined;
  #sizeBytes = 0;
  readonly #expectedBytes: number;

  /** `expectedBytes` is the length that the caller declared, if any. */
  constructor(limitBytes: number, expectedBytes: number | undefined) {
    this.#limitBytes = limitBytes;
    this.#expectedBytes = Math.min(expectedBytes ?? CAPACITY_BYTES, limitBytes);
  }

  /** Returns false when the body is larger than the limit. The collected chunks are then dropped. */
  add(chunk: Uint8Array): boolean {
    const sizeBytes = this.#sizeBytes + chunk.byteLength;
    if (sizeBytes > this.#limitBytes) {
      this.#buffer = undefined;
      return false;
    }
    this.#reserve(sizeBytes).set(chunk, this.#sizeBytes);
    this.#sizeBytes = sizeBytes;
    return true;
  }

  /** Returns the collected bytes. */
  take(): Uint8Array {
    return this.#buffer?.subarray(0, this.#sizeBytes) ?? new Uint8Array(0);
  }

  #reserve(sizeBytes: number): Buffer {
    const before = this.#buffer;
    if (before && before.length >= sizeBytes) return before;
    const capacityBytes = Math.max(
      sizeBytes,
      before ? Math.min(before.length * 2, this.#limitBytes) : this.#expectedBytes,
    );
    const buffer = Buffer.allocUnsafeSlow(capacityBytes);
    before?.copy(buffer, 0, 0, this.#sizeBytes);
    this.#buffer = buffer;
    return buffer;
  }
}
