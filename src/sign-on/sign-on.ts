import type { Logger } from '../base/logger.ts';
import { Rejection } from '../base/rejection.ts';
import type { Sealer } from '../base/sealing.ts';
import type { Config } from '../config.ts';
import type { SamlSettings } from '../model/sign-on.ts';
import { type Identity, identityOfSaml } from './identity.ts';
import { certificatesOf, privateKeyOf, reveal } from './kept-text.ts';
import type { SamlIdentity, SamlParties, SamlSubject } from './saml-protocol.ts';
import { SamlThread } from './saml-thread.ts';
import { checkEnvironment, publicUrl, sealerOf } from './settings.ts';

/** What callers are told of an answer that was refused; the log says why. */
const REFUSED = new Rejection(
  'AuthenticationRequired',
  'The answer of the identity provider was not accepted. Begin again; if that does not help, the log of this service says why.',
);

const NO_EMAIL = new Rejection(
  'NoAccessError',
  'The identity provider does not tell an email of yours that it vouches for, and accounts go by emails.',
);

/** Signing people on with what an identity provider says of them. Keeps nothing of anybody: see `Attempt` and the command `sign-on`. */
export class SignOn {
  /** Null when the environment has no key: secrets cannot be stored then. */
  readonly sealer: Sealer | null;
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #saml: SamlThread;

  /** @throws ConfigError */
  constructor(config: Config, logger: Logger) {
    checkEnvironment(config);
    this.sealer = sealerOf(config);
    this.#config = config;
    this.#logger = logger;
    this.#saml = new SamlThread();
  }

  /** Where the identity provider is asked to sign somebody on. `address` is whose share of the work it is. */
  async samlLoginUrl(settings: SamlSettings, requestId: string, address: string): Promise<string | Rejection> {
    const parties = this.#parties(settings, null);
    return this.#text(await this.#saml.run({ kind: 'authorize', parties, requestId }, address));
  }

  /** Who the response vouches for, as an answer to this very request. */
  async samlIdentity(
    settings: SamlSettings,
    requestId: string,
    response: string,
    address: string,
  ): Promise<{ readonly identity: Identity; readonly subject: SamlSubject } | Rejection> {
    const parties = this.#parties(settings, null);
    const result = await this.#saml.run({ kind: 'validate', parties, requestId, response }, address);
    if (result instanceof Rejection) return result;
    if (result.kind !== 'identity') {
      this.#refuse('saml', result.kind === 'refused' ? result.reason : 'it is no response');
      return REFUSED;
    }
    const identity = identityOfSaml(result.identity, settings);
    return identity ? { identity, subject: subjectOf(result.identity) } : NO_EMAIL;
  }

  /** Where the identity provider is asked to sign somebody out; null when it cannot be. */
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

  /** What this service tells identity providers of itself, as XML. */
  async samlMetadata(settings: SamlSettings, address: string): Promise<string | Rejection> {
    const key = this.#key(settings);
    if (key instanceof Rejection) return key;
    const text = reveal(settings.spCertificate, 'saml-sp-key', this.sealer);
    const certificate = typeof text === 'string' ? (certificatesOf(text)[0] ?? null) : null;
    const parties = this.#parties(settings, key);
    return this.#text(await this.#saml.run({ kind: 'metadata', parties, certificate }, address));
  }

  close(): Promise<void> {
    return this.#saml.close();
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

  /** What this service signs with, as PEM; null when it has no key. */
  #key(settings: SamlSettings): string | null | Rejection {
    const text = reveal(settings.spCertificate, 'saml-sp-key', this.sealer);
    if (text instanceof Rejection || text === null) return text;
    return privateKeyOf(text) ?? null;
  }

  #text(result: Awaited<ReturnType<SamlThread['run']>>): string | Rejection {
    if (result instanceof Rejection) return result;
    if (result.kind === 'text') return result.text;
    this.#refuse('saml', result.kind === 'refused' ? result.reason : 'it is no text');
    return REFUSED;
  }

  #refuse(protocol: string, reason: string): void {
    this.#logger.warn({ protocol, reason }, 'a sign-on was refused');
  }
}

function subjectOf({ nameId, nameIdFormat, sessionIndex }: SamlIdentity): SamlSubject {
  return { nameId, nameIdFormat, sessionIndex };
}
