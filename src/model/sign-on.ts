import Type, { type Static } from 'typebox';
import { collection } from './collection.ts';

/**
 * How people may sign on: with SAML, with OpenID Connect, with a password. Collection `signOnSettings`, key: the protocol; a protocol that was never
 * configured has no entity. Secrets are stored only sealed (`base/sealing.ts`).
 */
export type SignOnSettings = SamlSettings | OidcSettings | PasswordSettings;

const Line = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }));
const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** A certificate or key as text; long enough for a chain of several certificates. */
export const CertificateText = Type.String({ maxLength: 20_000 });

export const ROOT_ROLE_NAMES = ['Viewer', 'Editor', 'Admin'] as const;

/** Settings of both protocols for people who sign on. */
const SIGN_ON_POLICY_FIELDS = {
  autoCreate: Flag('Whether a person without an account gets one'),
  emailDomains: Line('Comma-separated domains of those accounts; empty: any domain'),
  defaultRootRole: Type.Optional(Type.Enum([...ROOT_ROLE_NAMES], { description: 'Root role of those accounts' })),
  defaultRootRoleId: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Root role of those accounts, by its id. Takes precedence over defaultRootRole; 0: not set',
    }),
  ),
  enableGroupSyncing: Flag('Whether groups follow what the identity provider says at every sign-on'),
  groupJsonPath: Line('Where the answer of the identity provider contains the groups, for example `groups`'),
};

export const SAML_FIELDS = {
  enabled: Flag('When true, entityId, signOnUrl and certificate are required'),
  entityId: Line('Entity id of the identity provider'),
  signOnUrl: Line('Where the identity provider signs people on'),
  certificate: Type.Optional({
    ...CertificateText,
    description:
      'X.509 certificate that the identity provider signs with; PEM or bare base64. Several PEM blocks are all taken',
  }),
  signOutUrl: Line('Where the identity provider signs people out'),
  ...SIGN_ON_POLICY_FIELDS,
};

export const OIDC_FIELDS = {
  enabled: Flag('When true, discoverUrl and clientId are required'),
  discoverUrl: Line('Address of the identity provider, or of its discovery document'),
  clientId: Line('Id of this client at the identity provider'),
  acrValues: Line('Space-separated authentication contexts to ask for'),
  idTokenSigningAlgorithm: Type.Optional(
    Type.Enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'], {
      description: 'What id tokens are signed with; RS256 when it is not set',
    }),
  ),
  enableSingleSignOut: Flag('Whether signing out here signs out at the identity provider'),
  addGroupsScope: Flag('Whether the scope `groups` is asked for'),
  enablePkce: Flag('Kept for tools that set it: PKCE is always used'),
  ...SIGN_ON_POLICY_FIELDS,
};

/** Public text is stored in plain form, secret text sealed. */
export const KeptText = Type.Union([
  Type.Object({ plain: CertificateText }),
  Type.Object({ sealed: Type.String({ maxLength: 40_000 }) }),
]);
export type KeptText = Static<typeof KeptText>;

const SamlFields = Type.Object(SAML_FIELDS);
const OidcFields = Type.Object(OIDC_FIELDS);
const PolicyFields = Type.Object(SIGN_ON_POLICY_FIELDS);

export type SignOnPolicy = Readonly<Static<typeof PolicyFields>>;

export interface SamlSettings extends Readonly<Static<typeof SamlFields>> {
  readonly protocol: 'saml';
  /** The key that signs sign-out requests, sealed; or only a certificate, which is not secret. */
  readonly spCertificate?: KeptText;
}

export interface OidcSettings extends Readonly<Static<typeof OidcFields>> {
  readonly protocol: 'oidc';
  /** The client's secret, always sealed. Without a secret the client is a public client. */
  readonly secret?: KeptText;
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
    protocol: Type.Enum(['saml', 'oidc'], { description: 'How the identity provider signs people on' }),
    issuer: Type.String({
      maxLength: 2_000,
      description: 'Identifier of the identity provider: `iss`, or the entity id',
    }),
    subject: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Its identifier of the person: `sub`, or the NameID',
    }),
    nameIdFormat: Type.Optional(Type.String({ maxLength: 1_000, description: 'Format of the NameID; SAML only' })),
  },
  { $id: 'userIdentity' },
);
export type UserIdentity = Readonly<Static<typeof UserIdentity>>;

/** The key to compare identities. It includes all fields: one issuer may use both protocols, and one text may be a NameID in several formats. */
export function identityKey({ protocol, issuer, subject, nameIdFormat = '' }: UserIdentity): string {
  return [protocol, issuer, nameIdFormat, subject].join('\n');
}

/** How a session began, stored to report the sign-out to the identity provider. */
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
