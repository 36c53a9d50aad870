import { createHash, randomBytes } from 'node:crypto';
import { localPath } from '../return-path.ts';

/** How long a user may take at the identity provider. */
export const ATTEMPT_LIFETIME_MS = 10 * 60_000;

/** How far the clocks of machines may differ. */
export const CLOCK_SKEW_MS = 60_000;

export const ATTEMPT_COOKIE = 'burgee-sign-on';

const SECRET_BYTES = 32;

/**
 * One attempt to sign on. Only the browser keeps it, in a cookie. Nothing is stored until an identity provider has confirmed the user, so that
 * attempts that are only begun cost nothing. The values that the identity provider receives and must return signed (a request id, a nonce) are
 * derived from the cookie with a one-way function. They prove to every replica that the browser with this cookie began the attempt.
 */
export class Attempt {
  readonly startedMs: number;
  /** The path to which the browser is redirected afterwards. */
  readonly returnTo: string;
  /** The mark that an admin's page gave to its trial (`trial.ts`); null: a sign-on, not a trial. */
  readonly trial: string | null;
  readonly #secret: string;

  private constructor(startedMs: number, secret: string, returnTo: string, trial: string | null) {
    this.startedMs = startedMs;
    this.#secret = secret;
    this.returnTo = returnTo;
    this.trial = trial;
  }

  static begin(nowMs: number, returnTo: string, trial: string | null = null): Attempt {
    return new Attempt(nowMs, randomBytes(SECRET_BYTES).toString('base64url'), localPath(returnTo), trial);
  }

  /** The attempt in the cookie, if it has not expired. Another replica, with a different clock, may have begun it. */
  static of(cookie: string, nowMs: number): Attempt | undefined {
    const match = /^(\d{1,15})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{0,2000})(?:\.([A-Za-z0-9_-]{8,64}))?$/.exec(cookie);
    if (!match) return undefined;
    const [, started = '', secret = '', returnTo = '', trial = null] = match;
    const ageMs = nowMs - Number(started);
    if (ageMs < -CLOCK_SKEW_MS || ageMs > ATTEMPT_LIFETIME_MS) return undefined;
    const path = localPath(Buffer.from(returnTo, 'base64url').toString('utf8'));
    return new Attempt(Number(started), secret, path, trial);
  }

  get cookie(): string {
    const mark = this.trial === null ? '' : `.${this.trial}`;
    return `${this.startedMs}.${this.#secret}.${Buffer.from(this.returnTo).toString('base64url')}${mark}`;
  }

  /** A value per purpose, always the same for this attempt. It depends on the start time, so that a client cannot extend the attempt. */
  derive(purpose: 'saml-request' | 'oidc-state' | 'oidc-nonce' | 'oidc-verifier' | 'spent'): string {
    return createHash('sha256').update(`${purpose}\n${this.startedMs}\n${this.#secret}`).digest('base64url');
  }
}
