import type { Logger } from '../../../base/logger.ts';
import { Rejection, unavailable } from '../../../base/rejection.ts';
import type { Sealer } from '../../../base/sealing.ts';
import type { Config } from '../../../config.ts';
import type { OidcSettings, SamlSettings, SessionOrigin } from '../../../model/sign-on.ts';
import { publicUrl } from '../../shared/public-url.ts';
import { OidcClient, type OidcParty } from '../oidc/client.ts';
import type { SamlIdentity, SamlParties, SamlSubject } from '../saml/protocol.ts';
import { SamlThread } from '../saml/thread.ts';
import type { Attempt } from './attempt.ts';
import { type Identity, identityOfClaims, identityOfSaml } from './identity.ts';
import { checkEnvironment, sealerOf } from './settings.ts';
import { certificatesOf, privateKeyOf, reveal } from './stored-text.ts';

/** The rejection of an invalid response of the identity provider. Only the log, and the result of an admin's trial, contain the reason. */
export class Refusal extends Rejection {
  readonly reason: string;

  constructor(reason: string) {
    super(
      'AuthenticationRequired',
      'The response of the identity provider was not accepted. Begin again. If this does not help, the log of this service has the reason.',
    );
    this.reason = reason;
  }
}

const MISCONFIGURED = unavailable(
  'Sign-on with SAML is not possible, because its settings are invalid. The log of this service has the reason.',
  60,
);

const NO_EMAIL = new Rejection(
  'NoAccessError',
  'The identity provider sent no verified email of your account. This service needs a verified email to find the account: your account at the ' +
    'provider must have an email, and the provider must send it (for Entra ID, as an optional claim: docs/operate/sign-on.md).',
);

/** A user whose identity an identity provider has confirmed, and the data that the provider needs when the user signs out. */
export interface VerifiedUser {
  readonly identity: Identity;
  readonly origin: SessionOrigin;
}

/** Signs users on with an identity provider. Keeps no state about users: see `Attempt` and the command `sign-on`. */
export class SignOn {
  /** Null if SECRETS_KEY is not set: then secrets cannot be stored. */
  readonly sealer: Sealer | null;
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #saml: SamlThread;
  readonly #oidc = new OidcClient();

  /** @throws ConfigError */
  constructor(config: Config, logger: Logger) {
    checkEnvironment(config);
    this.sealer = sealerOf(config);
    this.#config = config;
    this.#logger = logger;
    this.#saml = new SamlThread(logger);
  }

  /** The URL at the identity provider where the user signs on. The work counts against the quota of `address`. */
  async samlLoginUrl(settings: SamlSettings, requestId: string, address: string): Promise<string | Rejection> {
    const parties = this.#parties(settings, null);
    return this.#text(await this.#saml.run({ kind: 'authorize', parties, requestId }, address));
  }

  /** The user in the response, which must respond to this request. */
  async samlIdentity(
    settings: SamlSettings,
    requestId: string,
    response: string,
    address: string,
  ): Promise<VerifiedUser | Rejection> {
    const parties = this.#parties(settings, null);
    if (parties.certificates.length === 0) {
      this.#logRefusal('saml', 'the certificate in the settings cannot be read');
      return MISCONFIGURED;
    }
    const result = await this.#saml.run({ kind: 'validate', parties, requestId, response }, address);
    if (result instanceof Rejection) return result;
    if (result.kind !== 'identity') {
      return this.#refused('saml', result.kind === 'refused' ? result.reason : 'the SAML thread returned no identity');
    }
    const identity = identityOfSaml(result.identity, settings);
    return identity ? { identity, origin: originOf(result.identity) } : NO_EMAIL;
  }

  /** The URL at the identity provider where the user signs out; null when the settings have none. */
  async samlLogoutUrl(
    settings: SamlSettings,
    subject: SamlSubject,
    address: string,
  ): Promise<string | null | Rejection> {
    if (!settings.signOutUrl) return null;
    const key = this.#key(settings);
    if (key instanceof Rejection) return key;
    const parties = this.#parties(settings, key);
    return this.#text(await this.#saml.run({ kind: 'sign-out', parties, subject }, address));
  }

  /** The SAML metadata of this service, as XML. */
  async samlMetadata(settings: SamlSettings, address: string): Promise<string | Rejection> {
    const key = this.#key(settings);
    if (key instanceof Rejection) return key;
    const text = reveal(settings.spCertificate, 'saml-sp-key', this.sealer);
    const certificate = typeof text === 'string' ? (certificatesOf(text)[0] ?? null) : null;
    const parties = this.#parties(settings, key);
    return this.#text(await this.#saml.run({ kind: 'metadata', parties, certificate }, address));
  }

  async oidcLoginUrl(settings: OidcSettings, attempt: Attempt, address: string): Promise<string | Rejection> {
    const party = this.#party(settings);
    return party instanceof Rejection ? party : this.#oidc.loginUrl(party, attempt, address);
  }

  /** The user in the response, which must belong to this attempt. `query` is the query of the callback. */
  async oidcIdentity(
    settings: OidcSettings,
    attempt: Attempt,
    query: string,
    address: string,
  ): Promise<VerifiedUser | Rejection> {
    const party = this.#party(settings);
    if (party instanceof Rejection) return party;
    const answer = await this.#oidc.claims(party, attempt, query, address);
    if (answer instanceof Rejection) return answer;
    if ('refused' in answer) return this.#refused('oidc', answer.refused);
    const identity = identityOfClaims(answer, settings);
    return identity ? { identity, origin: { protocol: 'oidc' } } : NO_EMAIL;
  }

  /** The URL at the provider where the user signs out; null when single sign-out is off or the provider has no such URL. */
  async oidcLogoutUrl(settings: OidcSettings, address: string): Promise<string | null | Rejection> {
    if (!settings.enableSingleSignOut) return null;
    const party = this.#party(settings);
    return party instanceof Rejection ? party : this.#oidc.logoutUrl(party, `${publicUrl(this.#config)}/`, address);
  }

  close(): Promise<void> {
    return this.#saml.close();
  }

  #party(settings: OidcSettings): OidcParty | Rejection {
    const secret = reveal(settings.secret, 'oidc-client-secret', this.sealer);
    if (secret instanceof Rejection) return secret;
    return { settings, secret, callbackUrl: `${publicUrl(this.#config)}/auth/oidc/callback` };
  }

  #parties(settings: SamlSettings, key: string | null): SamlParties {
    const url = publicUrl(this.#config);
    return {
      ownId: url,
      callbackUrl: `${url}/auth/saml/callback`,
      signedOutUrl: `${url}/auth/saml/logout/callback`,
      idpId: settings.entityId ?? '',
      signOnUrl: settings.signOnUrl ?? '',
      signOutUrl: settings.signOutUrl ?? '',
      certificates: certificatesOf(settings.certificate ?? ''),
      key,
    };
  }

  /** The private key with which this service signs, as PEM; null when it has none. */
  #key(settings: SamlSettings): string | null | Rejection {
    const text = reveal(settings.spCertificate, 'saml-sp-key', this.sealer);
    if (text instanceof Rejection || text === null) return text;
    return privateKeyOf(text) ?? null;
  }

  #text(result: Awaited<ReturnType<SamlThread['run']>>): string | Rejection {
    if (result instanceof Rejection) return result;
    if (result.kind === 'text') return result.text;
    this.#logRefusal('saml', result.kind === 'refused' ? result.reason : 'the SAML thread returned no text');
    return MISCONFIGURED;
  }

  #refused(protocol: string, reason: string): Refusal {
    this.#logRefusal(protocol, reason);
    return new Refusal(reason);
  }

  #logRefusal(protocol: string, reason: string): void {
    this.#logger.warn({ protocol, reason }, 'a sign-on was refused');
  }
}

function originOf({ nameId, nameIdFormat, sessionIndex }: SamlIdentity): SessionOrigin {
  return { protocol: 'saml', nameId, nameIdFormat, sessionIndex };
}
