import { wholeReady } from '../access/effective-permissions.ts';
import { may, refusal } from '../access/may.ts';
import { Rejection, unavailable } from '../base/rejection.ts';
import { yieldControl } from '../base/yield-control.ts';
import { type Caller, type Grant, NOBODY } from '../model/caller.ts';
import { hashedSecret, sameHash, TOKEN_LENGTH_MAX } from '../model/token-secret.ts';
import type { StateReader } from '../state/collections.ts';
import { type Access, credentialOf } from './access.ts';
import { cookieValue, isMeant, SESSION_COOKIE } from './cookies.ts';

/** The credentials in a request. Read on demand: a poll reads only the header that decides. Each is "" when missing. */
export interface Credentials {
  readonly authorization: string;
  readonly cookie: string;
  /** Where the page comes from that sends the request, if a browser does. */
  readonly origin: string;
  /** `Sec-Fetch-Site`: the same in one word, by browsers that know it. */
  readonly site: string;
  readonly host: string;
  /** Whether the caller uses TLS, as far as is known. */
  readonly isTls: boolean;
  /** In lower case. */
  readonly method: string;
}

/** Finds the caller of a secret. Implemented by the token view. */
export interface CredentialSource {
  /** The caller, or undefined when the secret is unknown or has expired. */
  find(secret: string): Caller | undefined;
}

/** The same of what users have. Never asked for an SDK's token: no poll pays for it. */
interface UserCredentialSource {
  /** Whose personal token it is. */
  findToken(secret: string): Caller | undefined;
  /** Who signed on, by what the cookie of their session holds. */
  findSession(secret: string): Caller | undefined;
}

interface AuthenticationOptions {
  /** Where users and roles are looked up. */
  readonly reader: StateReader;
  /** Who calls when the client API is open to every caller (`AUTH_TYPE=none`); null when it is not. */
  readonly anonymousClient: Caller | null;
  readonly users?: UserCredentialSource;
  /** Of the URL under which people know the service; "" when that is not known. */
  readonly ownOrigin?: string;
  /**
   * Whether tokens may exist that this process does not know yet. SDKs that get 401 stop polling for good, so a caller with an unknown token is
   * answered with 503 then.
   */
  readonly mayLackTokens?: () => boolean;
  /** What operators send for their routes; "" opens these to every caller. */
  readonly backstageToken?: string;
}

/** Of a token that may exist, and is not known here yet. */
export const NOT_KNOWN_YET = unavailable(
  'This replica is not up to date and does not know your token; it may be a new one.',
  2,
);

/** Of a credential that is missing, unknown or expired. */
export const UNAUTHENTICATED = new Rejection(
  'AuthenticationRequired',
  'The request has no valid token. Send one in the authorization header: admin tokens for the admin API, client tokens for SDKs on ' +
    'servers, frontend tokens for browsers. People log in at /auth/simple/login.',
);

/** As `UNAUTHENTICATED`, of a request that has no credential at all: no waiting will make it one. */
const NO_CREDENTIAL = new Rejection(UNAUTHENTICATED.name, UNAUTHENTICATED.message);

/** Of an operator's request without the operators' token. Not `UNAUTHENTICATED`: no other service is asked about the token it came with. */
const NO_BACKSTAGE_TOKEN = new Rejection(
  UNAUTHENTICATED.name,
  'The request needs the token that BACKSTAGE_TOKEN sets, as `authorization: Bearer <token>`.',
);

/** Of a request that a page of another origin may have made a browser send, with its owner's cookie. */
const NOT_MEANT = new Rejection(
  'NoAccessError',
  'The request changes something and carries a session cookie, but does not say that it comes from a page of this service: ' +
    'it needs an Origin or a Sec-Fetch-Site header of the same origin. Tools send a token instead. Where a proxy ends TLS, set UNLEASH_URL or ' +
    'TRUSTED_PROXIES.',
);

const WRONG_TYPE = {
  none: new Rejection('NoAccessError', 'This path is not for you.'),
  admin: new Rejection('NoAccessError', 'This path needs an admin token; the token you sent is of another type.'),
  client: new Rejection('NoAccessError', 'This path needs a client token; the token you sent is of another type.'),
  frontend: new Rejection('NoAccessError', 'This path needs a frontend token; the token you sent is of another type.'),
};

/** Decides who a request comes from, and whether they may do what the route does. */
export class Authenticator {
  readonly #credentials: CredentialSource;
  readonly #reader: StateReader;
  readonly #anonymousClient: Caller | null;
  readonly #users: UserCredentialSource | undefined;
  readonly #ownOrigin: string;
  readonly #mayLackTokens: () => boolean;
  /** As a hash; null: operators need none. */
  readonly #backstageToken: string | null;

  constructor(credentials: CredentialSource, options: AuthenticationOptions) {
    this.#credentials = credentials;
    this.#reader = options.reader;
    this.#anonymousClient = options.anonymousClient;
    this.#users = options.users;
    this.#ownOrigin = options.ownOrigin ?? '';
    this.#mayLackTokens = options.mayLackTokens ?? (() => false);
    this.#backstageToken = options.backstageToken ? hashedSecret(options.backstageToken) : null;
  }

  /** The caller, if it has the kind that the route requires. Does not check permissions: see `authorize`. */
  authenticate(credentials: Credentials, access: Access): Caller | Rejection {
    const { permission } = access;
    if (permission === 'NONE') return 'backstage' in access ? this.#operator(credentials) : NOBODY;
    const { authorization } = credentials;
    if (permission === 'CLIENT' && this.#anonymousClient && authorization === '') return this.#anonymousClient;
    if (authorization === '' && permission !== 'CLIENT' && permission !== 'FRONTEND')
      return this.#signedOn(credentials);
    const caller = this.#credentials.find(authorization) ?? this.#findElsewhere(authorization);
    if (!caller) {
      if (permission === 'CLIENT' && this.#anonymousClient) return this.#anonymousClient;
      if (authorization === '') return NO_CREDENTIAL;
      return this.#mayLackTokens() ? NOT_KNOWN_YET : UNAUTHENTICATED;
    }
    const kind = permission === 'CLIENT' || permission === 'FRONTEND' ? permission : 'READ';
    if (!may(this.#reader, caller, kind, null, null)) return WRONG_TYPE[credentialOf(access)];
    return caller;
  }

  /**
   * Resolves when the caller's effective permissions are calculated; undefined when they are ready now. Large ones are calculated in slices. Requests that
   * waited together continue one per turn of the loop.
   */
  ready(caller: Caller | Rejection): Promise<undefined> | undefined {
    if (caller instanceof Rejection || caller.user === null) return undefined;
    return wholeReady(this.#reader, caller.user)?.then(() => yieldControl()) as Promise<undefined> | undefined;
  }

  /** Why the caller does not have the grant, or undefined. */
  authorize(caller: Caller, grant: Grant): Rejection | undefined {
    return refusal(this.#reader, caller, grant);
  }

  #operator({ authorization }: Credentials): Caller | Rejection {
    if (this.#backstageToken === null) return NOBODY;
    const secret = secretOf(authorization);
    const isKnown = secret.length <= TOKEN_LENGTH_MAX && sameHash(hashedSecret(secret), this.#backstageToken);
    return isKnown ? NOBODY : NO_BACKSTAGE_TOKEN;
  }

  /** Who sends a session's cookie, on the admin side. */
  #signedOn(credentials: Credentials): Caller | Rejection {
    const secret = cookieValue(credentials.cookie, SESSION_COOKIE);
    if (secret === '') return NO_CREDENTIAL;
    const caller = this.#users?.findSession(secret);
    if (!caller) return this.#mayLackTokens() ? NOT_KNOWN_YET : UNAUTHENTICATED;
    return isMeant(credentials, this.#ownOrigin) ? caller : NOT_MEANT;
  }

  /** By a bearer's token, or by a personal one. */
  #findElsewhere(authorization: string): Caller | undefined {
    const secret = secretOf(authorization);
    const caller = secret === authorization ? undefined : this.#credentials.find(secret);
    return caller ?? this.#users?.findToken(secret);
  }
}

/** The token that the header carries, by itself or as a bearer's. */
export function secretOf(authorization: string): string {
  return /^bearer /i.test(authorization) ? authorization.slice(7).trim() : authorization;
}
