import { prepareAllPermissions } from '../access/effective-permissions.ts';
import { accessProblem, may } from '../access/may.ts';
import { Rejection, unavailable } from '../base/rejection.ts';
import { yieldControl } from '../base/yield-control.ts';
import { type Caller, type Grant, NOBODY } from '../model/caller.ts';
import { hashedSecret, sameHash, TOKEN_LENGTH_MAX } from '../model/token-secret.ts';
import type { StateReader } from '../state/collections.ts';
import { type Access, credentialOf } from './access.ts';
import { cookieValue, isIntended, SESSION_COOKIE } from './session-cookie.ts';

/** The credentials in a request. They are read on demand: a poll reads only one header. Each text is "" when missing. */
export interface Credentials {
  readonly authorization: string;
  readonly cookie: string;
  /** The origin of the page that sends the request, if a browser sends it. */
  readonly origin: string;
  /** `Sec-Fetch-Site`: whether the page has the same origin, in one word. Newer browsers send it. */
  readonly site: string;
  readonly host: string;
  /** Whether the caller uses TLS, as far as is known. */
  readonly isTls: boolean;
  /** The method of the request, in lower case. */
  readonly method: string;
}

/** Finds the caller of a secret. Implemented by the token view. */
export interface CredentialSource {
  /** The caller, or undefined when the secret is unknown or has expired. */
  find(secret: string): Caller | undefined;
}

/** Finds the caller of a personal token or a session. Not used for tokens of SDKs, so polls do not become slower. */
interface UserCredentialSource {
  /** The owner of the personal token, or undefined. */
  findToken(secret: string): Caller | undefined;
  /** The user of the session whose cookie has this value, or undefined. */
  findSession(secret: string): Caller | undefined;
  /** The identity provider with this token, or undefined. */
  findScim(secret: string): Caller | undefined;
}

interface AuthenticationOptions {
  /** The state with users and roles. */
  readonly reader: StateReader;
  /** The caller without a token if the client API is open to every caller (`AUTH_TYPE=none`), otherwise null. */
  readonly anonymousClient: Caller | null;
  readonly users?: UserCredentialSource;
  /** The origin of the public URL of the service; "" when the URL is not known. */
  readonly ownOrigin?: string;
  /**
   * Whether tokens may exist that this process does not know yet. If so, a caller with an unknown token gets 503, because SDKs that get 401 never
   * poll again.
   */
  readonly mayLackTokens?: () => boolean;
  /** The token that operators send for their routes. If it is "", every caller may use these routes. */
  readonly backstageToken?: string;
}

/** The answer to a token that may exist but that this process does not know yet. */
export const NOT_KNOWN_YET = unavailable(
  'This replica is not up to date. Your token may be new, and this replica does not know it yet. Try again.',
  2,
);

/** The answer to a credential that is missing, unknown or expired. */
export const UNAUTHENTICATED = new Rejection(
  'AuthenticationRequired',
  'The request has no valid token. Send a token in the authorization header: admin tokens for the admin API, client tokens for SDKs on ' +
    'servers, frontend tokens for browsers. People log in at /auth/simple/login.',
);

/**
 * Same as `UNAUTHENTICATED`, for a request without a credential. Such a request never waits for a newer revision, which could not add a credential.
 */
const NO_CREDENTIAL = new Rejection(UNAUTHENTICATED.name, UNAUTHENTICATED.message);

/**
 * The answer to a request to a route for operators without the required token. It is not `UNAUTHENTICATED`, because then a relay would ask its source
 * about the sent token.
 */
const NO_BACKSTAGE_TOKEN = new Rejection(
  UNAUTHENTICATED.name,
  'The request needs the token that BACKSTAGE_TOKEN sets, as `authorization: Bearer <token>`.',
);

/** The answer to a request with a cookie that a page of another origin may have caused the browser to send. */
const NOT_SAME_ORIGIN = new Rejection(
  'NoAccessError',
  'A request that changes something with a session cookie must come from a page of this service: it needs an Origin or a Sec-Fetch-Site header ' +
    'of the same origin. Tools must send a token instead of a cookie. If a proxy ends TLS, the operator must set UNLEASH_URL or TRUSTED_PROXIES.',
);

/** The answer to SCIM requests without the current token. */
const NO_SCIM_TOKEN = new Rejection(
  UNAUTHENTICATED.name,
  'SCIM needs the token that an admin created for the identity provider, as `authorization: Bearer <token>` (docs/operate/scim.md).',
);

const WRONG_TYPE = {
  none: new Rejection('NoAccessError', 'This path is not for you.'),
  admin: new Rejection('NoAccessError', 'This path needs an admin token; the token you sent is of another type.'),
  client: new Rejection('NoAccessError', 'This path needs a client token; the token you sent is of another type.'),
  scim: NO_SCIM_TOKEN,
  frontend: new Rejection('NoAccessError', 'This path needs a frontend token; the token you sent is of another type.'),
};

/** Determines the caller of a request, and whether the caller has the permission that the route requires. */
export class Authenticator {
  readonly #credentials: CredentialSource;
  readonly #reader: StateReader;
  readonly #anonymousClient: Caller | null;
  readonly #users: UserCredentialSource | undefined;
  readonly #ownOrigin: string;
  readonly #mayLackTokens: () => boolean;
  /** Hash of the token; null: operators need no token. */
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
    if (permission === 'SCIM') return this.#identityProvider(authorization);
    if (permission === 'CLIENT' && this.#anonymousClient && authorization === '') return this.#anonymousClient;
    if (authorization === '' && permission !== 'CLIENT' && permission !== 'FRONTEND')
      return this.#sessionCaller(credentials);
    const caller = this.#credentials.find(authorization) ?? this.#findBearerOrPersonal(authorization);
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
   * Resolves when the caller's effective permissions are calculated; undefined when they are ready now. Large ones are calculated in slices. Requests
   * that waited together continue one per turn of the loop.
   */
  preparePermissions(caller: Caller | Rejection): Promise<undefined> | undefined {
    if (caller instanceof Rejection || caller.user === null) return undefined;
    return prepareAllPermissions(this.#reader, caller.user)?.then(() => yieldControl()) as
      | Promise<undefined>
      | undefined;
  }

  /** Why the caller does not have the grant, or undefined. */
  authorize(caller: Caller, grant: Grant): Rejection | undefined {
    return accessProblem(this.#reader, caller, grant);
  }

  #identityProvider(authorization: string): Caller | Rejection {
    const caller = this.#users?.findScim(secretOf(authorization));
    if (caller) return caller;
    return authorization !== '' && this.#mayLackTokens() ? NOT_KNOWN_YET : NO_SCIM_TOKEN;
  }

  #operator({ authorization }: Credentials): Caller | Rejection {
    if (this.#backstageToken === null) return NOBODY;
    const secret = secretOf(authorization);
    const isKnown = secret.length <= TOKEN_LENGTH_MAX && sameHash(hashedSecret(secret), this.#backstageToken);
    return isKnown ? NOBODY : NO_BACKSTAGE_TOKEN;
  }

  /** The user of the session whose cookie was sent. Only for routes of the admin API. */
  #sessionCaller(credentials: Credentials): Caller | Rejection {
    const secret = cookieValue(credentials.cookie, SESSION_COOKIE);
    if (secret === '') return NO_CREDENTIAL;
    const caller = this.#users?.findSession(secret);
    if (!caller) return this.#mayLackTokens() ? NOT_KNOWN_YET : UNAUTHENTICATED;
    return isIntended(credentials, this.#ownOrigin) ? caller : NOT_SAME_ORIGIN;
  }

  /** The caller of a token that is sent as `Bearer <token>`, or of a personal token. */
  #findBearerOrPersonal(authorization: string): Caller | undefined {
    const secret = secretOf(authorization);
    const caller = secret === authorization ? undefined : this.#credentials.find(secret);
    return caller ?? this.#users?.findToken(secret);
  }
}

/** The token in the header, with or without `Bearer` before it. */
export function secretOf(authorization: string): string {
  return /^bearer /i.test(authorization) ? authorization.slice(7).trim() : authorization;
}
