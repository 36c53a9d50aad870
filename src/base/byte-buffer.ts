/** Bytes that grow at their end. Text that is put together often is encoded once and copied from then on. */
export class ByteBuffer {
  #bytes: Buffer = EMPTY;
  #length = 0;
  /** What is reserved with the first bytes. */
  #capacityBytes: number;

  constructor(capacityBytes = 64 * 1024) {
    this.#capacityBytes = capacityBytes;
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
    // UTF-8 takes at most three bytes for each UTF-16 unit.
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** What was gathered, in memory of its own that is given away: the buffer is empty afterwards, and holds nothing until it is used again. */
  take(): Uint8Array {
    if (this.#length === 0) return new Uint8Array(0);
    const taken = new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#length);
    this.#capacityBytes = Math.max(this.#length, 1024);
    this.#bytes = EMPTY;
    this.#length = 0;
    return taken;
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(moreBytes: number): void {
    const neededBytes = this.#length + moreBytes;
    if (neededBytes <= this.#bytes.byteLength) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * this.#bytes.byteLength, this.#capacityBytes));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

const EMPTY = Buffer.allocUnsafeSlow(0);
