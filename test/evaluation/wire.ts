import { type CompiledFlag, compileFlag, type FlagDefinition, type FlagLookup } from '../../src/evaluation/compile.ts';
import type { EvaluationContext } from '../../src/evaluation/context.ts';
import type { HashEncoding } from '../../src/evaluation/hashing.ts';
import type { SegmentDefinition } from '../../src/evaluation/segment.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import type { FeatureDependency } from '../../src/model/feature.ts';
import type { Strategy } from '../../src/model/strategy.ts';
import type { StrategyVariant, Variant } from '../../src/model/variant.ts';

/** Definitions as in answers to SDKs and in exports: almost every field may be absent. */
export interface WireFlag {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData?: boolean;
  readonly strategies?: readonly WireStrategy[];
  readonly variants?: readonly Variant[] | null;
  readonly dependencies?: readonly (Pick<FeatureDependency, 'feature'> & Partial<FeatureDependency>)[];
}

export interface WireStrategy {
  readonly id?: string;
  readonly name: string;
  readonly title?: string | null;
  readonly disabled?: boolean | null;
  readonly sortOrder?: number;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly constraints?: readonly Constraint[] | null;
  readonly segments?: readonly number[];
  readonly variants?: readonly Partial<StrategyVariant>[] | null;
}

export interface WireContext {
  readonly userId?: string;
  readonly sessionId?: string;
  readonly remoteAddress?: string;
  readonly environment?: string;
  readonly appName?: string;
  readonly currentTime?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The current time for contexts without one. */
export const NOW_MS = Date.parse('2026-01-01T00:00:00.000Z');

export function flagDefinition(flag: WireFlag): FlagDefinition {
  return {
    name: flag.name,
    enabled: flag.enabled,
    impressionData: flag.impressionData ?? false,
    strategies: (flag.strategies ?? []).map(strategyDefinition),
    variants: flag.variants ?? [],
    dependencies: (flag.dependencies ?? []).map(({ feature, enabled, variants }) => ({
      feature,
      enabled: enabled ?? true,
      variants: variants ?? [],
    })),
  };
}

function strategyDefinition(strategy: WireStrategy, index: number): Strategy {
  return {
    id: strategy.id ?? `strategy-${index}`,
    name: strategy.name,
    title: strategy.title ?? null,
    disabled: strategy.disabled ?? false,
    sortOrder: strategy.sortOrder ?? index,
    parameters: { ...strategy.parameters },
    constraints: [...(strategy.constraints ?? [])],
    segments: [...(strategy.segments ?? [])],
    variants: [...(strategy.variants ?? [])] as StrategyVariant[],
  };
}

export function evaluationContext(
  context: WireContext,
  more: Partial<Pick<EvaluationContext, 'hostname' | 'random' | 'currentTimeMs'>> = {},
): EvaluationContext {
  const { currentTime, ...fields } = context;
  return {
    ...fields,
    currentTimeMs: currentTime === undefined ? NOW_MS : Date.parse(currentTime),
    random: () => 0.5,
    longestValue: 100,
    ...more,
  };
}

/** Compiles flags that can depend on each other, with their segments. */
export function compileFlags(
  flags: readonly WireFlag[],
  segments: readonly SegmentDefinition[] = [],
  hashEncoding: HashEncoding = 'low-bytes',
): FlagLookup {
  const segmentsById = new Map(segments.map((segment) => [segment.id, segment]));
  const compiled = new Map<string, CompiledFlag>();
  for (const flag of flags)
    compiled.set(
      flag.name,
      compileFlag(flagDefinition(flag), (id) => segmentsById.get(id), hashEncoding),
    );
  return (name) => compiled.get(name);
}
