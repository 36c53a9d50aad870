import type { HttpResponse } from 'uWebSockets.js';

/** A response of uWS may not be touched once it was aborted or answered; this remembers which. */
export interface Exchange {
  readonly response: HttpResponse;
  /** Sent with whatever the answer is, errors included. */
  headers: Readonly<Record<string, string>> | undefined;
  /** Answered or aborted: hands off. */
  over: boolean;
  onOver: (() => void) | undefined;
}

/** Ends the exchange once; later calls do nothing. */
export function endExchange(exchange: Exchange): void {
  if (exchange.over) return;
  exchange.over = true;
  exchange.onOver?.();
}
