import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import { isOn, resolve } from '../../src/evaluation/evaluate.ts';
import type { HashEncoding } from '../../src/evaluation/hashing.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import { asByteText, sdkWith } from './sdk.ts';
import { compileFlags, evaluationContext, type WireContext, type WireFlag, type WireStrategy } from './wire.ts';

// docs/reach/sdk-differences.md has the reason for each. When the SDK fixes one, its test here fails: then remove the
// rewrite in sdk.ts and the paragraph.

const IDS = Array.from({ length: 60 }, (_, index) => `user-${index}`);

afterEach(() => {
  vi.restoreAllMocks();
});

const flagWith = (strategy: WireStrategy, more: Partial<WireFlag> = {}): WireFlag => ({
  name: 'flag',
  enabled: true,
  strategies: [strategy],
  ...more,
});

function ours(flag: WireFlag, context: WireContext, hashEncoding: HashEncoding = 'low-bytes') {
  const lookup = compileFlags([flag], [], hashEncoding);
  const compiled = lookup(flag.name) as CompiledFlag;
  const evaluated = evaluationContext(context);
  const { on, variant } = resolve(compiled, evaluated, lookup);
  expect(isOn(compiled, evaluated, lookup)).toBe(on);
  return { on, variant: variant.name };
}

function theirs(flag: WireFlag, context: WireContext) {
  const sdk = sdkWith([flag], []);
  return { on: sdk.isEnabled(flag.name, context), variant: sdk.getVariant(flag.name, context).name };
}

const split = (name: string, groupId: Record<string, string>) =>
  flagWith({
    name,
    parameters: { percentage: '100', rollout: '100', ...groupId },
    variants: ['a', 'b'].map((variant) => ({ name: variant, weight: 500, stickiness: 'userId' })),
  });

/** The results of one constraint: [ours, that of the SDK]. */
function both(constraint: Constraint, context: WireContext): [boolean, boolean] {
  const flag = flagWith({ name: 'default', parameters: {}, constraints: [constraint] });
  return [ours(flag, context).on, theirs(flag, context).on];
}

describe('Burgee (here) and the SDK (there) differ', () => {
  it('in the group of a rollout without a groupId: the flag here, an empty text there', () => {
    const rollout = (groupId: Record<string, string>) =>
      flagWith({ name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'userId', ...groupId } });
    const here = IDS.map((userId) => ours(rollout({}), { userId }));
    expect(IDS.map((userId) => theirs(rollout({}), { userId }))).not.toEqual(here);
    expect(IDS.map((userId) => theirs(rollout({ groupId: 'flag' }), { userId }))).toEqual(here);
  });

  it('in the group of the variants of a flexibleRollout without a groupId: the flag here, the text "undefined" there', () => {
    const here = IDS.map((userId) => ours(split('flexibleRollout', {}), { userId }));
    expect(IDS.map((userId) => theirs(split('flexibleRollout', {}), { userId }))).not.toEqual(here);
    expect(IDS.map((userId) => theirs(split('flexibleRollout', { groupId: 'flag' }), { userId }))).toEqual(here);
  });

  it.each(['default', 'gradualRolloutUserId'])(
    'in the group of the variants of a %s without a groupId: the flag at a relay, the text "undefined" there and at a server',
    (name) => {
      for (const groupId of [{}, { groupId: '' }] as Record<string, string>[]) {
        const flag = split(name, groupId);
        expect(IDS.map((userId) => ours(flag, { userId }))).toEqual(IDS.map((userId) => theirs(flag, { userId })));
      }
      const atServer = IDS.map((userId) => ours(split(name, {}), { userId }));
      expect(IDS.map((userId) => ours(split(name, { groupId: 'undefined' }), { userId }))).toEqual(atServer);
      const atRelay = IDS.map((userId) => ours(split(name, {}), { userId }, 'utf-8').variant);
      expect(IDS.map((userId) => ours(split(name, { groupId: 'flag' }), { userId }).variant)).toEqual(atRelay);
    },
  );

  it('in the hash of characters beyond ASCII, only at a relay: of UTF-8 bytes, not of the low bytes of UTF-16 units', () => {
    const rollout = flagWith({
      name: 'flexibleRollout',
      parameters: { rollout: '50', stickiness: 'userId', groupId: 'övrigt' },
    });
    const contexts = IDS.map((id) => ({ userId: `${id}-å用🙂` }));
    const there = contexts.map((context) => theirs(rollout, context));
    expect(contexts.map((context) => ours(rollout, context))).toEqual(there);
    const atRelay = contexts.map((context) => ours(rollout, context, 'utf-8'));
    expect(atRelay).not.toEqual(there);
    expect(contexts.map((context) => theirs(asByteText(rollout), asByteText(context)))).toEqual(atRelay);
  });

  it('in a constraint whose version begins with v: never satisfied here, the v is ignored there', () => {
    const constraint: Constraint = { contextName: 'version', operator: 'SEMVER_EQ', value: 'v2.0.0' };
    const context = { properties: { version: '2.0.0' } };
    expect(both(constraint, context)).toEqual([false, true]);
    expect(both({ ...constraint, inverted: true }, context)).toEqual([true, false]);
  });

  it('in an inverted pattern that cannot be compiled: off here, on there', () => {
    const constraint: Constraint = { contextName: 'userId', operator: 'REGEX', value: '(', inverted: true };
    expect(both(constraint, { userId: '1' })).toEqual([false, true]);
  });

  it('in fields with the name of an inherited property, or with the name "properties": missing here, found there', () => {
    for (const contextName of ['constructor', 'toString', '__proto__', 'properties']) {
      const constraint: Constraint = { contextName, operator: 'REGEX', value: '.' };
      expect(both(constraint, { properties: {} })).toEqual([false, true]);
    }
  });

  it('in a list operator without a list: an empty one here, an exception there', () => {
    const constraint: Constraint = { contextName: 'userId', operator: 'NOT_IN' };
    const flag = flagWith({ name: 'default', parameters: {}, constraints: [constraint] });
    expect(ours(flag, { userId: '1' }).on).toBe(true);
    expect(() => theirs(flag, { userId: '1' })).toThrow(TypeError);
  });

  it('in dates: the field of the constraint here, always the current time there', () => {
    const constraint: Constraint = { contextName: 'born', operator: 'DATE_BEFORE', value: '2000-01-01' };
    expect(both(constraint, { currentTime: '2026-01-01', properties: { born: '1999-01-01' } })).toEqual([true, false]);
    expect(both(constraint, { currentTime: '1999-01-01', properties: { born: '2026-01-01' } })).toEqual([false, true]);
    expect(both(constraint, { currentTime: '1999-01-01' })).toEqual([false, true]);
  });

  it('in the current time as text: an ISO date here, the text of a JavaScript date there', () => {
    const constraint: Constraint = { contextName: 'currentTime', operator: 'STR_STARTS_WITH', values: ['2026-01-02T'] };
    expect(both(constraint, { currentTime: '2026-01-02T03:04:05.000Z' })).toEqual([true, false]);
  });

  it('in properties that are objects: missing here, "[object Object]" or a joined list there', () => {
    const constraint: Constraint = { contextName: 'field', operator: 'REGEX', value: '.' };
    expect(both(constraint, { properties: { field: {} } })).toEqual([false, true]);
    expect(both(constraint, { properties: { field: ['x'] } })).toEqual([false, true]);
  });

  it('in addresses of a context with a prefix length or a zone: not an address here, an address there', () => {
    const constraint: Constraint = {
      contextName: 'remoteAddress',
      operator: 'IN_CIDR',
      values: ['10.0.0.0/8', 'fe80::/10'],
    };
    expect(both(constraint, { remoteAddress: '10.1.2.3/32' })).toEqual([false, true]);
    expect(both(constraint, { remoteAddress: 'fe80::1%eth0' })).toEqual([false, true]);
  });

  it('in variant stickiness "random" when a property has that name: random here, the property there', () => {
    const variants = ['a', 'b'].map((name) => ({ name, weight: 500, stickiness: 'random' }));
    const flag = flagWith({ name: 'default', parameters: {} }, { variants });
    const context = { properties: { random: 'fixed' } };
    const drawn = [0.1, 0.3, 0.5, 0.7, 0.9];
    const lookup = compileFlags([flag]);
    const here = drawn.map((value) => {
      const evaluated = evaluationContext(context, { random: () => value });
      return resolve(lookup('flag') as CompiledFlag, evaluated, lookup).variant.name;
    });
    const sdk = sdkWith([flag], [], { keepsPropertyNames: true });
    const there = drawn.map((value) => {
      vi.spyOn(Math, 'random').mockReturnValue(value);
      return sdk.getVariant('flag', context).name;
    });
    expect(new Set(here).size).toBe(2);
    expect(new Set(there).size).toBe(1);
  });

  it('in variant stickiness that is an empty text: the default here, random there', () => {
    const variants = ['a', 'b'].map((name) => ({ name, weight: 500, stickiness: '' }));
    const flag = flagWith({ name: 'default', parameters: {} }, { variants });
    const standard = { ...flag, variants: variants.map((variant) => ({ ...variant, stickiness: 'default' })) };
    const here = IDS.map((userId) => ours(flag, { userId }));
    expect(IDS.map((userId) => theirs(standard, { userId }))).toEqual(here);
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    expect(new Set(IDS.map((userId) => theirs(flag, { userId }).variant)).size).toBe(1);
  });
});
