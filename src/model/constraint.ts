import Type, { type Static } from 'typebox';
import { MODEL_LIMITS } from './limits.ts';

/** The operators of the contract, then additional operators that SDKs support. */
export const OPERATORS = [
  'NOT_IN',
  'IN',
  'STR_ENDS_WITH',
  'STR_STARTS_WITH',
  'STR_CONTAINS',
  'NUM_EQ',
  'NUM_GT',
  'NUM_GTE',
  'NUM_LT',
  'NUM_LTE',
  'DATE_AFTER',
  'DATE_BEFORE',
  'SEMVER_EQ',
  'SEMVER_GT',
  'SEMVER_LT',
  'SEMVER_GTE',
  'SEMVER_LTE',
  'REGEX',
  'IN_CIDR',
] as const;

export type Operator = (typeof OPERATORS)[number];

/** Operators that read `values`; all others read `value`. */
export const LIST_OPERATORS: ReadonlySet<Operator> = new Set<Operator>([
  'IN',
  'NOT_IN',
  'STR_ENDS_WITH',
  'STR_STARTS_WITH',
  'STR_CONTAINS',
  'IN_CIDR',
]);

/** Maximum that a caller may send, for every configuration. */
const CONSTRAINT_VALUES_MAX = Math.max(MODEL_LIMITS.constraintValues.max, MODEL_LIMITS.segmentValues.max);
const VALUE_LENGTH_MAX = MODEL_LIMITS.constraintValueLength.max;
export const CONSTRAINTS_MAX = MODEL_LIMITS.constraints.max;

/** One condition on one context field (contract: Constraint). */
export const Constraint = Type.Object(
  {
    contextName: Type.String({ minLength: 1, maxLength: 100 }),
    operator: Type.Enum([...OPERATORS]),
    caseInsensitive: Type.Optional(Type.Boolean({ default: false })),
    inverted: Type.Optional(Type.Boolean({ default: false })),
    values: Type.Optional(
      Type.Array(Type.String({ maxLength: VALUE_LENGTH_MAX }), { maxItems: CONSTRAINT_VALUES_MAX }),
    ),
    value: Type.Optional(Type.String({ maxLength: VALUE_LENGTH_MAX })),
  },
  { $id: 'constraint', description: 'A condition on one context field; `inverted` flips its result' },
);
export type Constraint = Static<typeof Constraint>;
