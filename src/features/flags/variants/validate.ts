import { invalid, type Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import {
  type StrategyVariant,
  VARIANT_WEIGHT_TOTAL,
  type Variant,
  type VariantPayload,
} from '../../../model/variant.ts';

/** Returns the variants of a flag as they are stored, with distributed weights, or a rejection. Works in steps, because payloads may be large. */
export function validateVariants(variants: readonly Variant[], path = ''): Steps<Variant[] | Rejection> {
  return withDistributedWeights(variants.map(storedVariant), path);
}

/** Returns the variants of a strategy as they are stored, with distributed weights, or a rejection. */
export function validateStrategyVariants(
  variants: readonly StrategyVariant[],
  path = '',
): Steps<StrategyVariant[] | Rejection> {
  return withDistributedWeights(variants.map(storedStrategyVariant), path);
}

/** Restores the original weights if their sum is 1000: the import of a flag must not change which user gets which variant. */
export function withOriginalWeights<V extends { readonly weight: number }>(
  valid: readonly V[],
  original: readonly V[],
): V[] {
  const total = original.reduce((sum, { weight }) => sum + weight, 0);
  if (total !== VARIANT_WEIGHT_TOTAL) return [...valid];
  return valid.map((variant, index) => ({ ...variant, weight: original[index]?.weight ?? variant.weight }));
}

interface Weighted {
  readonly name: string;
  readonly weight: number;
  readonly weightType: 'variable' | 'fix';
  readonly payload?: VariantPayload;
}

/**
 * Checks the variants. Then subtracts the fixed weights from 1000 and divides the rest equally among the variable variants. If the division has a
 * remainder r, each of the first r variable variants gets one more. The order of the variants stays: it decides which user gets which variant.
 */
function* withDistributedWeights<V extends Weighted>(variants: readonly V[], path: string): Steps<V[] | Rejection> {
  const problem = yield* variantsProblem(variants, path);
  if (problem) return problem;
  const fixed = fixedWeight(variants);
  const variableCount = variants.filter((variant) => variant.weightType === 'variable').length;
  const share = Math.floor((VARIANT_WEIGHT_TOTAL - fixed) / variableCount);
  let remainder = (VARIANT_WEIGHT_TOTAL - fixed) % variableCount;
  return variants.map((variant) => {
    if (variant.weightType === 'fix') return variant;
    const weight = remainder > 0 ? share + 1 : share;
    remainder--;
    return { ...variant, weight };
  });
}

function* variantsProblem(variants: readonly Weighted[], path: string): Steps<Rejection | undefined> {
  const names = new Set<string>();
  for (const [index, { name, weight, weightType, payload }] of variants.entries()) {
    if (names.has(name)) return invalid(`Two variants are called ${name}.`, `${path}/${index}/name`);
    names.add(name);
    if (weightType === 'fix' && !Number.isInteger(weight)) {
      return invalid(`The fixed weight of the variant ${name} must be a whole number.`, `${path}/${index}/weight`);
    }
    const problem = payload && payloadProblem(payload);
    if (problem) return invalid(`The payload of the variant ${name} ${problem}.`, `${path}/${index}/payload/value`);
    yield;
  }
  if (variants.length === 0) return undefined;
  if (!variants.some((variant) => variant.weightType === 'variable')) {
    return invalid('At least one variant must have the weight type "variable".', path);
  }
  if (fixedWeight(variants) >= VARIANT_WEIGHT_TOTAL) {
    return invalid(`The sum of the fixed weights must be less than ${VARIANT_WEIGHT_TOTAL}.`, path);
  }
  return undefined;
}

function fixedWeight(variants: readonly Weighted[]): number {
  return variants.reduce((sum, { weight, weightType }) => (weightType === 'fix' ? sum + weight : sum), 0);
}

function payloadProblem({ type, value }: VariantPayload): string | undefined {
  if (type === 'number') {
    return value.trim() === '' || Number.isNaN(Number(value)) ? 'is declared as a number, but is not one' : undefined;
  }
  if (type !== 'json') return undefined;
  try {
    JSON.parse(value);
    return undefined;
  } catch {
    return 'is declared as JSON, but is not valid JSON';
  }
}

function storedVariant({ name, weight, weightType, stickiness, payload, overrides }: Variant) {
  return {
    name,
    weight,
    weightType: weightType ?? ('variable' as const),
    stickiness: stickiness || 'default',
    ...(payload && { payload: storedPayload(payload) }),
    ...(overrides && { overrides: overrides.map(({ contextName, values }) => ({ contextName, values })) }),
  };
}

function storedStrategyVariant({ name, weight, weightType, stickiness, payload }: StrategyVariant) {
  return { name, weight, weightType, stickiness, ...(payload && { payload: storedPayload(payload) }) };
}

function storedPayload({ type, value }: VariantPayload): VariantPayload {
  return { type, value };
}
