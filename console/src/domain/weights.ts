import type { Variant } from './model.ts';

/** Weights are in tenths of a percent. */
export const WHOLE = 1000;

/** Gives what fixed weights leave to the variable ones in equal parts, so that the sum is 100 %. */
export function shared<V extends Pick<Variant, 'weight' | 'weightType'>>(variants: readonly V[]): V[] {
  const fixed = variants.reduce((sum, { weight, weightType }) => sum + (weightType === 'fix' ? weight : 0), 0);
  const variable = variants.filter(({ weightType }) => weightType !== 'fix').length;
  if (variable === 0) return [...variants];
  const left = Math.max(0, WHOLE - fixed);
  const each = Math.floor(left / variable);
  let rest = left - each * variable;
  return variants.map((variant) => {
    if (variant.weightType === 'fix') return variant;
    const weight = each + (rest > 0 ? 1 : 0);
    rest -= 1;
    return { ...variant, weight };
  });
}

export const sumOf = (variants: readonly Pick<Variant, 'weight'>[]) =>
  variants.reduce((sum, { weight }) => sum + weight, 0);
