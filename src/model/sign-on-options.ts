import { ROOT_ROLE_NAMES } from './sign-on.ts';

const text = { kind: 'text', default: '' } as const;
const flag = { kind: 'boolean', default: 'false' } as const;
/** "" means not set. */
const role = { kind: ['', ...ROOT_ROLE_NAMES], default: '' } as const;

/** Options that configure sign-on; part of the list in `config.ts`. A protocol that is configured here cannot be changed over HTTP. */
export const SIGN_ON_OPTIONS = {
  secretsKey: {
    ...text,
    env: ['SECRETS_KEY'],
    description:
      'Seals the secrets that sign-on settings need (the SAML signing key, the OpenID Connect client’s secret) before they are stored: a random ' +
      'text of at least 32 characters, the same on every replica (docs/sign-on.md). Without it such a secret is refused over HTTP.',
    secret: true,
  },
  samlEnabled: {
    ...flag,
    env: ['SAML_ENABLED'],
    description:
      'Sign-on with SAML 2.0 as the environment says. With this, or with `SAML_ENTITY_ID`, its settings are not changed over HTTP (docs/sign-on.md).',
  },
  samlEntityId: { ...text, env: ['SAML_ENTITY_ID'], description: 'Entity id of the identity provider.' },
  samlSignOnUrl: { ...text, env: ['SAML_SIGN_ON_URL'], description: 'Where the identity provider signs people on.' },
  samlCertificate: {
    ...text,
    env: ['SAML_CERTIFICATE'],
    description: 'Certificate that the identity provider signs with: PEM or bare base64.',
  },
  samlSignOutUrl: { ...text, env: ['SAML_SIGN_OUT_URL'], description: 'Where the identity provider signs people out.' },
  samlSpCertificate: {
    ...text,
    env: ['SAML_SP_CERTIFICATE'],
    description: 'Private key, as PEM, that sign-out requests are signed with; its certificate may stand behind it.',
    secret: true,
  },
  samlAutoCreate: { ...flag, env: ['SAML_AUTO_CREATE'], description: 'Whether a person without an account gets one.' },
  samlEmailDomains: {
    ...text,
    env: ['SAML_EMAIL_DOMAINS'],
    description: 'Comma-separated domains of those accounts. Empty: any domain.',
  },
  samlDefaultRootRole: {
    ...role,
    env: ['SAML_DEFAULT_ROOT_ROLE'],
    description: 'Root role of those accounts; empty: Viewer.',
  },
  samlDefaultRootRoleId: {
    kind: 'integer',
    default: '0',
    env: ['SAML_DEFAULT_ROOT_ROLE_ID'],
    description: 'The same by the role’s id, which takes precedence. 0: not set.',
  },
  samlEnableGroupSyncing: {
    ...flag,
    env: ['SAML_ENABLE_GROUP_SYNCING'],
    description: 'Whether groups follow what the identity provider says.',
  },
  samlGroupJsonPath: { ...text, env: ['SAML_GROUP_JSON_PATH'], description: 'Where its answer contains the groups.' },
  oidcEnabled: {
    ...flag,
    env: ['OIDC_ENABLED'],
    description:
      'Sign-on with OpenID Connect as the environment says. With this, or with `OIDC_DISCOVER_URL`, its settings are not changed over HTTP.',
  },
  oidcDiscoverUrl: {
    kind: 'url',
    default: '',
    env: ['OIDC_DISCOVER_URL'],
    description: 'Address of the identity provider, or of its discovery document.',
  },
  oidcClientId: { ...text, env: ['OIDC_CLIENT_ID'], description: 'Id of this client at the identity provider.' },
  oidcClientSecret: { ...text, env: ['OIDC_CLIENT_SECRET'], description: 'Its secret.', secret: true },
  oidcAcrValues: {
    ...text,
    env: ['OIDC_ACR_VALUES'],
    description: 'Authentication contexts to ask for, separated by spaces.',
  },
  oidcIdTokenSigningAlgorithm: {
    ...text,
    env: ['OIDC_ID_TOKEN_SIGNING_ALGORITHM'],
    description: 'What id tokens are signed with. Empty: RS256.',
  },
  oidcEnableSingleSignOut: {
    ...flag,
    env: ['OIDC_ENABLE_SINGLE_SIGN_OUT'],
    description: 'Whether signing out here signs out at the identity provider.',
  },
  oidcAddGroupsScope: {
    ...flag,
    env: ['OIDC_ADD_GROUPS_SCOPE'],
    description: 'Whether the scope `groups` is asked for.',
  },
  oidcAutoCreate: { ...flag, env: ['OIDC_AUTO_CREATE'], description: 'Whether a person without an account gets one.' },
  oidcEmailDomains: {
    ...text,
    env: ['OIDC_EMAIL_DOMAINS'],
    description: 'Comma-separated domains of those accounts. Empty: any domain.',
  },
  oidcDefaultRootRole: {
    ...role,
    env: ['OIDC_DEFAULT_ROOT_ROLE'],
    description: 'Root role of those accounts; empty: Viewer.',
  },
  oidcDefaultRootRoleId: {
    kind: 'integer',
    default: '0',
    env: ['OIDC_DEFAULT_ROOT_ROLE_ID'],
    description: 'The same by the role’s id, which takes precedence. 0: not set.',
  },
  oidcEnableGroupSyncing: {
    ...flag,
    env: ['OIDC_ENABLE_GROUP_SYNCING'],
    description: 'Whether groups follow what the identity provider says.',
  },
  oidcGroupJsonPath: { ...text, env: ['OIDC_GROUP_JSON_PATH'], description: 'Where its answer contains the groups.' },
} as const;
