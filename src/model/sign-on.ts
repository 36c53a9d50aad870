import Type, { type Static } from 'typebox';
import { collection } from './collection.ts';

/**
 * The settings of one way to sign on: SAML, OpenID Connect, or a password. Collection `signOnSettings`, key: the protocol; a protocol that was never
 * configured has no entity. Secrets are stored only sealed (`base/sealing.ts`).
 */
export type SignOnSettings = SamlSettings | OidcSettings | PasswordSettings;

const Line = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }));
const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** A certificate or key as text; long enough for a chain of several certificates. */
export const CertificateText = Type.String({ maxLength: 20_000 });

export const ROOT_ROLE_NAMES = ['Viewer', 'Editor', 'Admin'] as const;

/** Settings that both protocols have: accounts and groups of people who sign on. */
const SIGN_ON_POLICY_FIELDS = {
  autoCreate: Flag('Creates an account for a person who signs on and has none'),
  emailDomains: Line('Accounts are created only for emails of these domains, comma-separated; empty: all domains'),
  defaultRootRole: Type.Optional(Type.Enum([...ROOT_ROLE_NAMES], { description: 'Root role of the created accounts' })),
  defaultRootRoleId: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Id of the root role of the created accounts. It has precedence over defaultRootRole; 0: not set',
    }),
  ),
  enableGroupSyncing: Flag(
    'At each sign-on, updates the groups of the user from the groups that the identity provider sends',
  ),
  groupJsonPath: Line('Where the answer of the identity provider contains the groups, for example `groups`'),
};

export const SAML_FIELDS = {
  enabled: Flag('Enables sign-on with SAML. If true, entityId, signOnUrl and certificate are required'),
  entityId: Line('Entity id of the identity provider'),
  signOnUrl: Line('URL at the identity provider where users sign on'),
  certificate: Type.Optional({
    ...CertificateText,
    description:
      'X.509 certificate of the identity provider’s signing key: PEM, or only its base64 text. Several PEM blocks are all accepted',
  }),
  signOutUrl: Line('URL at the identity provider where users sign out'),
  ...SIGN_ON_POLICY_FIELDS,
};

export const OIDC_FIELDS = {
  enabled: Flag('Enables sign-on with OpenID Connect. If true, discoverUrl and clientId are required'),
  discoverUrl: Line('URL of the identity provider (the issuer), or of its discovery document'),
  clientId: Line('Id of this client at the identity provider'),
  acrValues: Line('Authentication contexts (`acr_values`) that are requested, separated by spaces'),
  idTokenSigningAlgorithm: Type.Optional(
    Type.Enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'], {
      description: 'Algorithm that signs id tokens; RS256 if it is not set',
    }),
  ),
  enableSingleSignOut: Flag('A sign-out from Burgee also signs the user out at the identity provider'),
  addGroupsScope: Flag('Also requests the scope `groups`'),
  enablePkce: Flag('Has no effect, because PKCE is always used. Accepted because tools for Unleash set it'),
  ...SIGN_ON_POLICY_FIELDS,
};

/** A stored text: public text is plain, secret text is sealed. */
export const StoredText = Type.Union([
  Type.Object({ plain: CertificateText }),
  Type.Object({ sealed: Type.String({ maxLength: 40_000 }) }),
]);
export type StoredText = Static<typeof StoredText>;

const SamlFields = Type.Object(SAML_FIELDS);
const OidcFields = Type.Object(OIDC_FIELDS);
const PolicyFields = Type.Object(SIGN_ON_POLICY_FIELDS);

export type SignOnPolicy = Readonly<Static<typeof PolicyFields>>;

export interface SamlSettings extends Readonly<Static<typeof SamlFields>> {
  readonly protocol: 'saml';
  /** The key that signs sign-out requests, sealed; or only a certificate, which is not secret. */
  readonly spCertificate?: StoredText;
}

export interface OidcSettings extends Readonly<Static<typeof OidcFields>> {
  readonly protocol: 'oidc';
  /** The client's secret, always sealed. Without a secret the client is a public client. */
  readonly secret?: StoredText;
}

interface PasswordSettings {
  readonly protocol: 'simple';
  readonly disabled: boolean;
}

/** A used sign-on attempt, stored until it has expired and cannot be replayed. Collection `spentAttempts`, key: the id. */
export interface SpentAttempt {
  /** A hash of the value in the browser. */
  readonly id: string;
  readonly endsAt: string;
}

/** The permanent identity of a person at one identity provider: their email may change, this does not. */
export const UserIdentity = Type.Object(
  {
    protocol: Type.Enum(['saml', 'oidc'], { description: 'Protocol of the identity provider' }),
    issuer: Type.String({
      maxLength: 2_000,
      description: 'Identifier of the identity provider: `iss`, or the entity id',
    }),
    subject: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Identifier of the person at the identity provider: `sub`, or the NameID',
    }),
    nameIdFormat: Type.Optional(Type.String({ maxLength: 1_000, description: 'Format of the NameID; SAML only' })),
  },
  { $id: 'userIdentity' },
);
export type UserIdentity = Readonly<Static<typeof UserIdentity>>;

/**
 * The key with which identities are compared. It includes all fields: one issuer may use both protocols, and a text may be a NameID in several
 * formats.
 */
export function identityKey({ protocol, issuer, subject, nameIdFormat = '' }: UserIdentity): string {
  return [protocol, issuer, nameIdFormat, subject].join('\n');
}

/** How a session at an identity provider began. It is stored so that the sign-out can be reported to the identity provider. */
export const SessionOrigin = Type.Union([
  Type.Object({
    protocol: Type.Literal('saml'),
    nameId: Type.String({ maxLength: 1_000 }),
    nameIdFormat: Type.String({ maxLength: 1_000 }),
    sessionIndex: Type.String({ maxLength: 1_000 }),
  }),
  Type.Object({ protocol: Type.Literal('oidc') }),
]);
export type SessionOrigin = Readonly<Static<typeof SessionOrigin>>;

export const signOnSettings = collection({ schema: 1, key: (settings: SignOnSettings) => settings.protocol });

export const spentAttempts = collection({ schema: 1, key: (attempt: SpentAttempt) => attempt.id });

declare module './collection.ts' {
  interface CollectionTable {
    readonly signOnSettings: typeof signOnSettings;
    readonly spentAttempts: typeof spentAttempts;
  }
}
