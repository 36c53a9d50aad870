/** One constraint, as the API takes it. */
export interface WireConstraint {
  readonly contextName: string;
  readonly operator: string;
  readonly values?: readonly string[];
  readonly value?: string;
  readonly caseInsensitive?: boolean;
  readonly inverted?: boolean;
}

/** The field of the context that every expensive constraint looks at, so that one long value meets them all. */
export const FIELD = 'heavy-field';
/** A field with legal values; the constraints' values are looked up among them. */
export const LEGAL_FIELD = 'legal-field';
export const LEGAL_VALUE = (index: number): string => `legal-${index}`;

const VALUES_MAX = 10_000;
const CONSTRAINTS_MAX = 300;

/** Ways to make evaluation or validation dear. `scale` in (0, 1] is how far each goes; what the limits refuse is tried again smaller. */
export const FLAVOURS: Readonly<Record<string, (bytes: number, scale: number) => WireConstraint[]>> = {
  ids: (bytes, scale) => lists(bytes, scale, 'IN', (index) => `user-${index}`, {}),
  contains: (bytes, scale) =>
    lists(bytes, scale, 'STR_CONTAINS', (index) => `${'a'.repeat(8)}${index}b`, { caseInsensitive: true }),
  endings: (bytes, scale) => lists(bytes, scale, 'STR_ENDS_WITH', (index) => `é${index}Ω`, { caseInsensitive: true }),
  cidr: (bytes, scale) => lists(bytes, scale, 'IN_CIDR', (index) => `10.${index & 255}.${(index >> 8) & 255}.0/24`, {}),
  legal: (bytes, scale) =>
    many(bytes, scale, (index) => ({ contextName: LEGAL_FIELD, operator: 'IN', values: [LEGAL_VALUE(index)] })),
  semver: (bytes, scale) => many(bytes, scale, (index) => single('SEMVER_GT', `1.${index}.0-${'a.'.repeat(60)}1`)),
  dates: (bytes, scale) =>
    many(bytes, scale, (index) => single('DATE_AFTER', `20${10 + (index % 80)}-01-01T00:00:00.000+02:00`)),
  repeats: (bytes, scale) => many(bytes, scale, (index) => single('REGEX', `a.{${Math.floor(900 * scale)}}${index}$`)),
  classes: (bytes, scale) =>
    many(bytes, scale, (index) => ({
      ...single('REGEX', `[\\p{L}\\p{N}]{1,${Math.ceil(60 * scale)}}[^\\p{Lu}]${index}$`),
      caseInsensitive: true,
    })),
  alternatives: (bytes, scale) =>
    many(bytes, scale, (index) =>
      single('REGEX', `(${Array.from({ length: Math.ceil(150 * scale) }, (_, at) => `a${at}b?`).join('|')})+${index}`),
    ),
};

const single = (operator: string, value: string): WireConstraint => ({ contextName: FIELD, operator, value });

function many(bytes: number, scale: number, make: (index: number) => WireConstraint): WireConstraint[] {
  const sizeBytes = JSON.stringify(make(0)).length + 1;
  const count = Math.max(1, Math.min(Math.floor(CONSTRAINTS_MAX * scale), Math.floor(bytes / sizeBytes)));
  return Array.from({ length: count }, (_, index) => make(index));
}

function lists(
  bytes: number,
  scale: number,
  operator: string,
  value: (index: number) => string,
  extra: Partial<WireConstraint>,
): WireConstraint[] {
  const each = Math.ceil(VALUES_MAX * scale);
  const sizeBytes = Buffer.byteLength(value(99_999)) + 3;
  const total = Math.max(1, Math.floor((bytes - 200) / sizeBytes));
  const constraints: WireConstraint[] = [];
  for (let at = 0; at < total && constraints.length < CONSTRAINTS_MAX * scale; at += each) {
    const values = Array.from({ length: Math.min(each, total - at) }, (_, index) => value(at + index));
    constraints.push({ contextName: FIELD, operator, values, ...extra });
  }
  return constraints;
}
