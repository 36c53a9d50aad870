import { describe, expect, it } from 'vitest';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import { isOn, resolve } from '../../src/evaluation/evaluate.ts';
import type { SegmentDefinition } from '../../src/evaluation/segment.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import type { Variant } from '../../src/model/variant.ts';
import { explain } from './explain.ts';
import { compileFlags, evaluationContext, type WireContext, type WireFlag, type WireStrategy } from './wire.ts';

const always: WireStrategy = { name: 'default' };
const neverHolds: Constraint = { contextName: 'userId', operator: 'IN', values: [] };
const flag = (more: Partial<WireFlag>): WireFlag => ({ name: 'flag', enabled: true, strategies: [always], ...more });

/** Evaluates the first flag in every way, and checks that the results are equal. */
function evaluate(flags: readonly WireFlag[], context: WireContext = {}, segments: readonly SegmentDefinition[] = []) {
  const lookup = compileFlags(flags, segments);
  const compiled = lookup(flags[0]?.name ?? '') as CompiledFlag;
  const evaluated = evaluationContext(context, { hostname: 'Web-1' });
  const answer = resolve(compiled, evaluated, lookup);
  const explained = explain(compiled, evaluated, lookup);
  expect(isOn(compiled, evaluated, lookup)).toBe(answer.on);
  expect(explained.isEnabled).toBe(answer.on);
  expect(explained.variant).toEqual(answer.variant);
  return { on: answer.on, variant: answer.variant.name, explained, warnings: compiled.warnings };
}

describe('a flag', () => {
  it('without strategies is on', () => {
    expect(evaluate([flag({ strategies: [] })])).toMatchObject({
      on: true,
      explained: { strategies: { result: true } },
    });
  });

  it('whose strategies are all disabled is off, and shows them unevaluated', () => {
    const { on, explained } = evaluate([flag({ strategies: [{ ...always, disabled: true }] })]);
    expect(on).toBe(false);
    expect(explained.strategies).toMatchObject({
      result: false,
      data: [{ disabled: true, result: { evaluationStatus: 'unevaluated', enabled: false } }],
    });
  });

  it('that is disabled in the environment still explains its strategies', () => {
    const { on, explained } = evaluate([flag({ enabled: false })]);
    expect(on).toBe(false);
    expect(explained).toMatchObject({ isEnabledInCurrentEnvironment: false, strategies: { result: true } });
    expect(explained.variant).toMatchObject({ name: 'disabled', enabled: false, feature_enabled: false });
  });

  it('is on when any strategy is satisfied, and uses the variants of the first satisfied one', () => {
    const variants = (name: string) => [{ name, weight: 1000, stickiness: 'default' }];
    const strategies: WireStrategy[] = [
      { ...always, constraints: [neverHolds], variants: variants('first') },
      { ...always, variants: variants('second') },
      { ...always, variants: variants('third') },
    ];
    expect(evaluate([flag({ strategies })])).toMatchObject({ on: true, variant: 'second' });
  });

  it('is resolved to one frozen object per variant', () => {
    const lookup = compileFlags([
      flag({ variants: [{ name: 'v', weight: 1000, payload: { type: 'string', value: 'p' } }] }),
    ]);
    const compiled = lookup('flag') as CompiledFlag;
    const first = resolve(compiled, evaluationContext({ userId: '1' }), lookup);
    expect(resolve(compiled, evaluationContext({ userId: '2' }), lookup)).toBe(first);
    expect([first, first.variant, first.variant.payload].every(Object.isFrozen)).toBe(true);
    expect(JSON.parse(first.variantJson)).toEqual(first.variant);
  });
});

describe('an invalid definition', () => {
  it('turns its strategy off, is reported, and does not affect the other strategies', () => {
    const broken: WireStrategy = {
      id: 'a',
      name: 'default',
      constraints: [{ contextName: 'userId', operator: 'REGEX', value: '(' }],
    };
    expect(evaluate([flag({ strategies: [broken] })], { userId: '1' }).on).toBe(false);
    const { on, warnings } = evaluate([flag({ strategies: [broken, always] })], { userId: '1' });
    expect(on).toBe(true);
    expect(warnings).toEqual([{ strategyId: 'a', message: expect.stringContaining('REGEX on "userId"') }]);
  });

  it('such as a segment that does not exist turns its strategy off and is shown as not satisfied', () => {
    const { on, explained, warnings } = evaluate([flag({ strategies: [{ ...always, segments: [7] }] })]);
    expect(on).toBe(false);
    expect(warnings.map((warning) => warning.message)).toEqual(['segment 7 does not exist']);
    expect(explained.strategies.data[0]?.segments).toEqual([{ id: 7, name: '', result: false, constraints: [] }]);
  });

  it.each(['flexibleRollout', 'gradualRolloutUserId', 'gradualRolloutSessionId', 'gradualRolloutRandom'])(
    'such as a %s without a percentage is off and reported',
    (name) => {
      const { on, warnings } = evaluate([flag({ strategies: [{ name }] })], { userId: '1', sessionId: '1' });
      expect(on).toBe(false);
      expect(warnings).toHaveLength(1);
    },
  );
});

describe('a segment', () => {
  it('is compiled once for all the flags that use it', () => {
    const segment = {
      id: 1,
      name: 'one',
      constraints: [{ contextName: 'userId', operator: 'IN' as const, values: ['1'] }],
    };
    const strategies = [{ ...always, segments: [1] }];
    const lookup = compileFlags([flag({ name: 'a', strategies }), flag({ name: 'b', strategies })], [segment]);
    expect(lookup('a')?.strategies[0]?.segments[0]).toBe(lookup('b')?.strategies[0]?.segments[0]);
  });

  it('is explained constraint by constraint', () => {
    const segment: SegmentDefinition = {
      id: 3,
      name: 'three',
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }, neverHolds],
    };
    const { explained } = evaluate([flag({ strategies: [{ ...always, segments: [3] }] })], { userId: '1' }, [segment]);
    expect(explained.strategies.data[0]?.segments).toEqual([
      {
        id: 3,
        name: 'three',
        result: false,
        constraints: [
          { contextName: 'userId', operator: 'IN', values: ['1'], result: true },
          { ...neverHolds, result: false },
        ],
      },
    ]);
  });
});

describe('a custom strategy', () => {
  const custom: WireStrategy = { name: 'ours' };
  const blocked: WireStrategy = { ...always, constraints: [neverHolds] };

  it('is off, but unknown in the explanation when all else is false', () => {
    const { on, explained, warnings } = evaluate([flag({ strategies: [blocked, custom] })]);
    expect(on).toBe(false);
    expect(explained).toMatchObject({ isEnabled: false, strategies: { result: 'unknown' } });
    expect(explained.strategies.data[1]?.result).toEqual({ evaluationStatus: 'incomplete', enabled: 'unknown' });
    expect(warnings[0]?.message).toBe('unknown strategy "ours"');
  });

  it('is false when its constraints are not satisfied', () => {
    const { explained } = evaluate([flag({ strategies: [{ ...custom, constraints: [neverHolds] }] })]);
    expect(explained.strategies.result).toBe(false);
    expect(explained.strategies.data[0]?.result).toEqual({ evaluationStatus: 'incomplete', enabled: false });
  });

  it('does not make a flag unknown when another strategy turns it on', () => {
    expect(evaluate([flag({ strategies: [custom, always] })])).toMatchObject({
      on: true,
      explained: { strategies: { result: true } },
    });
  });

  it('that is disabled is unevaluated and makes nothing unknown', () => {
    const { explained } = evaluate([flag({ strategies: [{ ...custom, disabled: true }] })]);
    expect(explained.strategies.result).toBe(false);
  });

  it('may have the name of a property that every object has', () => {
    expect(evaluate([flag({ strategies: [{ name: 'constructor' }, { name: '__proto__' }] })]).on).toBe(false);
  });
});

describe('dependencies', () => {
  const child = (...dependencies: NonNullable<WireFlag['dependencies']>) => flag({ name: 'child', dependencies });
  const parent = (more: Partial<WireFlag> = {}) => flag({ name: 'parent', ...more });
  const off: Partial<WireFlag> = { enabled: false };

  it('are not satisfied by a parent that is missing', () => {
    expect(evaluate([child({ feature: 'parent' })]).explained.hasUnsatisfiedDependency).toBe(true);
    expect(evaluate([child({ feature: 'parent', enabled: false })]).on).toBe(false);
  });

  it('are not satisfied by a parent with parents, on or off', () => {
    const grandparent = flag({ name: 'grandparent' });
    const middle = parent({ dependencies: [{ feature: 'grandparent' }] });
    expect(evaluate([child({ feature: 'parent' }), middle, grandparent]).on).toBe(false);
    expect(
      evaluate([child({ feature: 'parent', enabled: false }), { ...middle, enabled: false }, grandparent]).on,
    ).toBe(false);
  });

  it('of a flag on itself are never satisfied', () => {
    expect(evaluate([child({ feature: 'child' })]).on).toBe(false);
  });

  it('expect the parent on, or off with enabled: false', () => {
    expect(evaluate([child({ feature: 'parent' }), parent()]).on).toBe(true);
    expect(evaluate([child({ feature: 'parent' }), parent(off)]).on).toBe(false);
    expect(evaluate([child({ feature: 'parent', enabled: false }), parent(off)]).on).toBe(true);
    expect(evaluate([child({ feature: 'parent', enabled: false }), parent()]).on).toBe(false);
  });

  it('must all be satisfied', () => {
    const other = flag({ name: 'other', enabled: false });
    expect(evaluate([child({ feature: 'parent' }, { feature: 'other' }), parent(), other]).on).toBe(false);
  });

  it('are evaluated with the context of the child', () => {
    const strategies = [
      { ...always, constraints: [{ contextName: 'userId', operator: 'IN' as const, values: ['7'] }] },
    ];
    expect(evaluate([child({ feature: 'parent' }), parent({ strategies })], { userId: '7' }).on).toBe(true);
    expect(evaluate([child({ feature: 'parent' }), parent({ strategies })], { userId: '8' }).on).toBe(false);
  });

  it('on variants match the variant of the parent; "disabled" matches a parent that is on without variants', () => {
    const blue = parent({ variants: [{ name: 'blue', weight: 1000 }] });
    expect(evaluate([child({ feature: 'parent', variants: ['green', 'blue'] }), blue]).on).toBe(true);
    expect(evaluate([child({ feature: 'parent', variants: ['green'] }), blue]).on).toBe(false);
    expect(evaluate([child({ feature: 'parent', variants: ['disabled'] }), parent()]).on).toBe(true);
    expect(evaluate([child({ feature: 'parent', variants: ['disabled'] }), parent(off)]).on).toBe(false);
  });
});

describe('variants', () => {
  const variant = (name: string, weight: number, more: Partial<Variant> = {}): Variant => ({ name, weight, ...more });
  const forUser = (...values: string[]) => ({ overrides: [{ contextName: 'userId', values }] });

  it('are overridden in array order, before any weight', () => {
    const variants = [variant('a', 1000), variant('b', 0, forUser('1', '2')), variant('c', 0, forUser('2', '3'))];
    const chosen = (userId: string) => evaluate([flag({ variants })], { userId }).variant;
    expect([chosen('1'), chosen('2'), chosen('3'), chosen('4')]).toEqual(['b', 'b', 'c', 'a']);
  });

  it('of a strategy with zero weights are replaced by those of the flag, and those of the flag by "disabled"', () => {
    const strategies: WireStrategy[] = [{ ...always, variants: [{ name: 's', weight: 0, stickiness: 'default' }] }];
    expect(evaluate([flag({ strategies, variants: [variant('f', 1)] })]).variant).toBe('f');
    expect(evaluate([flag({ strategies, variants: [variant('f', 0)] })])).toMatchObject({
      on: true,
      variant: 'disabled',
    });
  });

  it('use the stickiness of the first variant', () => {
    const variants = [variant('a', 500, { stickiness: 'region' }), variant('b', 500, { stickiness: 'random' })];
    for (const region of ['eu', 'us', 'ap']) {
      const chosen = [0, 0.3, 0.9].map((drawn) => resolveWith(variants, { properties: { region } }, drawn));
      expect(new Set(chosen).size).toBe(1);
    }
  });

  it('are drawn at random when the context lacks the sticky field', () => {
    const variants = [variant('a', 500, { stickiness: 'region' }), variant('b', 500)];
    const chosen = Array.from({ length: 50 }, (_, index) => resolveWith(variants, {}, index / 50));
    expect(new Set(chosen)).toEqual(new Set(['a', 'b']));
  });

  function resolveWith(variants: Variant[], context: WireContext, drawn: number): string {
    const lookup = compileFlags([flag({ variants })]);
    const compiled = lookup('flag') as CompiledFlag;
    return resolve(compiled, evaluationContext(context, { random: () => drawn }), lookup).variant.name;
  }
});
