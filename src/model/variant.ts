import Type, { type Static } from 'typebox';
import { MODEL_LIMITS } from './limits.ts';

export const VariantPayload = Type.Object({
  type: Type.Enum(['json', 'csv', 'string', 'number']),
  value: Type.String({ maxLength: MODEL_LIMITS.payloadLength.max }),
});
export type VariantPayload = Static<typeof VariantPayload>;

/** Weights are thousandths: the weights of all variants of a flag add up to 1000. */
export const VARIANT_WEIGHT_TOTAL = 1000;

export const VariantOverride = Type.Object({
  contextName: Type.String({ minLength: 1, maxLength: 100 }),
  values: Type.Array(Type.String({ maxLength: MODEL_LIMITS.constraintValueLength.max }), {
    maxItems: MODEL_LIMITS.overrideValues.max,
  }),
});

/** A flag's variant in one environment (contract: Variant, admin shape). */
export const Variant = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    weight: Type.Number({ minimum: 0, maximum: VARIANT_WEIGHT_TOTAL }),
    weightType: Type.Optional(Type.Enum(['variable', 'fix'])),
    stickiness: Type.Optional(Type.String({ maxLength: 100 })),
    payload: Type.Optional(VariantPayload),
    overrides: Type.Optional(Type.Array(VariantOverride, { maxItems: MODEL_LIMITS.variantOverrides.max })),
  },
  { $id: 'variant' },
);
export type Variant = Static<typeof Variant>;

/** A variant of one strategy: no overrides, everything but the payload required (contract: Strategy-level variant). */
export const StrategyVariant = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    weight: Type.Integer({ minimum: 0, maximum: VARIANT_WEIGHT_TOTAL }),
    weightType: Type.Enum(['variable', 'fix']),
    stickiness: Type.String({ maxLength: 100 }),
    payload: Type.Optional(VariantPayload),
  },
  { $id: 'strategyVariant' },
);
export type StrategyVariant = Static<typeof StrategyVariant>;
