import type { SignOnPolicy, UserIdentity } from '../../../model/sign-on.ts';
import { comparable } from '../../../model/user.ts';
import { EMAIL_FORMAT, type SamlIdentity } from '../saml/protocol.ts';

/** A user whose identity an identity provider has confirmed. */
export interface Identity {
  /** Their identity at the provider. A null subject: the provider uses a different name at each sign-on. */
  readonly identity: Omit<UserIdentity, 'subject'> & { readonly subject: string | null };
  readonly email: string;
  readonly name: string | null;
  /** Null: the settings do not ask for groups. */
  readonly groups: readonly string[] | null;
}

const NAME_LENGTH_MAX = 255;
const GROUPS_MAX = 2_000;
const GROUP_LENGTH_MAX = 1_000;

/** Printable ASCII around one `@`. Characters that only look alike must not give access to the account of another user. */
const EMAIL = /^[\x21-\x3f\x41-\x7e]{1,64}@[A-Za-z0-9.-]{1,185}$/;

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const EMAIL_ATTRIBUTES = [
  'email',
  'mail',
  'emailAddress',
  `${CLAIMS}/emailaddress`,
  'urn:oid:0.9.2342.19200300.100.1.3',
];
const NAME_ATTRIBUTES = [
  'displayName',
  'name',
  'http://schemas.microsoft.com/identity/claims/displayname',
  `${CLAIMS}/name`,
];
const FIRST_NAMES = ['firstName', 'givenName', `${CLAIMS}/givenname`];
const LAST_NAMES = ['lastName', 'sn', 'surname', `${CLAIMS}/surname`];

/** A NameID of this format differs in each response. */
const TRANSIENT_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

type GroupSettings = Pick<SignOnPolicy, 'enableGroupSyncing' | 'groupJsonPath'>;

type Claims = Readonly<Record<string, unknown>>;

/** The claims of an OpenID Connect provider about a user. */
export interface OidcAnswer {
  readonly issuer: string;
  readonly subject: string;
  readonly idToken: Claims;
  /** The claims of the userinfo endpoint. Null: they were not requested. */
  readonly userInfo: Claims | null;
}

/** The identity in a SAML assertion; undefined if it contains no email. The email is the NameID, or an attribute with exactly one value. */
export function identityOfSaml(
  subject: SamlIdentity,
  settings: GroupSettings & { readonly entityId?: string },
): Identity | undefined {
  const attributes = new Map(subject.attributes);
  const singleValue = (names: readonly string[]) => {
    for (const name of names) {
      const values = attributes.get(name);
      if (values?.length === 1) return values[0];
    }
    return undefined;
  };
  const email = [subject.nameId, singleValue(EMAIL_ATTRIBUTES)].find((text) => isEmail(text));
  if (email === undefined) return undefined;
  const parts = [singleValue(FIRST_NAMES), singleValue(LAST_NAMES)].filter((part) => part);
  const name =
    singleValue(NAME_ATTRIBUTES.slice(0, 1)) ?? (parts.length > 0 ? parts.join(' ') : singleValue(NAME_ATTRIBUTES));
  const attributesByName = Object.fromEntries(attributes);
  const identity = { protocol: 'saml' as const, issuer: settings.entityId ?? '', ...nameOf(subject) };
  return { identity, email, name: nameText(name), groups: groupsOf(attributesByName, settings) };
}

/**
 * The NameID as a subject. Names are case-sensitive, emails are not. The format alone does not show an email: providers also return the email format
 * for other names.
 */
function nameOf({ nameId, nameIdFormat }: SamlIdentity) {
  if (nameIdFormat === TRANSIENT_FORMAT) return { subject: null, nameIdFormat };
  return { subject: nameIdFormat === EMAIL_FORMAT && isEmail(nameId) ? comparable(nameId) : nameId, nameIdFormat };
}

/** The identity in the claims; undefined if they contain no email, or if the provider has not verified it. */
export function identityOfClaims(answer: OidcAnswer, settings: GroupSettings): Identity | undefined {
  const { issuer, subject, idToken, userInfo } = answer;
  const email = verifiedEmail(idToken, userInfo ?? {});
  if (email === undefined) return undefined;
  // Claims of the id token are signed, so they take precedence.
  const claims = { ...userInfo, ...idToken };
  const { name, given_name: first, family_name: last } = claims;
  const parts = [first, last].filter((part) => typeof part === 'string' && part !== '');
  const full = typeof name === 'string' ? name : parts.join(' ');
  const identity = { protocol: 'oidc' as const, issuer, subject };
  return { identity, email, name: nameText(full), groups: groupsOf(claims, settings) };
}

/** Whether the claims contain an email and state whether it is verified. If the id token does not contain both, userinfo is requested. */
export function hasEmailAndVerification(claims: Claims): boolean {
  return typeof claims.email === 'string' && Object.hasOwn(claims, EMAIL_VERIFIED);
}

const EMAIL_VERIFIED = 'email_verified';

/**
 * The verified email. Email and `email_verified` must come from one source, because the claim is only about the email beside it. Without this claim
 * the email counts, because some providers do not send it. If it is present, it must be true.
 */
function verifiedEmail(idToken: Claims, userInfo: Claims): string | undefined {
  const source = [idToken, userInfo].find(hasEmailAndVerification);
  if (source)
    return (source[EMAIL_VERIFIED] === true || source[EMAIL_VERIFIED] === 'true') && isEmail(source.email)
      ? source.email
      : undefined;
  if (Object.hasOwn(idToken, EMAIL_VERIFIED) || Object.hasOwn(userInfo, EMAIL_VERIFIED)) return undefined;
  return [idToken.email, userInfo.email].find(isEmail);
}

function isEmail(value: unknown): value is string {
  return typeof value === 'string' && EMAIL.test(value);
}

function nameText(name: string | undefined): string | null {
  return name?.trim().slice(0, NAME_LENGTH_MAX) || null;
}

function groupsOf(answer: Readonly<Record<string, unknown>>, settings: GroupSettings): readonly string[] | null {
  if (!settings.enableGroupSyncing || !settings.groupJsonPath) return null;
  const value = valueAt(answer, settings.groupJsonPath);
  const texts = [value].flat().filter((each) => typeof each === 'string' && each !== '') as string[];
  return [...new Set(texts)].filter((text) => text.length <= GROUP_LENGTH_MAX).slice(0, GROUPS_MAX);
}

/** A property by its whole name, which may contain dots, or by a path of names: `groups`, `$.user.groups`. */
function valueAt(answer: unknown, path: string): unknown {
  const bare = path.replace(/^\$\.?/, '');
  if (typeof answer !== 'object' || answer === null) return undefined;
  if (Object.hasOwn(answer, bare)) return (answer as Record<string, unknown>)[bare];
  const dot = bare.indexOf('.');
  const head = bare.slice(0, dot);
  if (dot < 0 || !Object.hasOwn(answer, head)) return undefined;
  return valueAt((answer as Record<string, unknown>)[head], bare.slice(dot + 1));
}
