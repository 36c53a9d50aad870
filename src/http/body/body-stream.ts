import type { Exchange } from '../exchange.ts';

/** Maximum number of buffered bytes. If more bytes are buffered, the socket is paused, and the caller cannot send more. */
const BUFFERED_BYTES_MAX = 256 * 1024;

/**
 * First and maximum delay before a waiting sender tries again, although the socket did not report buffer space. The delay grows until the caller
 * reads something.
 */
const RETRY_MS = 5;
const RETRY_MS_MAX = 5_000;

/**
 * A body as it arrives, read at the consumer's pace. The iteration fails if the caller disconnects before the end of the body.
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
  #retryTimer: NodeJS.Timeout | undefined;
  #retryMs = RETRY_MS;
  #readCountBefore = 0;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    // The socket has no unsent bytes yet: from now on the fast front has stored how to resume such a socket.
    exchange.response.readOn();
  }

  /** Whether the socket is paused, so that the caller cannot send more. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Copies the chunk, because the server may reuse its memory after the callback. */
  push(chunk: Uint8Array, isLast: boolean): void {
    if (this.#aborted) return;
    if (chunk.byteLength > 0) this.#chunks.push(new Uint8Array(chunk));
    this.#bufferedBytes += chunk.byteLength;
    this.#ended = isLast;
    if (!isLast && this.#bufferedBytes > BUFFERED_BYTES_MAX) this.#pause();
    // The body is complete: the socket does not have to stay paused.
    else if (isLast && this.#paused) this.#resume();
    this.#wake?.();
  }

  /** Ends the stream, because the response has ended and must not be used again. */
  abort(): void {
    this.#aborted = true;
    this.#chunks = [];
    clearTimeout(this.#retryTimer);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      if (this.#aborted) throw new Error('the caller disconnected before the body was complete');
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#bufferedBytes -= chunk.byteLength;
        if (this.#paused && this.#bufferedBytes <= BUFFERED_BYTES_MAX / 2) this.#resume();
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
      if (this.#paused && !this.#aborted) this.#pauseUntilRetry();
    });
  }

  #pauseUntilRetry(): void {
    const { response, readCount } = this.#exchange;
    response.pause();
    this.#retryMs = readCount === this.#readCountBefore ? Math.min(RETRY_MS_MAX, 2 * this.#retryMs) : RETRY_MS;
    this.#readCountBefore = readCount;
    this.#wakeSenderLater(this.#retryMs);
  }

  /** Wakes the sender after the delay: if the unsent bytes were sent before the socket was paused, the fast front does not report the space. */
  #wakeSenderLater(ms: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#exchange.wake?.(), ms);
  }

  #resume(): void {
    this.#paused = false;
    this.#exchange.response.readOn();
    if (this.#exchange.awaitsReader) this.#wakeSenderLater(RETRY_MS);
    else clearTimeout(this.#retryTimer);
  }
}
