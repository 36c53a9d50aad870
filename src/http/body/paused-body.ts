import type { Exchange } from '../exchange.ts';
import type { BodyTaker } from '../front/front.ts';

/**
 * A body that must not be read yet: the socket is paused. Bytes that arrived in the same read as the head are buffered, at most one read of the server (512
 * KB). The user of this class must call `release` or `drop`, unless the exchange has ended.
 */
export class PausedBody {
  readonly #exchange: Exchange;
  #chunks: { readonly bytes: Uint8Array; readonly isLast: boolean }[] = [];
  #paused = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.onBody((chunk, isLast) => {
      this.#chunks.push({ bytes: new Uint8Array(chunk), isLast });
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
    if (this.#paused && !this.#exchange.over) this.#exchange.response.readOn();
  }
}
