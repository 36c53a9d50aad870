import type { SignOnPolicy } from '../model/sign-on.ts';
import type { SamlIdentity } from './saml-protocol.ts';

/** Somebody an identity provider vouches for. */
export interface Identity {
  readonly email: string;
  readonly name: string | null;
  /** Null: the settings do not ask for groups. */
  readonly groups: readonly string[] | null;
}

const NAME_LENGTH_MAX = 255;
const GROUPS_MAX = 2_000;
const GROUP_LENGTH_MAX = 1_000;

/** Printable ASCII around one `@`: of letters that merely look like others, none gets into somebody else's account. */
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

type Groups = Pick<SignOnPolicy, 'enableGroupSyncing' | 'groupJsonPath'>;

/** Undefined when it has no email: its NameID, or an attribute with one value, has to be one. */
export function identityOfSaml(subject: SamlIdentity, settings: Groups): Identity | undefined {
  const attributes = new Map(subject.attributes);
  const single = (names: readonly string[]) => {
    for (const name of names) {
      const values = attributes.get(name);
      if (values?.length === 1) return values[0];
    }
    return undefined;
  };
  const email = [subject.nameId, single(EMAIL_ATTRIBUTES)].find((text) => isEmail(text));
  if (email === undefined) return undefined;
  const parts = [single(FIRST_NAMES), single(LAST_NAMES)].filter((part) => part);
  const name = single(NAME_ATTRIBUTES.slice(0, 1)) ?? (parts.length > 0 ? parts.join(' ') : single(NAME_ATTRIBUTES));
  const nested = Object.fromEntries(attributes);
  return { email, name: nameText(name), groups: groupsOf(nested, settings) };
}

/** Undefined when it has no email, or one that the identity provider has not made sure of. */
export function identityOfClaims(claims: Readonly<Record<string, unknown>>, settings: Groups): Identity | undefined {
  const { email, email_verified: isVerified, name, given_name: first, family_name: last } = claims;
  if (!isEmail(email) || isVerified === false || isVerified === 'false') return undefined;
  const parts = [first, last].filter((part) => typeof part === 'string' && part !== '');
  const full = typeof name === 'string' ? name : parts.join(' ');
  return { email, name: nameText(full), groups: groupsOf(claims, settings) };
}

function isEmail(value: unknown): value is string {
  return typeof value === 'string' && EMAIL.test(value);
}

function nameText(name: string | undefined): string | null {
  return name?.trim().slice(0, NAME_LENGTH_MAX) || null;
}

function groupsOf(answer: Readonly<Record<string, unknown>>, settings: Groups): readonly string[] | null {
  if (!settings.enableGroupSyncing || !settings.groupJsonPath) return null;
  const found = valueAt(answer, settings.groupJsonPath);
  const texts = [found].flat().filter((each) => typeof each === 'string' && each !== '') as string[];
  return [...new Set(texts)].filter((text) => text.length <= GROUP_LENGTH_MAX).slice(0, GROUPS_MAX);
}

/** A property by its whole name, which may hold dots itself, or by the names on the way to it: `groups`, `$.user.groups`. */
function valueAt(answer: unknown, path: string): unknown {
  const bare = path.replace(/^\$\.?/, '');
  if (typeof answer !== 'object' || answer === null) return undefined;
  if (Object.hasOwn(answer, bare)) return (answer as Record<string, unknown>)[bare];
  const dot = bare.indexOf('.');
  const head = bare.slice(0, dot);
  if (dot < 0 || !Object.hasOwn(answer, head)) return undefined;
  return valueAt((answer as Record<string, unknown>)[head], bare.slice(dot + 1));
}
