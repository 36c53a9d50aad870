import type { BodyTaker, Exchange } from '../exchange.ts';
import { readOn } from '../wire.ts';

/**
 * A body that must not be read yet: the socket is paused. Bytes that arrived in the same read as the head are buffered, at most one read of uWS (512
 * KB). The user of this class must call `release` or `drop`, unless the exchange has ended.
 */
export class PausedBody {
  readonly #exchange: Exchange;
  #chunks: { readonly bytes: ArrayBuffer; readonly isLast: boolean }[] = [];
  #paused = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.onBody((chunk, isLast) => {
      this.#chunks.push({ bytes: chunk.slice(0), isLast });
      if (isLast || this.#paused) return;
      this.#paused = true;
      exchange.response.pause();
    });
    exchange.onEnd(() => {
      this.#chunks = [];
    });
  }

  /** Passes the buffered chunks and all later chunks to `taker`. */
  release(taker: BodyTaker): void {
    const chunks = this.#chunks;
    this.#resume(taker);
    for (const { bytes, isLast } of chunks) taker(bytes, isLast);
  }

  /** Reads and drops the rest of the body. Call it before the request is refused. */
  drop(): void {
    this.#resume(() => {});
  }

  #resume(taker: BodyTaker): void {
    this.#exchange.onBody(taker);
    this.#chunks = [];
    if (this.#paused && !this.#exchange.over) readOn(this.#exchange.response);
  }
}
