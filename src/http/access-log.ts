import type { Logger } from '../base/logger.ts';
import type { HttpRequest, HttpResponse } from './front/front.ts';

/**
 * Logs one line per request, at level `info`. The line contains the route and not the sent URL, because sent paths contain secrets and queries
 * contain contexts of users. Created only if `REQUEST_LOGGER_ENABLE` or the level `debug` is on.
 */
export class AccessLog {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Logs the request when its answer begins. If the caller leaves before that, nothing is logged. */
  follow(response: HttpResponse, request: HttpRequest, route: string): void {
    const method = request.getMethod().toUpperCase();
    const startedMs = performance.now();
    response.observeStatus((status) => {
      const ms = Math.round((performance.now() - startedMs) * 1_000) / 1_000;
      this.#logger.info({ method, route, status, ms }, 'request');
    });
  }
}
