import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';

/** Maximum number of errors that are logged in one minute. Only the number of further errors is logged. */
const PER_MINUTE_MAX = 60;
const MINUTE_MS = 60_000;

/** An error that a page reports. */
interface UiError {
  readonly message: string;
  readonly stack: string | undefined;
  /** Id of the user who has the page open. */
  readonly userId: number;
}

/** Logs errors of pages in browsers: limited in number, and without secrets. */
export class UiErrors {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #minuteStartMs = 0;
  #logged = 0;
  #omitted = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  record({ message, stack, userId }: UiError): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#minuteStartMs >= MINUTE_MS || nowMs < this.#minuteStartMs) {
      if (this.#omitted > 0)
        this.#logger.warn(
          { errors: this.#omitted },
          'errors in browsers were not logged, because there were too many in one minute',
        );
      this.#minuteStartMs = nowMs;
      this.#logged = 0;
      this.#omitted = 0;
    }
    if (this.#logged >= PER_MINUTE_MAX) {
      this.#omitted++;
      return;
    }
    this.#logged++;
    const fields = {
      userId,
      uiError: withoutSecrets(message),
      ...(stack !== undefined && { uiStack: withoutSecrets(stack) }),
    };
    this.#logger.warn(fields, 'a page in a browser reported an error');
  }
}

/** Replaces tokens, and removes the query and the fragment of addresses. Each expression takes linear time. */
function withoutSecrets(text: string): string {
  return text
    .replace(/(?<![\w*[\].~-])[\w*[\].~-]{1,200}:[\w*.~-]{1,200}\.[\w.~-]+/g, '[token]')
    .replace(/\buser:[0-9a-f]{8,}/gi, '[token]')
    .replace(/(https?:\/\/[^\s?#]{1,300})[?#]\S*/gi, '$1');
}
