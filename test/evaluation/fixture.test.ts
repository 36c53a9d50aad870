import { expect, it } from 'vitest';
import { isOn, resolve } from '../../src/evaluation/evaluate.ts';
import type { SegmentDefinition } from '../../src/evaluation/segment.ts';
import type { FeatureDependency } from '../../src/model/feature.ts';
import type { Variant, VariantPayload } from '../../src/model/variant.ts';
import { fixture } from '../support/fixtures.ts';
import { explain } from './explain.ts';
import { compileFlags, evaluationContext, type WireContext, type WireFlag, type WireStrategy } from './wire.ts';

interface Export {
  readonly features: readonly { readonly name: string; readonly impressionData: boolean }[];
  readonly featureStrategies: readonly (WireStrategy & { readonly featureName: string })[];
  readonly featureEnvironments: readonly {
    readonly featureName: string;
    readonly enabled: boolean;
    readonly variants: readonly Variant[];
  }[];
  readonly dependencies: readonly { readonly feature: string; readonly dependencies: readonly FeatureDependency[] }[];
}

interface Expected {
  readonly flags: number;
  readonly cases: readonly {
    readonly context: WireContext;
    readonly on: Readonly<Record<string, { readonly variant?: string; readonly payload?: VariantPayload }>>;
  }[];
}

const exported = fixture<Export>('export');
const expected = fixture<Expected>('expected');
const wireFlags = exported.features.map(({ name, impressionData }): WireFlag => {
  const environment = exported.featureEnvironments.find((entry) => entry.featureName === name);
  const dependencies = exported.dependencies.find((entry) => entry.feature === name)?.dependencies ?? [];
  return {
    name,
    impressionData,
    enabled: environment?.enabled ?? false,
    strategies: exported.featureStrategies.filter((strategy) => strategy.featureName === name),
    variants: environment?.variants ?? [],
    dependencies,
  };
});
const flags = compileFlags(wireFlags, fixture<SegmentDefinition[]>('segments'));

it('the exported flags compile without a warning', () => {
  expect(wireFlags).toHaveLength(expected.flags);
  expect(wireFlags.flatMap(({ name }) => flags(name)?.warnings ?? [])).toEqual([]);
});

it.each(expected.cases.map((entry, index) => [index, entry] as const))(
  'context %i sees the flags and variants that the public SDK saw against a running Unleash 8.2',
  (_, { context, on }) => {
    const evaluated = evaluationContext(context);
    const fast: Record<string, unknown> = {};
    const explained: Record<string, unknown> = {};
    for (const { name } of wireFlags) {
      const flag = flags(name);
      if (flag === undefined) continue;
      const answer = resolve(flag, evaluated, flags);
      expect(isOn(flag, evaluated, flags)).toBe(answer.on);
      if (answer.on) fast[name] = seen(answer.variant);
      const explanation = explain(flag, evaluated, flags);
      if (explanation.isEnabled) explained[name] = seen(explanation.variant);
    }
    expect(fast).toEqual(on);
    expect(explained).toEqual(on);
  },
);

function seen({ enabled, name, payload }: { enabled: boolean; name: string; payload?: VariantPayload }) {
  if (!enabled) return {};
  return payload === undefined ? { variant: name } : { variant: name, payload };
}
