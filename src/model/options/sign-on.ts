import { ROOT_ROLE_NAMES } from '../sign-on.ts';

const text = { kind: 'text', default: '' } as const;
const flag = { kind: 'boolean', default: 'false' } as const;
/** The name of a root role. "": the option is not set. */
const role = { kind: ['', ...ROOT_ROLE_NAMES], default: '' } as const;

/** Options that configure sign-on; part of the list in `config.ts`. A protocol that is configured here cannot be changed over HTTP. */
export const SIGN_ON_OPTIONS = {
  secretsKey: {
    ...text,
    env: ['SECRETS_KEY'],
    description:
      'Key that encrypts secrets before they are stored: those in the sign-on settings (the SAML signing key, the OpenID Connect client’s secret) ' +
      'and those of integrations (docs/extend/addons.md). It is ' +
      'a random text of at least 32 characters, the same on every replica (docs/operate/sign-on.md). Without this key, requests that set such a secret ' +
      'over HTTP are refused.',
    secret: true,
  },
  samlEnabled: {
    ...flag,
    env: ['SAML_ENABLED'],
    description:
      'Enables sign-on with SAML 2.0, with the settings in these variables. If this is `true` or `SAML_ENTITY_ID` is set, the SAML settings ' +
      'cannot be changed over HTTP (docs/operate/sign-on.md).',
  },
  samlEntityId: { ...text, env: ['SAML_ENTITY_ID'], description: 'Entity id of the identity provider.' },
  samlSignOnUrl: {
    ...text,
    env: ['SAML_SIGN_ON_URL'],
    description: 'URL at the identity provider where users sign on.',
  },
  samlCertificate: {
    ...text,
    env: ['SAML_CERTIFICATE'],
    description: 'Certificate of the identity provider’s signing key: PEM, or only its base64 text.',
  },
  samlSignOutUrl: {
    ...text,
    env: ['SAML_SIGN_OUT_URL'],
    description: 'URL at the identity provider where users sign out.',
  },
  samlSpCertificate: {
    ...text,
    env: ['SAML_SP_CERTIFICATE'],
    description: 'Private key, as PEM, that signs sign-out requests. Its certificate may follow it.',
    secret: true,
  },
  samlAutoCreate: {
    ...flag,
    env: ['SAML_AUTO_CREATE'],
    description: 'Creates an account for a user who signs on and has none.',
  },
  samlEmailDomains: {
    ...text,
    env: ['SAML_EMAIL_DOMAINS'],
    description: 'Accounts are created only for emails of these domains, comma-separated. Empty: all domains.',
  },
  samlDefaultRootRole: {
    ...role,
    env: ['SAML_DEFAULT_ROOT_ROLE'],
    description: 'Root role of the created accounts. Empty: Viewer.',
  },
  samlDefaultRootRoleId: {
    kind: 'integer',
    default: '0',
    env: ['SAML_DEFAULT_ROOT_ROLE_ID'],
    description:
      'Id of the root role of the created accounts. It has precedence over `SAML_DEFAULT_ROOT_ROLE`. 0: not set.',
  },
  samlEnableGroupSyncing: {
    ...flag,
    env: ['SAML_ENABLE_GROUP_SYNCING'],
    description:
      'At each sign-on, updates the groups of the user from the groups that the identity provider sends (docs/operate/sign-on.md).',
  },
  samlGroupJsonPath: {
    ...text,
    env: ['SAML_GROUP_JSON_PATH'],
    description: 'Name of the attribute with the groups in the response of the identity provider.',
  },
  oidcEnabled: {
    ...flag,
    env: ['OIDC_ENABLED'],
    description:
      'Enables sign-on with OpenID Connect, with the settings in these variables. If this is `true` or `OIDC_DISCOVER_URL` is set, the OpenID ' +
      'Connect settings cannot be changed over HTTP (docs/operate/sign-on.md).',
  },
  oidcDiscoverUrl: {
    kind: 'url',
    default: '',
    env: ['OIDC_DISCOVER_URL'],
    description: 'URL of the identity provider (the issuer), or of its discovery document.',
  },
  oidcClientId: { ...text, env: ['OIDC_CLIENT_ID'], description: 'Id of this client at the identity provider.' },
  oidcClientSecret: {
    ...text,
    env: ['OIDC_CLIENT_SECRET'],
    description: 'Secret of this client at the identity provider.',
    secret: true,
  },
  oidcAcrValues: {
    ...text,
    env: ['OIDC_ACR_VALUES'],
    description: 'Authentication contexts (`acr_values`) that are requested, separated by spaces.',
  },
  oidcIdTokenSigningAlgorithm: {
    ...text,
    env: ['OIDC_ID_TOKEN_SIGNING_ALGORITHM'],
    description: 'Algorithm that signs id tokens. Empty: RS256.',
  },
  oidcEnableSingleSignOut: {
    ...flag,
    env: ['OIDC_ENABLE_SINGLE_SIGN_OUT'],
    description: 'A sign-out from Burgee also signs the user out at the identity provider.',
  },
  oidcAddGroupsScope: {
    ...flag,
    env: ['OIDC_ADD_GROUPS_SCOPE'],
    description: 'Also requests the scope `groups`.',
  },
  oidcAutoCreate: {
    ...flag,
    env: ['OIDC_AUTO_CREATE'],
    description: 'Creates an account for a user who signs on and has none.',
  },
  oidcEmailDomains: {
    ...text,
    env: ['OIDC_EMAIL_DOMAINS'],
    description: 'Accounts are created only for emails of these domains, comma-separated. Empty: all domains.',
  },
  oidcDefaultRootRole: {
    ...role,
    env: ['OIDC_DEFAULT_ROOT_ROLE'],
    description: 'Root role of the created accounts. Empty: Viewer.',
  },
  oidcDefaultRootRoleId: {
    kind: 'integer',
    default: '0',
    env: ['OIDC_DEFAULT_ROOT_ROLE_ID'],
    description:
      'Id of the root role of the created accounts. It has precedence over `OIDC_DEFAULT_ROOT_ROLE`. 0: not set.',
  },
  oidcEnableGroupSyncing: {
    ...flag,
    env: ['OIDC_ENABLE_GROUP_SYNCING'],
    description:
      'At each sign-on, updates the groups of the user from the groups that the identity provider sends (docs/operate/sign-on.md).',
  },
  oidcGroupJsonPath: {
    ...text,
    env: ['OIDC_GROUP_JSON_PATH'],
    description: 'Path of the claim with the groups, such as `groups` or `user.groups`.',
  },
} as const;
