import type { HttpResponse } from 'uWebSockets.js';

/** Bytes that may wait to be read. Beyond, the socket is paused and the caller's sending stalls. */
const BUFFERED_BYTES_MAX = 256 * 1024;

/** A body as it arrives, read at the consumer's pace. Ends early, with an error, when the caller goes away. */
export class BodyStream implements AsyncIterable<Uint8Array> {
  readonly #response: HttpResponse;
  #chunks: Uint8Array[] = [];
  #bufferedBytes = 0;
  #paused = false;
  #ended = false;
  #aborted = false;
  #wake: (() => void) | undefined;

  constructor(response: HttpResponse) {
    this.#response = response;
  }

  /** Whether the caller is kept from sending more. */
  get paused(): boolean {
    return this.#paused;
  }

  /** uWS takes the chunk back after the callback: it is copied. */
  push(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#aborted) return;
    if (chunk.byteLength > 0) this.#chunks.push(new Uint8Array(chunk.slice(0)));
    this.#bufferedBytes += chunk.byteLength;
    this.#ended = isLast;
    if (!isLast && !this.#paused && this.#bufferedBytes > BUFFERED_BYTES_MAX) {
      this.#paused = true;
      this.#response.pause();
    }
    this.#wake?.();
  }

  /** The response is gone: it may not be touched again. */
  abort(): void {
    this.#aborted = true;
    this.#chunks = [];
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      if (this.#aborted) throw new Error('the caller went away before the body was complete');
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#bufferedBytes -= chunk.byteLength;
        if (this.#paused && this.#bufferedBytes <= BUFFERED_BYTES_MAX / 2) {
          this.#paused = false;
          this.#response.resume();
        }
        yield chunk;
      } else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
