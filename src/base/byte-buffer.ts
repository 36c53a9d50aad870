/** Maximum capacity of the new memory that `take` allocates. Up to this size, it is as large as the previous content, so it rarely has to grow. */
const SPARE_BYTES_MAX = 4_000_000;

/** A buffer to which bytes are appended. Text that is appended often can be encoded once and then appended as bytes. */
export class ByteBuffer {
  #bytes: Buffer;
  #length = 0;

  constructor(capacityBytes = 64 * 1024) {
    this.#bytes = Buffer.allocUnsafeSlow(capacityBytes);
  }

  get lengthBytes(): number {
    return this.#length;
  }

  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.byteLength);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.byteLength;
  }

  addByte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  addText(text: string): void {
    // UTF-8 needs at most three bytes for each UTF-16 unit.
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /**
   * Returns the collected bytes in memory that the caller owns. The buffer is empty afterwards; its capacity follows the collected size, within
   * limits.
   */
  take(): Uint8Array {
    const collected = new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#length);
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(SPARE_BYTES_MAX, Math.max(this.#length, 1024)));
    this.#length = 0;
    return collected;
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(moreBytes: number): void {
    const neededBytes = this.#length + moreBytes;
    if (neededBytes <= this.#bytes.byteLength) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * this.#bytes.byteLength));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
