import type * as Oidc from 'openid-client';
import { boundedFetch } from '../../../base/network/bounded-fetch.ts';
import { networkOf } from '../../../base/network/caller-network.ts';
import { PerKeyQuota } from '../../../base/queues/per-key-quota.ts';
import { Rejection, unavailable } from '../../../base/rejection.ts';
import type { OidcSettings } from '../../../model/sign-on.ts';
import { type Attempt, CLOCK_SKEW_MS } from '../providers/attempt.ts';
import { hasEmailAndVerification, type OidcAnswer } from '../providers/identity.ts';

/** A larger response of an identity provider is rejected. */
const ANSWER_BYTES_MAX = 1_000_000;
const TIMEOUT_S = 5;

/** Maximum length of a subject, from the OpenID Connect specification. */
const SUBJECT_LENGTH_MAX = 255;

/** How long discovered metadata is used. Changed keys are fetched separately, and addresses seldom change. */
const DISCOVERED_MS = 3_600_000;
/** How long a failed discovery is remembered. */
const FAILED_MS = 2_000;

/** Maximum number of sign-ons that wait for an identity provider: in total, and per network. */
const WAITING_MAX = 64;
const WAITING_OF_ADDRESS_MAX = 8;

const BUSY = new Rejection('TooManyRequestsError', 'Too many people are signing on at the moment. Try again.', [], 2);
const UNREACHABLE = unavailable(
  'The identity provider cannot be reached, or its response is invalid. Try again, or ask an admin.',
  5,
);

/** This service as a client of the identity provider. */
export interface OidcParty {
  readonly settings: OidcSettings;
  /** Null: a public client. */
  readonly secret: string | null;
  readonly callbackUrl: string;
}

interface Discovered {
  readonly key: string;
  readonly untilMs: number;
  readonly configuration: Promise<Oidc.Configuration>;
}

/** The client of an OpenID Connect provider: code flow with PKCE, state and nonce. Caches the discovered metadata. */
export class OidcClient {
  readonly #waiting = new PerKeyQuota<string>(WAITING_MAX, WAITING_OF_ADDRESS_MAX);
  #discovered: Discovered | undefined;

  /** The URL at the provider where the user signs on. */
  async loginUrl(party: OidcParty, attempt: Attempt, address: string): Promise<string | Rejection> {
    return this.#with(party, address, async (configuration, oidc) => {
      const { acrValues, addGroupsScope } = party.settings;
      const verifier = attempt.derive('oidc-verifier');
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: party.callbackUrl,
        scope: `openid profile email${addGroupsScope ? ' groups' : ''}`,
        state: attempt.derive('oidc-state'),
        nonce: attempt.derive('oidc-nonce'),
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(acrValues && { acr_values: acrValues }),
      });
      return url.href;
    });
  }

  /**
   * The claims of the provider about the user who signed on there. `refused` is the reason why the response of the provider or of the browser
   * is invalid or does not belong to this attempt. `query` is the query of the callback.
   */
  async claims(
    party: OidcParty,
    attempt: Attempt,
    query: string,
    address: string,
  ): Promise<OidcAnswer | { readonly refused: string } | Rejection> {
    return this.#with(party, address, async (configuration, oidc) => {
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${party.callbackUrl}?${query}`), {
          pkceCodeVerifier: attempt.derive('oidc-verifier'),
          expectedState: attempt.derive('oidc-state'),
          expectedNonce: attempt.derive('oidc-nonce'),
          idTokenExpected: true,
        });
        const idToken = tokens.claims();
        if (!idToken) return { refused: 'the response has no id token' };
        const { iss: issuer, sub: subject } = idToken;
        // A multi-tenant provider must not act as one issuer per tenant: an account has one identity per issuer.
        if (issuer !== configuration.serverMetadata().issuer)
          return { refused: 'the id token is of another issuer than the discovered one' };
        if (subject === '' || subject.length > SUBJECT_LENGTH_MAX)
          return { refused: 'the subject of the id token is empty or too long' };
        const hasAllClaims = hasEmailAndVerification(idToken) && !party.settings.enableGroupSyncing;
        const needsUserInfo = !hasAllClaims && configuration.serverMetadata().userinfo_endpoint !== undefined;
        const userInfo = needsUserInfo ? await oidc.fetchUserInfo(configuration, tokens.access_token, subject) : null;
        return { issuer, subject, idToken, userInfo };
      } catch (error) {
        return { refused: reasonOf(error) };
      }
    });
  }

  /** The URL at the provider where the user signs out; null when the provider has none. */
  async logoutUrl(party: OidcParty, returnTo: string, address: string): Promise<string | null | Rejection> {
    return this.#with(party, address, async (configuration, oidc) => {
      if (!configuration.serverMetadata().end_session_endpoint) return null;
      return oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
    });
  }

  /** Calls `work` with the discovered metadata, within the quota of the network of `address`. */
  async #with<T>(
    party: OidcParty,
    address: string,
    work: (configuration: Oidc.Configuration, oidc: OidcLibrary) => Promise<T>,
  ): Promise<T | Rejection> {
    const network = networkOf(address, 48);
    if (!this.#waiting.take(network)) return BUSY;
    try {
      const configuration = await this.#discover(party).catch(() => undefined);
      return configuration ? await work(configuration, await library()) : UNREACHABLE;
    } finally {
      this.#waiting.give(network);
    }
  }

  /** One discovery for all concurrent sign-ons. */
  #discover(party: OidcParty): Promise<Oidc.Configuration> {
    const { discoverUrl, clientId, idTokenSigningAlgorithm } = party.settings;
    const key = JSON.stringify([discoverUrl, clientId, idTokenSigningAlgorithm, party.secret]);
    const nowMs = performance.now();
    if (this.#discovered?.key === key && this.#discovered.untilMs > nowMs) return this.#discovered.configuration;
    const configuration = discover(party);
    this.#discovered = { key, untilMs: nowMs + DISCOVERED_MS, configuration };
    configuration.catch(() => {
      if (this.#discovered?.configuration === configuration)
        this.#discovered = { key, untilMs: performance.now() + FAILED_MS, configuration };
    });
    return configuration;
  }
}

type OidcLibrary = typeof Oidc;

/** Loads the library at the first sign-on: it needs nine megabytes of memory, and most installations do not use it. */
const library = (): Promise<OidcLibrary> => import('openid-client');

async function discover({ settings, secret }: OidcParty): Promise<Oidc.Configuration> {
  const oidc = await library();
  const url = new URL(settings.discoverUrl ?? '');
  const clientId = settings.clientId ?? '';
  const metadata = {
    id_token_signed_response_alg: settings.idTokenSigningAlgorithm ?? 'RS256',
    [oidc.clockTolerance]: CLOCK_SKEW_MS / 1000,
  };
  const isInsecure = url.protocol === 'http:' && isLoopback(url);
  const options = { [oidc.customFetch]: fetchAnswer, timeout: TIMEOUT_S };
  const execute = isInsecure ? [oidc.allowInsecureRequests] : [];
  const discovered = await oidc.discovery(url, clientId, metadata, oidc.None(), { ...options, execute });
  const server = discovered.serverMetadata();
  const configuration = new oidc.Configuration(server, clientId, metadata, authenticationOf(oidc, server, secret));
  configuration[oidc.customFetch] = fetchAnswer;
  configuration.timeout = TIMEOUT_S;
  if (isInsecure) oidc.allowInsecureRequests(configuration);
  return configuration;
}

function authenticationOf(oidc: OidcLibrary, server: Oidc.ServerMetadata, secret: string | null): Oidc.ClientAuth {
  if (secret === null) return oidc.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

/** Traffic on the loopback interface cannot be intercepted, so it needs no TLS. */
function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** `fetch` with a limit on the size of the answer. */
const fetchAnswer = (url: string, options: Oidc.CustomFetchOptions): Promise<Response> =>
  boundedFetch(url, options as RequestInit, ANSWER_BYTES_MAX);

/** The reason of the error as text for the log, without the content of the response. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, error: reported } = error as Error & { readonly code?: unknown; readonly error?: unknown };
  return [error.message, code, reported]
    .filter((part) => typeof part === 'string')
    .join(', ')
    .slice(0, 500);
}
