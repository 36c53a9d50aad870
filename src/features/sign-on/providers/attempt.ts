import { createHash, randomBytes } from 'node:crypto';

/** How long somebody may take at the identity provider. */
export const ATTEMPT_LIFETIME_MS = 10 * 60_000;

/** How far clocks of machines may differ. */
export const CLOCK_SKEW_MS = 60_000;

export const ATTEMPT_COOKIE = 'burgee-sign-on';

/** Longest place in the service that somebody is sent back to. */
const RETURN_TO_LENGTH_MAX = 500;

const SECRET_BYTES = 32;

/**
 * One try to sign on. The browser alone keeps it, in a cookie; nothing is stored until an identity provider has vouched for somebody, so that who
 * only begins to sign on, however often, costs nothing. What goes to the identity provider and has to come back signed (a request's id, a nonce)
 * is made of the cookie by a one-way function: only who holds the cookie can have begun that try, and every replica can tell.
 */
export class Attempt {
  readonly startedMs: number;
  /** Where in the service to go afterwards. */
  readonly returnTo: string;
  readonly #secret: string;

  private constructor(startedMs: number, secret: string, returnTo: string) {
    this.startedMs = startedMs;
    this.#secret = secret;
    this.returnTo = returnTo;
  }

  static begin(nowMs: number, returnTo: string): Attempt {
    return new Attempt(nowMs, randomBytes(SECRET_BYTES).toString('base64url'), localPath(returnTo));
  }

  /** The try that the cookie holds, if it is not too old. Another replica may have begun it, by a clock of its own. */
  static of(cookie: string, nowMs: number): Attempt | undefined {
    const match = /^(\d{1,15})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{0,2000})$/.exec(cookie);
    if (!match) return undefined;
    const [, started = '', secret = '', returnTo = ''] = match;
    const ageMs = nowMs - Number(started);
    if (ageMs < -CLOCK_SKEW_MS || ageMs > ATTEMPT_LIFETIME_MS) return undefined;
    return new Attempt(Number(started), secret, localPath(Buffer.from(returnTo, 'base64url').toString('utf8')));
  }

  get cookie(): string {
    return `${this.startedMs}.${this.#secret}.${Buffer.from(this.returnTo).toString('base64url')}`;
  }

  /** Something else for each purpose, and the same whenever asked; the time is part of it, so that a cookie cannot be made younger. */
  derive(purpose: 'saml-request' | 'oidc-state' | 'oidc-nonce' | 'oidc-verifier' | 'spent'): string {
    return createHash('sha256').update(`${purpose}\n${this.startedMs}\n${this.#secret}`).digest('base64url');
  }
}

/** A place in this service: a path of it, with nothing that a browser could take for another host. */
function localPath(text: string): string {
  const isLocal = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text) && text.length <= RETURN_TO_LENGTH_MAX;
  return isLocal ? text : '/';
}
