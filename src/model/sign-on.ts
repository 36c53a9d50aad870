import Type, { type Static } from 'typebox';
import { collection } from './collection.ts';

/**
 * How people may sign on: with SAML, with OpenID Connect, with a password. Collection `signOnSettings`, key: the protocol; what was never set
 * has no entity. Secrets stand in it sealed only (`base/sealing.ts`).
 */
export type SignOnSettings = SamlSettings | OidcSettings | PasswordSettings;

const Line = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }));
const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** A certificate or key as text; a chain of some certificates fits. */
export const CertificateText = Type.String({ maxLength: 20_000 });

export const ROOT_ROLE_NAMES = ['Viewer', 'Editor', 'Admin'] as const;

/** What both protocols say of people who sign on. */
const SIGN_ON_POLICY_FIELDS = {
  autoCreate: Flag('Whether somebody who has no account yet gets one'),
  emailDomains: Line('Comma-separated domains of those accounts; empty: any domain'),
  defaultRootRole: Type.Optional(Type.Enum([...ROOT_ROLE_NAMES], { description: 'Root role of those accounts' })),
  defaultRootRoleId: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Root role of those accounts, by its id. Takes precedence over defaultRootRole; 0: not set',
    }),
  ),
  enableGroupSyncing: Flag('Whether groups follow what the identity provider says at every sign-on'),
  groupJsonPath: Line('Where the answer of the identity provider tells the groups, for example `groups`'),
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
      description: 'What id tokens are signed with; RS256 when it is not said',
    }),
  ),
  enableSingleSignOut: Flag('Whether signing out here signs out at the identity provider'),
  addGroupsScope: Flag('Whether the scope `groups` is asked for'),
  enablePkce: Flag('Kept for tools that set it: PKCE is always used'),
  ...SIGN_ON_POLICY_FIELDS,
};

/** Text that is kept as it is when everybody may know it, and sealed when nobody may. */
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
  /** The key that sign-out requests are signed with, sealed; or a certificate alone, which is no secret. */
  readonly spCertificate?: KeptText;
}

export interface OidcSettings extends Readonly<Static<typeof OidcFields>> {
  readonly protocol: 'oidc';
  /** The client's secret, always sealed. Without one, the client is a public one. */
  readonly secret?: KeptText;
}

interface PasswordSettings {
  readonly protocol: 'simple';
  readonly disabled: boolean;
}

/** A sign-on that has been used, as stored until nobody could try it again. Collection `spentAttempts`, key: the id. */
export interface SpentAttempt {
  /** A hash of what the browser held. */
  readonly id: string;
  readonly endsAt: string;
}

/** A person as one identity provider names them, for good: their email may change, this does not. */
export const UserIdentity = Type.Object(
  {
    protocol: Type.Enum(['saml', 'oidc'], { description: 'How the identity provider signs people on' }),
    issuer: Type.String({
      maxLength: 2_000,
      description: 'What the identity provider calls itself: `iss`, or the entity id',
    }),
    subject: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'What it calls the person: `sub`, or the NameID',
    }),
    nameIdFormat: Type.Optional(Type.String({ maxLength: 1_000, description: 'Format of the NameID; SAML only' })),
  },
  { $id: 'userIdentity' },
);
export type UserIdentity = Readonly<Static<typeof UserIdentity>>;

/** What identities are compared by. One address may be the issuer of both protocols, and one text a name in several formats. */
export function identityKey({ protocol, issuer, subject, nameIdFormat = '' }: UserIdentity): string {
  return [protocol, issuer, nameIdFormat, subject].join('\n');
}

/** What is kept of how a session began, so that signing out can be told to the identity provider. */
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
