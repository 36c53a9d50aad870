import type { BodyTaker, Exchange } from '../exchange.ts';
import { readOn } from '../wire.ts';

/**
 * A body that must not be read yet: the caller is kept from sending. What came in one read with the head cannot be sent back and is kept,
 * at most what uWS reads at once (512 KB). One of `release` and `drop` must be called, unless the exchange has ended.
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

  /** Gives `taker` what was buffered, and what is still to come. */
  release(taker: BodyTaker): void {
    const chunks = this.#chunks;
    this.#goOn(taker);
    for (const { bytes, isLast } of chunks) taker(bytes, isLast);
  }

  /** Lets the rest come and go, before the request is turned away. */
  drop(): void {
    this.#goOn(() => {});
  }

  #goOn(taker: BodyTaker): void {
    this.#exchange.onBody(taker);
    this.#chunks = [];
    if (this.#paused && !this.#exchange.over) readOn(this.#exchange.response);
  }
}
