import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import type { EvaluationContext } from '../../src/evaluation/context.ts';
import { compileOverrides, NO_OVERRIDE } from '../../src/evaluation/overrides.ts';
import type { Variant } from '../../src/model/variant.ts';
import { evaluationContext } from './wire.ts';

type VariantOverride = NonNullable<Variant['overrides']>[number];

function compiled(variants: readonly VariantOverride[][]) {
  return workAtOnce(compileOverrides(variants.map((overrides) => ({ overrides }))));
}

describe('overrides', () => {
  it('select the first variant in array order with a matching override, as SDKs do', () => {
    const word = fc.constantFrom('1', '2', '3', '__proto__', 'constructor');
    const field = fc.constantFrom('userId', 'region', 'plan', '__proto__');
    const override = fc.record({ contextName: field, values: fc.array(word, { maxLength: 3 }) });
    const variants = fc.array(fc.array(override, { maxLength: 4 }), { maxLength: 5 });
    const context = fc.record({ userId: word, region: word, plan: word }, { requiredKeys: [] });
    fc.assert(
      fc.property(variants, context, (lists, { userId, ...properties }) => {
        const evaluated = evaluationContext({ ...(userId !== undefined && { userId }), properties });
        const values: Readonly<Record<string, string | undefined>> = { userId, ...properties };
        const expected = lists.findIndex((overrides) =>
          overrides.some(({ contextName, values: wanted }) => {
            const own = Object.hasOwn(values, contextName) ? values[contextName] : undefined;
            return own !== undefined && (wanted as string[]).includes(own);
          }),
        );
        expect(compiled(lists)?.find(evaluated) ?? NO_OVERRIDE).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it('read each field once, for any number of overrides', () => {
    const overrides = (at: number): VariantOverride[] =>
      Array.from({ length: 50 }, (_, index) => ({
        contextName: index % 2 ? 'plan' : 'region',
        values: [`${at}-${index}`],
      }));
    const found = compiled(Array.from({ length: 100 }, (_, at) => overrides(at)));
    const read: string[] = [];
    const properties = new Proxy({ plan: '99-49', region: 'x' } as Record<string, string>, {
      get: (target, name) => {
        read.push(String(name));
        return target[String(name)];
      },
    });
    const context: EvaluationContext = evaluationContext({ properties });
    expect(found?.find(context)).toBe(99);
    expect(read.sort()).toEqual(['plan', 'region']);
    expect(found?.cost.fixed).toBeLessThan(10);
  });
});
