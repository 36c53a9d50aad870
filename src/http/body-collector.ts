/** Gathers the chunks of a body up to a limit. uWS takes each chunk back after the callback, so each is copied, once. */
export class BodyCollector {
  readonly #limitBytes: number;
  #chunks: Uint8Array[] = [];
  #sizeBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** False when the body has outgrown the limit; what was gathered is dropped. */
  add(chunk: ArrayBuffer): boolean {
    this.#sizeBytes += chunk.byteLength;
    if (this.#sizeBytes > this.#limitBytes) {
      this.#chunks = [];
      return false;
    }
    this.#chunks.push(new Uint8Array(chunk.slice(0)));
    return true;
  }

  take(): Uint8Array {
    const [only] = this.#chunks;
    return only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
  }
}
