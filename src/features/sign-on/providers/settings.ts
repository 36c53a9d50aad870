import { ConfigError } from '../../../base/options.ts';
import { Rejection } from '../../../base/rejection.ts';
import { SEALING_KEY_LENGTH_MIN, Sealer } from '../../../base/sealing.ts';
import type { Config } from '../../../config.ts';
import type { OidcSettings, SamlSettings, SignOnPolicy } from '../../../model/sign-on.ts';
import type { StateReader } from '../../../state/collections.ts';

/** Seals and opens secrets; null when SECRETS_KEY is not set. @throws ConfigError */
export function sealerOf({ secretsKey }: Config): Sealer | null {
  if (secretsKey === '') return null;
  if (secretsKey.length >= SEALING_KEY_LENGTH_MIN) return new Sealer(secretsKey);
  throw new ConfigError(`SECRETS_KEY must have at least ${SEALING_KEY_LENGTH_MIN} characters`);
}

export const isSamlFromEnvironment = (config: Config) => config.samlEnabled || config.samlEntityId !== '';
export const isOidcFromEnvironment = (config: Config) => config.oidcEnabled || config.oidcDiscoverUrl !== '';

/** The effective settings: the environment variables if they configure this sign-on, otherwise the settings that were set over HTTP. */
export function samlSettings(config: Config, reader: StateReader): SamlSettings {
  if (isSamlFromEnvironment(config)) return samlOfEnvironment(config);
  const settings = reader.get('signOnSettings', 'saml');
  return settings?.protocol === 'saml' ? settings : { protocol: 'saml', enabled: false };
}

export function oidcSettings(config: Config, reader: StateReader): OidcSettings {
  if (isOidcFromEnvironment(config)) return oidcOfEnvironment(config);
  const settings = reader.get('signOnSettings', 'oidc');
  return settings?.protocol === 'oidc' ? settings : { protocol: 'oidc', enabled: false };
}

/** Checks the options of sign-on: the key for secrets, and that the settings of each enabled protocol are complete. @throws ConfigError */
export function checkEnvironment(config: Config): void {
  sealerOf(config);
  const needed: Record<string, string> = {};
  if (config.samlEnabled) {
    needed.SAML_ENTITY_ID = config.samlEntityId;
    needed.SAML_SIGN_ON_URL = config.samlSignOnUrl;
    needed.SAML_CERTIFICATE = config.samlCertificate;
  }
  if (config.oidcEnabled) {
    needed.OIDC_DISCOVER_URL = config.oidcDiscoverUrl;
    needed.OIDC_CLIENT_ID = config.oidcClientId;
  }
  const missing = Object.keys(needed).filter((name) => needed[name] === '');
  if (missing.length > 0) throw new ConfigError(`sign-on is enabled, but ${missing.join(', ')} is not set`);
}

function samlOfEnvironment(config: Config): SamlSettings {
  return {
    protocol: 'saml',
    enabled: config.samlEnabled,
    entityId: config.samlEntityId,
    signOnUrl: config.samlSignOnUrl,
    certificate: multiline(config.samlCertificate),
    ...(config.samlSignOutUrl && { signOutUrl: config.samlSignOutUrl }),
    ...(config.samlSpCertificate && { spCertificate: { plain: multiline(config.samlSpCertificate) } }),
    ...policy({
      autoCreate: config.samlAutoCreate,
      emailDomains: config.samlEmailDomains,
      defaultRootRole: config.samlDefaultRootRole,
      defaultRootRoleId: config.samlDefaultRootRoleId,
      enableGroupSyncing: config.samlEnableGroupSyncing,
      groupJsonPath: config.samlGroupJsonPath,
    }),
  };
}

function oidcOfEnvironment(config: Config): OidcSettings {
  const algorithm = config.oidcIdTokenSigningAlgorithm as OidcSettings['idTokenSigningAlgorithm'] | '';
  return {
    protocol: 'oidc',
    enabled: config.oidcEnabled,
    discoverUrl: config.oidcDiscoverUrl,
    clientId: config.oidcClientId,
    ...(config.oidcClientSecret && { secret: { plain: config.oidcClientSecret } }),
    ...(config.oidcAcrValues && { acrValues: config.oidcAcrValues }),
    ...(algorithm && { idTokenSigningAlgorithm: algorithm }),
    enableSingleSignOut: config.oidcEnableSingleSignOut,
    addGroupsScope: config.oidcAddGroupsScope,
    ...policy({
      autoCreate: config.oidcAutoCreate,
      emailDomains: config.oidcEmailDomains,
      defaultRootRole: config.oidcDefaultRootRole,
      defaultRootRoleId: config.oidcDefaultRootRoleId,
      enableGroupSyncing: config.oidcEnableGroupSyncing,
      groupJsonPath: config.oidcGroupJsonPath,
    }),
  };
}

/** The policy without the settings that are empty or 0, which means not set. */
function policy(
  settings: {
    readonly [Name in keyof SignOnPolicy]-?:
      | Exclude<SignOnPolicy[Name], undefined>
      | (Name extends 'defaultRootRole' ? '' : never);
  },
): SignOnPolicy {
  const isSet = ([, value]: [string, unknown]) => value !== '' && value !== 0;
  return Object.fromEntries(Object.entries(settings).filter(isSet)) as SignOnPolicy;
}

/** Environment variables on one line contain the line breaks of a PEM text as `\n`. */
function multiline(text: string): string {
  return text.replace(/\\n/g, '\n');
}

export const NOT_CONFIGURED = {
  saml: new Rejection('NotFoundError', 'Sign-on with SAML is not enabled in this service.'),
  oidc: new Rejection('NotFoundError', 'Sign-on with OpenID Connect is not enabled in this service.'),
};
