import { assert } from '../base/assert.ts';
import type { CollectionTable } from './collection.ts';

/** A limit on the content of an instance or on a request. */
export interface Limit {
  /** A phrase for the counted objects, for sentences such as "at most 30 strategies of a flag in one environment". */
  readonly of: string;
  readonly default: number;
  /** Maximum value of the option. Together these maxima bound the duration of every piece of work. */
  readonly max: number;
  /** The environment variable that sets the limit. Its name is that of Unleash, if Unleash has the same limit. Null: the limit is fixed. */
  readonly env: string | null;
  /** The collection whose entities the limit counts; missing if the limit does not count entities of a collection. */
  readonly counts?: keyof CollectionTable;
  /** The index of that collection by user id, if the limit applies to each user. */
  readonly ofUser?: string;
}

type Counted = Pick<Limit, 'counts' | 'ofUser'>;

export function limit(of: string, defaultValue: number, max: number, env: string, counted: Counted = {}): Limit {
  return { of, default: defaultValue, max, env, ...counted };
}

/** A limit without an option: larger than users need, and small enough for performance. */
export function fixed(of: string, value: number, counted: Counted = {}): Limit {
  return { of, default: value, max: value, env: null, ...counted };
}

/** The limits on the parts of flags. Each feature defines its own limits. */
export const MODEL_LIMITS = {
  constraints: limit('constraints of a strategy or a segment', 30, 300, 'UNLEASH_CONSTRAINTS_LIMIT'),
  constraintValues: limit('values of a constraint of a strategy', 250, 10_000, 'UNLEASH_CONSTRAINT_VALUES_LIMIT'),
  strategySegments: limit('segments of a strategy', 5, 50, 'UNLEASH_STRATEGY_SEGMENTS_LIMIT'),
  segmentValues: limit('values of all constraints of a segment', 1_000, 10_000, 'UNLEASH_SEGMENT_VALUES_LIMIT'),
  featureVariants: limit(
    'variants of a flag in one environment, or of a strategy',
    100,
    1_000,
    'FEATURE_VARIANTS_LIMIT',
  ),
  variantOverrides: limit('overrides of a variant', 50, 100, 'VARIANT_OVERRIDES_LIMIT'),
  overrideValues: limit('values of an override', 1_000, 10_000, 'OVERRIDE_VALUES_LIMIT'),
  strategyParameters: fixed('parameters of a strategy, or of a strategy type', 100),
  parameterLength: fixed('characters of a strategy parameter', 500_000),
  payloadLength: fixed("characters of a variant's payload", 100_000),
  constraintValueLength: fixed('characters of one value of a constraint or an override, or of a legal value', 4_096),
  textLength: fixed('characters of a description', 10_000),
  titleLength: fixed('characters of a title', 500),
  contextProperties: fixed('properties of a context', 1_000),
  contextValueLength: fixed('characters of the value of a context field', 4_096),
  patchOperations: fixed('operations of a JSON patch', 200),
};

type OfTheModel = typeof MODEL_LIMITS;

/**
 * Every limit: options, environment variables, error messages, `docs/reference/limits.md` and the maxima of schemas derive from this table.
 * `features/modules.ts` adds the limits of the features by declaration merging. A schema refuses values above `max`; the limit guard refuses values above the option.
 */
export interface LimitTable extends OfTheModel {}

export type LimitName = keyof LimitTable & string;

/** The effective value of each limit. */
export type Limits = { readonly [Name in LimitName]: number };

let table: LimitTable | undefined;

/** Called once, by the list of features, before options are read. */
export function defineLimits(limits: LimitTable): void {
  assert(!table, 'the limits are defined twice');
  table = limits;
}

/** Every limit. */
export function allLimits(): LimitTable {
  assert(table, 'no limits are defined: import features/modules.ts first');
  return table;
}

/** Every limit, as a list of names and limits. */
export function limitEntries(): readonly (readonly [LimitName, Limit])[] {
  return Object.entries(allLimits()) as unknown as readonly (readonly [LimitName, Limit])[];
}

/** The limits of an instance without environment variables for them. */
export function defaultLimits(): Limits {
  return Object.fromEntries(limitEntries().map(([name, { default: defaultValue }]) => [name, defaultValue])) as Limits;
}
