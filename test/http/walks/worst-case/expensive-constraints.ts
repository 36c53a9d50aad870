import { DEFAULT_LIMITS } from '../../../../src/features/modules.ts';

/** One constraint, as the API accepts it. */
interface WireConstraint {
  readonly contextName: string;
  readonly operator: string;
  readonly values?: readonly string[];
  readonly value?: string;
  readonly caseInsensitive?: boolean;
  readonly inverted?: boolean;
}

/** The context field that every expensive constraint reads, so that all of them check the same long value. */
export const FIELD = 'heavy-field';
/** A field with legal values; the constraints' values are looked up among them. */
export const LEGAL_FIELD = 'legal-field';
export const LEGAL_VALUE = (index: number): string => `legal-${index}`;

const CONSTRAINTS_MAX = DEFAULT_LIMITS.constraints;
const VALUES_MAX = DEFAULT_LIMITS.constraintValues;
/** Values of all constraints together. */
export const STRATEGY_VALUES = CONSTRAINTS_MAX * VALUES_MAX;
export const SEGMENT_VALUES = DEFAULT_LIMITS.segmentValues;

/**
 * Ways to make evaluation or validation expensive. `scale` in (0, 1] is the size: what the limits refuse is tried again at a smaller scale. `values` is the
 * maximum number of values of all constraints together.
 */
export const FLAVOURS: Readonly<Record<string, (bytes: number, scale: number, values: number) => WireConstraint[]>> = {
  ids: (bytes, scale, values) => lists(bytes, scale, values, 'IN', (index) => `user-${index}`, {}),
  contains: (bytes, scale, values) =>
    lists(bytes, scale, values, 'STR_CONTAINS', (index) => `${'a'.repeat(8)}${index}b`, { caseInsensitive: true }),
  long: (bytes, scale) => {
    const count = Math.max(3, Math.min(Math.ceil(60 * scale), Math.floor(bytes / (LONG_VALUE + 3))));
    return [
      { contextName: FIELD, operator: 'STR_CONTAINS', values: Array.from({ length: count }, (_, at) => longValue(at)) },
    ];
  },
  endings: (bytes, scale, values) =>
    lists(bytes, scale, values, 'STR_ENDS_WITH', (index) => `é${index}Ω`, { caseInsensitive: true }),
  cidr: (bytes, scale, values) =>
    lists(bytes, scale, values, 'IN_CIDR', (index) => `10.${index & 255}.${(index >> 8) & 255}.0/24`, {}),
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

/** Length of a value in characters: nearly the maximum. */
const LONG_VALUE = 4_000;

/** Pseudo-random characters (mulberry32), so that no order in the text makes the search cheaper. */
function longValue(seed: number): string {
  let state = seed;
  return Array.from({ length: LONG_VALUE }, () => {
    state = (state + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    return String.fromCharCode(97 + (((mixed ^ (mixed >>> 14)) >>> 0) % 26));
  }).join('');
}

/** All of them; with BENCH_QUICK those that found most problems. */
export function flavoursInUse(): string[] {
  return process.env.BENCH_QUICK ? ['ids', 'contains', 'classes'] : Object.keys(FLAVOURS);
}

const single = (operator: string, value: string): WireConstraint => ({ contextName: FIELD, operator, value });

function many(bytes: number, scale: number, make: (index: number) => WireConstraint): WireConstraint[] {
  const sizeBytes = JSON.stringify(make(0)).length + 1;
  const count = Math.max(1, Math.min(Math.ceil(CONSTRAINTS_MAX * Math.sqrt(scale)), Math.floor(bytes / sizeBytes)));
  return Array.from({ length: count }, (_, index) => make(index));
}

function lists(
  bytes: number,
  scale: number,
  values: number,
  operator: string,
  value: (index: number) => string,
  extra: Partial<WireConstraint>,
): WireConstraint[] {
  const each = Math.ceil(Math.min(VALUES_MAX, values) * scale);
  const sizeBytes = Buffer.byteLength(value(99_999)) + 3;
  const total = Math.max(1, Math.min(Math.floor(values * scale), Math.floor((bytes - 200) / sizeBytes)));
  const constraints: WireConstraint[] = [];
  for (let at = 0; at < total && constraints.length < CONSTRAINTS_MAX; at += each) {
    const some = Array.from({ length: Math.min(each, total - at) }, (_, index) => value(at + index));
    constraints.push({ contextName: FIELD, operator, values: some, ...extra });
  }
  return constraints;
}
