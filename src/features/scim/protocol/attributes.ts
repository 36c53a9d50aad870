/** An attribute, in the form in which `/Schemas` shows it (RFC 7643, 7). */
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference' | 'dateTime';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable';
  readonly returned: 'default' | 'always';
  readonly uniqueness: 'none' | 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

/** States an attribute: an optional text that is not unique, unless `rest` says otherwise. */
function attribute(name: string, description: string, rest: Partial<Attribute> = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...rest,
  };
}

const READ_ONLY = { mutability: 'readOnly' } as const;
const IMMUTABLE = { mutability: 'immutable' } as const;

export const USER_ATTRIBUTES: readonly Attribute[] = [
  attribute('userName', 'The name with which the user signs on: often the email. Burgee stores it as username', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('name', 'The parts of the name', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'The full name'),
      attribute('givenName', 'The given name'),
      attribute('familyName', 'The family name'),
    ],
  }),
  attribute('displayName', 'The name that Burgee shows'),
  attribute('active', 'Whether the user may sign on. False ends the sessions and personal tokens of the user', {
    type: 'boolean',
    required: true,
  }),
  attribute('emails', 'The primary one, or else the first one for work, is the email of the user', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address'),
      attribute('type', 'What the address is for', { canonicalValues: ['work', 'home', 'other'] }),
      attribute('primary', 'Whether this is the main address', { type: 'boolean' }),
    ],
  }),
  attribute('groups', 'The groups of the user that the identity provider manages', {
    type: 'complex',
    multiValued: true,
    ...READ_ONLY,
    subAttributes: [
      attribute('value', 'Id of the group', READ_ONLY),
      attribute('$ref', 'Address of the group', { ...READ_ONLY, type: 'reference', referenceTypes: ['Group'] }),
      attribute('display', 'Name of the group', READ_ONLY),
    ],
  }),
];

export const GROUP_ATTRIBUTES: readonly Attribute[] = [
  attribute('displayName', 'The name of the group, which no other group has', { required: true, uniqueness: 'server' }),
  attribute('members', 'The members of the group', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the user', IMMUTABLE),
      attribute('$ref', 'Address of the user', { ...IMMUTABLE, type: 'reference', referenceTypes: ['User'] }),
      attribute('type', 'Always User', { ...IMMUTABLE, canonicalValues: ['User'] }),
    ],
  }),
];

/** Attributes of every resource. They are not part of a schema (RFC 7643, 3.1). */
const COMMON: readonly Attribute[] = [
  attribute('schemas', 'The schemas of the resource', { ...READ_ONLY, multiValued: true, returned: 'always' }),
  attribute('id', 'The id of the resource', { ...READ_ONLY, caseExact: true, returned: 'always' }),
  attribute('externalId', 'The id of the resource at the identity provider', { caseExact: true }),
  attribute('meta', 'Data about the resource', {
    type: 'complex',
    ...READ_ONLY,
    subAttributes: [
      attribute('resourceType', 'The kind of the resource', { ...READ_ONLY, caseExact: true }),
      attribute('created', 'When the resource was created', { ...READ_ONLY, type: 'dateTime' }),
      attribute('location', 'Address of the resource', { ...READ_ONLY, type: 'reference', caseExact: true }),
      attribute('version', 'Tag of the resource', { ...READ_ONLY, caseExact: true }),
    ],
  }),
];

/** What identity providers state about people and Burgee does not store: written values are ignored, as RFC 7644 allows. */
const NOT_STORED = [
  'nickname',
  'profileurl',
  'title',
  'usertype',
  'preferredlanguage',
  'locale',
  'timezone',
  'password',
  'phonenumbers',
  'ims',
  'photos',
  'addresses',
  'entitlements',
  'roles',
  'x509certificates',
];
const NAME_NOT_STORED = ['middlename', 'honorificprefix', 'honorificsuffix'];

const EXTENSION = /^urn:ietf:params:scim:schemas:extension:/i;

/** `unstored`: the attribute exists in the standard, but Burgee does not store it. */
type Resolved = Attribute | 'unstored' | undefined;

/** The attributes of one kind of resource, found by name in any letter case. */
export class Attributes {
  readonly schema: string;
  readonly #byName: ReadonlyMap<string, Attribute>;

  constructor(schema: string, own: readonly Attribute[]) {
    this.schema = schema;
    this.#byName = new Map([...COMMON, ...own].map((one) => [one.name.toLowerCase(), one]));
  }

  /** The attribute with this name, which may have the URN of the schema before it: `urn:…:User:userName`. */
  find(name: string): Resolved {
    const short = this.#withoutSchema(name.toLowerCase());
    return this.#byName.get(short) ?? (EXTENSION.test(short) || NOT_STORED.includes(short) ? 'unstored' : undefined);
  }

  /** Splits `name.familyName` at the dot. The URN of a schema contains dots, too. */
  split(path: string): readonly [name: string, sub: string | undefined] {
    if (EXTENSION.test(path)) return [path, undefined];
    const short = path.toLowerCase().startsWith(`${this.schema.toLowerCase()}:`)
      ? path.slice(this.schema.length + 1)
      : path;
    const dot = short.indexOf('.');
    return dot < 0 ? [short, undefined] : [short.slice(0, dot), short.slice(dot + 1)];
  }

  #withoutSchema(name: string): string {
    const prefix = `${this.schema.toLowerCase()}:`;
    return name.startsWith(prefix) ? name.slice(prefix.length) : name;
  }
}

export function subAttribute(parent: Attribute, name: string): Resolved {
  const key = name.toLowerCase();
  const found = parent.subAttributes?.find((sub) => sub.name.toLowerCase() === key);
  return found ?? (parent.name === 'name' && NAME_NOT_STORED.includes(key) ? 'unstored' : undefined);
}
