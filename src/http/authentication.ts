import { Rejection, unavailable } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';
import type { Permission } from './endpoint.ts';

/** Finds who stands behind a secret. Implemented by the token view. */
export interface CredentialSource {
  /** The caller, or undefined when the secret is unknown or has expired. */
  find(secret: string): Caller | undefined;
}

export interface AuthenticationOptions {
  /** Who calls when the client API is open to everybody (`AUTH_TYPE=none`); null when it is not. */
  readonly anonymousClient: Caller | null;
  /**
   * Whether tokens may exist that this process does not know yet. Told 401, SDKs stop polling for good, so that who sends an unknown token is
   * told 503 then.
   */
  readonly mayLackTokens?: () => boolean;
}

const NOT_KNOWN_YET = unavailable(
  'This replica is not up to date and does not know your token; it may be a new one.',
  2,
);

const UNAUTHENTICATED = new Rejection(
  'AuthenticationRequired',
  'You must log in to use Burgee. Your request had no valid authorization token; send one in the authorization header. ' +
    'A browser can log in at /auth/simple/login.',
);

const WRONG_TYPE = {
  admin: new Rejection('NoAccessError', 'This path needs an admin token; the token you sent is of another type.'),
  client: new Rejection('NoAccessError', 'This path needs a client token; the token you sent is of another type.'),
  frontend: new Rejection('NoAccessError', 'This path needs a frontend token; the token you sent is of another type.'),
};

/** Decides who a request comes from and whether that kind of credential opens the route. */
export class Authenticator {
  readonly #credentials: CredentialSource;
  readonly #anonymousClient: Caller | null;
  readonly #mayLackTokens: () => boolean;
  readonly #nobody: Caller = {
    author: { id: 0, name: 'anonymous' },
    token: null,
    scope: { environment: '', projects: new Set() },
  };

  constructor(credentials: CredentialSource, options: AuthenticationOptions) {
    this.#credentials = credentials;
    this.#anonymousClient = options.anonymousClient;
    this.#mayLackTokens = options.mayLackTokens ?? (() => false);
  }

  authenticate(authorization: string, permission: Permission): Caller | Rejection {
    if (permission === 'none') return this.#nobody;
    if (permission === 'client' && this.#anonymousClient && authorization === '') return this.#anonymousClient;
    const caller = this.#credentials.find(authorization) ?? this.#findBearer(authorization);
    if (!caller) {
      if (permission === 'client' && this.#anonymousClient) return this.#anonymousClient;
      return authorization !== '' && this.#mayLackTokens() ? NOT_KNOWN_YET : UNAUTHENTICATED;
    }
    if (caller.token?.type !== permission) return WRONG_TYPE[permission];
    return caller;
  }

  #findBearer(authorization: string): Caller | undefined {
    return /^bearer /i.test(authorization) ? this.#credentials.find(authorization.slice(7).trim()) : undefined;
  }
}
