import type { Work } from '../base/work.ts';
import type { StrategyVariant, Variant, VariantPayload } from '../model/variant.ts';
import { type Cost, HASHING_COST, sumOf } from './condition.ts';
import type { EvaluationContext } from './context.ts';
import { groupState, type HashEncoding, VARIANT_SEED } from './hashing.ts';
import { compileOverrides, NO_OVERRIDE } from './overrides.ts';
import { variantStickiness } from './stickiness.ts';

/** A variant in the format of SDKs and the frontend API; both spellings of the last field have the same value. */
export interface VariantResult {
  readonly name: string;
  readonly enabled: boolean;
  readonly payload?: VariantPayload;
  readonly feature_enabled: boolean;
  readonly featureEnabled: boolean;
}

/**
 * The answer of one evaluation, created at compile time: one object per variant, `ON` for all flags that are on without a variant, and `OFF` for all
 * flags that are off. Frozen, except for the cached texts.
 */
export class Resolution {
  readonly on: boolean;
  readonly variant: VariantResult;
  /** Whether the variant was chosen by weight among several variants. */
  readonly isChosenByWeight: boolean;
  #variantJson: string | null = null;
  #toggle: string | null = null;

  constructor(on: boolean, variant: VariantResult, isChosenByWeight = false) {
    this.on = on;
    this.isChosenByWeight = isChosenByWeight;
    this.variant = Object.freeze(variant);
    Object.freeze(this);
  }

  /** `variant` as JSON, to be copied into a response. */
  get variantJson(): string {
    this.#variantJson ??= JSON.stringify(this.variant);
    return this.#variantJson;
  }

  /** JSON for frontend answers (`toggle-json.ts`); null until it is created. Only for answers with a variant, because these belong to one flag. */
  get toggle(): string | null {
    return this.#toggle;
  }

  cacheToggle(toggle: string): void {
    this.#toggle = toggle;
  }
}

function resolutionWithoutVariant(on: boolean): Resolution {
  return new Resolution(on, { name: 'disabled', enabled: false, feature_enabled: on, featureEnabled: on });
}

/** The answer of every flag that is on without a variant. */
export const ON = resolutionWithoutVariant(true);

/** The answer of every flag that is off. */
export const OFF = resolutionWithoutVariant(false);

/** Chooses among variants. All pickers have the same object shape, because every evaluation reads one. */
export interface VariantPicker {
  /** Chooses a variant; null when all weights are 0. */
  readonly pick: (context: EvaluationContext) => Resolution | null;
  /** The answer of `pick` for every context; undefined when it depends on the context. */
  readonly always: Resolution | null | undefined;
  /** Cost of `pick`. */
  readonly cost: Cost;
  /** Estimated length of the longest possible answer, in characters. */
  readonly longestAnswer: number;
}

type AnyVariant = (Variant | StrategyVariant) & Pick<Variant, 'overrides'>;

interface VariantCompilation {
  readonly groupId: string;
  readonly fallbackStickiness: string;
  readonly hashEncoding: HashEncoding;
}

/**
 * Compiles the choice, in steps: overrides first, in array order, then weights by the hash of the sticky id within `groupId`.
 * Returns null for an empty list. The stickiness is that of the first variant, or `fallbackStickiness` if it has none.
 */
export function* compileVariants(
  variants: readonly AnyVariant[],
  { groupId, fallbackStickiness, hashEncoding }: VariantCompilation,
): Work<VariantPicker | null> {
  if (variants.length === 0) return null;
  const totalWeight = variants.reduce((sum, variant) => sum + variant.weight, 0);
  if (totalWeight <= 0) return constantPicker(null, 0);
  const longestAnswer = variants.reduce((longest, variant) => Math.max(longest, answerLength(variant)), 0);
  const hasSeveral = variants.filter(({ weight }) => weight > 0).length > 1;
  const answers = variants.map((variant) => variantResolution(variant, hasSeveral));
  const byWeight = compileWeights(variants, answers, {
    group: groupState(groupId, VARIANT_SEED, hashEncoding),
    stickiness: variants[0]?.stickiness || fallbackStickiness,
    totalWeight,
    longestAnswer,
  });
  const overrides = yield* compileOverrides(variants);
  if (overrides === null) return byWeight;
  return {
    pick: (context) => {
      const overridden = overrides.find(context);
      return overridden === NO_OVERRIDE ? byWeight.pick(context) : (answers[overridden] as Resolution);
    },
    always: undefined,
    cost: sumOf([overrides.cost, byWeight.cost]),
    longestAnswer,
  };
}

function answerLength({ name, payload }: AnyVariant): number {
  return name.length + (payload?.value.length ?? 0);
}

const NO_COST: Cost = { fixed: 0, perChar: 0 };

function constantPicker(answer: Resolution | null, longestAnswer: number): VariantPicker {
  return { pick: () => answer, always: answer, cost: NO_COST, longestAnswer };
}

function variantResolution({ name, payload }: AnyVariant, isChosenByWeight: boolean): Resolution {
  const variant = {
    name,
    enabled: true,
    ...(payload === undefined || payload === null ? {} : { payload: Object.freeze({ ...payload }) }),
    feature_enabled: true,
    featureEnabled: true,
  };
  return new Resolution(true, variant, isChosenByWeight);
}

function compileWeights(
  variants: readonly AnyVariant[],
  answers: readonly Resolution[],
  options: { group: ReturnType<typeof groupState>; stickiness: string; totalWeight: number; longestAnswer: number },
): VariantPicker {
  const chosen: Resolution[] = [];
  const limits: number[] = [];
  let limit = 0;
  for (const [index, variant] of variants.entries()) {
    if (variant.weight === 0) continue;
    limit += variant.weight;
    limits.push(limit);
    chosen.push(answers[index] as Resolution);
  }
  const [only] = chosen;
  if (chosen.length === 1 && only !== undefined) return constantPicker(only, options.longestAnswer);
  const { idOf, hasher } = variantStickiness(options.stickiness);
  const { group, totalWeight, longestAnswer } = options;
  const pick = (context: EvaluationContext) => {
    const bucket = hasher.bucketOf(group, idOf(context), totalWeight);
    for (let index = 0; index < limits.length; index++) {
      if ((limits[index] as number) >= bucket) return chosen[index] as Resolution;
    }
    return null;
  };
  return { pick, always: undefined, cost: HASHING_COST, longestAnswer };
}
