import type { Exchange } from '../exchange.ts';
import { readOn } from '../wire.ts';

/** Maximum number of buffered bytes. If more bytes are buffered, the socket is paused, and the caller cannot send more. */
const BUFFERED_BYTES_MAX = 256 * 1024;

/**
 * First and maximum delay before a waiting sender tries again although the socket reported no space. The delay grows until the caller reads
 * something.
 */
const AGAIN_MS = 5;
const AGAIN_MS_MAX = 5_000;

/**
 * A body as it arrives, read at the consumer's pace. Ends early, with an error, when the caller goes away.
 *
 * The consumer may be waiting for the caller to read the answer, and a paused socket does not report buffer space. The socket also does not stay
 * paused: uWebSockets.js ends every read by trying to send unsent bytes, and a socket that does not accept them is read again. So while a sender
 * waits, the socket is paused again after each read that delivered too much, and the sender tries again after a delay to find out about space. Each
 * try may cause some reads (512 KB each), so the delay grows: a caller that sends and never reads is disconnected within a minute (`ReaderWatch`),
 * after about twenty tries.
 */
export class BodyStream implements AsyncIterable<Uint8Array> {
  readonly #exchange: Exchange;
  #chunks: Uint8Array[] = [];
  #bufferedBytes = 0;
  #paused = false;
  #ended = false;
  #aborted = false;
  #wake: (() => void) | undefined;
  #isPausingAgain = false;
  #again: NodeJS.Timeout | undefined;
  #againMs = AGAIN_MS;
  #takesBefore = 0;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    // The socket has no unsent bytes yet: from now on uWS has stored how to resume such a socket.
    readOn(exchange.response);
  }

  /** Whether the socket is paused, so that the caller cannot send more. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Copies the chunk, because uWS reuses its memory after the callback. */
  push(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#aborted) return;
    if (chunk.byteLength > 0) this.#chunks.push(new Uint8Array(chunk.slice(0)));
    this.#bufferedBytes += chunk.byteLength;
    this.#ended = isLast;
    if (!isLast && this.#bufferedBytes > BUFFERED_BYTES_MAX) this.#pause();
    // The body is complete: the socket does not have to stay paused.
    else if (isLast && this.#paused) this.#goOn();
    this.#wake?.();
  }

  /** Ends the stream, because the response has ended and must not be used again. */
  abort(): void {
    this.#aborted = true;
    this.#chunks = [];
    clearTimeout(this.#again);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      if (this.#aborted) throw new Error('the caller went away before the body was complete');
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#bufferedBytes -= chunk.byteLength;
        if (this.#paused && this.#bufferedBytes <= BUFFERED_BYTES_MAX / 2) this.#goOn();
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

  #pause(): void {
    this.#paused = true;
    this.#exchange.response.pause();
    if (!this.#exchange.awaitsReader || this.#isPausingAgain) return;
    this.#isPausingAgain = true;
    setImmediate(() => {
      this.#isPausingAgain = false;
      if (this.#paused && !this.#aborted) this.#pauseForAWhile();
    });
  }

  #pauseForAWhile(): void {
    const { response, takes } = this.#exchange;
    response.pause();
    this.#againMs = takes === this.#takesBefore ? Math.min(AGAIN_MS_MAX, 2 * this.#againMs) : AGAIN_MS;
    this.#takesBefore = takes;
    this.#trySoon(this.#againMs);
  }

  /** Wakes the sender after the delay: if the unsent bytes were sent before the socket was paused, uWS does not report the space. */
  #trySoon(ms: number): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#exchange.wake?.(), ms);
  }

  #goOn(): void {
    this.#paused = false;
    readOn(this.#exchange.response);
    if (this.#exchange.awaitsReader) this.#trySoon(AGAIN_MS);
    else clearTimeout(this.#again);
  }
}
