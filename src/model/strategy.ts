import Type, { type Static } from 'typebox';
import { asNumber } from '../base/converted-scalars.ts';
import { byText } from '../base/lists/sorted.ts';
import { CONSTRAINTS_MAX, Constraint } from './constraint.ts';
import { MODEL_LIMITS } from './limits.ts';
import { MapOf, Nullable, StrategySortOrder } from './primitives.ts';
import { StrategyVariant } from './variant.ts';

/** Strategy parameters map text to text; the strategy parses them. */
export const StrategyParameters = MapOf(Type.String({ maxLength: MODEL_LIMITS.parameterLength.max }), {
  maxProperties: MODEL_LIMITS.strategyParameters.max,
});
export type StrategyParameters = Static<typeof StrategyParameters>;

/**
 * Parameters in a request: numbers and booleans are converted to text, as in Unleash. Text is stored and sent to SDKs.
 */
const SentParameters = MapOf(
  Type.Union([Type.String({ maxLength: MODEL_LIMITS.parameterLength.max }), Type.Number(), Type.Boolean()]),
  {
    maxProperties: MODEL_LIMITS.strategyParameters.max,
    description: 'Parameters by name; numbers and booleans are converted to text',
  },
);

/** The parameters as they are stored. */
export function parametersAsText(parameters: Static<typeof SentParameters>): StrategyParameters {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
}

/** An activation strategy of one flag in one environment (contract: Feature strategy), as stored and as in answers of the admin API. */
export const Strategy = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    title: Nullable(Type.String({ maxLength: 500 })),
    disabled: Type.Boolean(),
    sortOrder: Type.Number(),
    parameters: StrategyParameters,
    constraints: Type.Array(Constraint),
    segments: Type.Array(Type.Integer()),
    variants: Type.Array(StrategyVariant),
  },
  { $id: 'strategy' },
);
export type Strategy = Static<typeof Strategy>;

/** What a caller sends to add or replace a strategy. */
export const StrategyInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    title: Type.Optional(Nullable(Type.String({ maxLength: MODEL_LIMITS.titleLength.max }))),
    disabled: Type.Optional(Nullable(Type.Boolean())),
    sortOrder: Type.Optional(StrategySortOrder),
    parameters: Type.Optional(StrategyParameters),
    constraints: Type.Optional(Type.Array(Constraint, { maxItems: CONSTRAINTS_MAX })),
    segments: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { maxItems: MODEL_LIMITS.strategySegments.max })),
    variants: Type.Optional(Type.Array(StrategyVariant, { maxItems: MODEL_LIMITS.featureVariants.max })),
  },
  { $id: 'strategyInput' },
);
export type StrategyInput = Static<typeof StrategyInput>;

/** A strategy in a request. */
export const SentStrategy = Type.Object(
  { ...StrategyInput.properties, parameters: Type.Optional(SentParameters) },
  { $id: 'createFeatureStrategy' },
);
export type SentStrategy = Static<typeof SentStrategy>;

/** Ids that begin with their creation time. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;

/**
 * Returns strategies of another instance in the order in which it evaluates them: the order decides the variant. If the instance sends sort orders,
 * they are sorted by these. Exports of Unleash contain no sort orders, and list strategies in no specific order. Their ids are ULIDs, so sorting by
 * id gives the order of creation. Strategies with neither sort orders nor ULIDs stay in the order of the list.
 */
export function inEvaluationOrder<Ordered extends { readonly id?: unknown; readonly sortOrder?: unknown }>(
  strategies: readonly Ordered[],
): readonly Ordered[] {
  const orderOf = ({ sortOrder }: Ordered) => asNumber(sortOrder);
  const order = (strategy: Ordered) => {
    const number = orderOf(strategy);
    return typeof number === 'number' ? number : 0;
  };
  const age = ({ id }: Ordered) => String(id).toUpperCase();
  if (strategies.some((strategy) => typeof orderOf(strategy) === 'number')) {
    return [...strategies].sort((one, other) => order(one) - order(other));
  }
  if (!strategies.every(({ id }) => typeof id === 'string' && ULID.test(id))) return strategies;
  return [...strategies].sort((one, other) => byText(age(one), age(other)));
}
