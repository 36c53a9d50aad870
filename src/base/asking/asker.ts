/**
 * Who waits for a piece of work: the request for which it is done. `docs/decisions/end-of-a-request.md` says how work ends with it. An exchange is one
 * (`http/exchange.ts`), so that a request needs no object for this.
 */
export interface Asker {
  /** The caller, whose share of the time and of the quotas the work uses; "" for work of the service itself. */
  readonly holder: string;
  /** Whether the caller no longer waits: the answer was sent, the connection was closed, or the deadline has passed. */
  readonly ended: boolean;
  /** Calls `listener` once when the asker ends. */
  onEnd(listener: () => void): void;
}

/** Asks for the work of the service itself. It never ends. */
export const SERVICE: Asker = { holder: '', ended: false, onEnd() {} };

/** Ends work whose asker has ended. It is no defect, and it is not logged: there is no caller left to answer. */
export class AskerEnded extends Error {
  constructor() {
    super('the caller no longer waits for this work');
    this.name = 'AskerEnded';
  }
}

/** @throws AskerEnded if the asker has ended */
export function assertAsked(asker: Asker): void {
  if (asker.ended) throw new AskerEnded();
}

/** An asker that is ended by a call. */
export class OwnAsker implements Asker {
  holder: string;
  #isEnded = false;
  #listeners: (() => void)[] = [];

  constructor(holder = '') {
    this.holder = holder;
  }

  get ended(): boolean {
    return this.#isEnded;
  }

  onEnd(listener: () => void): void {
    if (this.#isEnded) listener();
    else this.#listeners.push(listener);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/** Those who wait for work that several share. They have ended when the last of them has. */
export class SharedAsker implements Asker {
  /** The caller toward whose share the work counts; "" if the service keeps its result. */
  readonly holder: string;
  readonly #own = new OwnAsker();
  #waiting = 0;

  constructor(holder = '') {
    this.holder = holder;
  }

  get ended(): boolean {
    return this.#own.ended;
  }

  onEnd(listener: () => void): void {
    this.#own.onEnd(listener);
  }

  /** One more waits for the work. */
  join(asker: Asker): void {
    if (asker.ended) return;
    this.#waiting++;
    asker.onEnd(() => {
      if (--this.#waiting === 0) this.#own.end();
    });
  }
}
