import { describe, expect, it } from 'vitest';
import { compileConstraint } from '../../src/evaluation/constraint.ts';
import type { EvaluationContext } from '../../src/evaluation/context.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import { texts } from './long-lists.ts';
import { evaluationContext, NOW_MS, type WireContext } from './wire.ts';

function holds(constraint: Constraint, context: WireContext | EvaluationContext = {}): boolean {
  const evaluated = 'random' in context ? context : evaluationContext(context);
  return compileConstraint(constraint).test(evaluated);
}

function warning(constraint: Constraint): string | null {
  return compileConstraint(constraint).warning;
}

const field = (value: unknown): WireContext => ({ properties: { field: value } });

describe('a field', () => {
  const isMissing = (contextName: string, context: WireContext) =>
    holds({ contextName, operator: 'NOT_IN', values: ['x'] }, context) &&
    !holds({ contextName, operator: 'REGEX', value: '' }, context);

  it('is never found on the prototype of the properties', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      expect(isMissing(name, { properties: {} })).toBe(true);
      expect(isMissing(name, {})).toBe(true);
    }
    const inherited = Object.create({ tenant: 'x' }) as Record<string, unknown>;
    expect(isMissing('tenant', { properties: inherited })).toBe(true);
  });

  it('may be called __proto__ or constructor when the context has it itself', () => {
    const properties = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, unknown>;
    expect(holds({ contextName: '__proto__', operator: 'IN', values: ['a'] }, { properties })).toBe(true);
    expect(holds({ contextName: 'constructor', operator: 'IN', values: ['b'] }, { properties })).toBe(true);
  });

  it('with a standard name may come from the properties, but the context itself has precedence', () => {
    const constraint: Constraint = { contextName: 'userId', operator: 'IN', values: ['7'] };
    expect(holds(constraint, { properties: { userId: '7' } })).toBe(true);
    expect(holds(constraint, { userId: '8', properties: { userId: '7' } })).toBe(false);
  });

  it('that is a number or a boolean is read as its text', () => {
    expect(holds({ contextName: 'field', operator: 'IN', values: ['42'] }, field(42))).toBe(true);
    expect(holds({ contextName: 'field', operator: 'STR_STARTS_WITH', values: ['tr'] }, field(true))).toBe(true);
    expect(holds({ contextName: 'field', operator: 'NUM_GT', value: '1' }, field(1.5))).toBe(true);
  });

  it('that is null or an object is missing, even when its conversion to text would throw', () => {
    expect(isMissing('field', field(null))).toBe(true);
    expect(isMissing('field', field({ toString: 1, valueOf: 2 }))).toBe(true);
    expect(isMissing('field', field(['x']))).toBe(true);
    expect(isMissing('field', field(Symbol('x')))).toBe(true);
  });

  it('called currentTime is the time of the context, as an ISO date to operators on text', () => {
    const constraint: Constraint = {
      contextName: 'currentTime',
      operator: 'STR_STARTS_WITH',
      values: ['2026-01-01T00'],
    };
    expect(holds(constraint)).toBe(true);
    expect(holds(constraint, { properties: { currentTime: '1999' } })).toBe(true);
    expect(holds(constraint, evaluationContext({}, { currentTimeMs: Number.NaN }))).toBe(false);
  });
});

describe('a missing field', () => {
  it.each([
    ['IN', false],
    ['NOT_IN', true],
    ['STR_CONTAINS', false],
    ['IN_CIDR', false],
  ] as const)('makes %s %s, and inverted the opposite', (operator, expected) => {
    expect(holds({ contextName: 'nosuch', operator, values: ['1'] })).toBe(expected);
    expect(holds({ contextName: 'nosuch', operator, values: ['1'], inverted: true })).toBe(!expected);
  });

  it.each([
    ['NUM_LT', '1'],
    ['NUM_EQ', '0'],
    ['SEMVER_EQ', '1.0.0'],
    ['REGEX', ''],
    ['DATE_BEFORE', '2030-01-01'],
  ] as const)('makes %s false, and inverted true', (operator, value) => {
    expect(holds({ contextName: 'nosuch', operator, value })).toBe(false);
    expect(holds({ contextName: 'nosuch', operator, value, inverted: true })).toBe(true);
  });
});

describe('a list', () => {
  it('is trimmed and its empty entries do not count', () => {
    expect(holds({ contextName: 'field', operator: 'IN', values: [' a '] }, field('a'))).toBe(true);
    expect(holds({ contextName: 'field', operator: 'IN', values: [''] }, field(''))).toBe(false);
    expect(holds({ contextName: 'field', operator: 'STR_CONTAINS', values: [''] }, field('a'))).toBe(false);
  });

  it('that is absent is empty', () => {
    expect(holds({ contextName: 'field', operator: 'IN' }, field('a'))).toBe(false);
    expect(holds({ contextName: 'field', operator: 'NOT_IN' }, field('a'))).toBe(true);
  });

  it('of 10,000 ids finds the last of them', () => {
    const values = Array.from({ length: 10_000 }, (_, index) => `id-${index}`);
    expect(holds({ contextName: 'field', operator: 'IN', values }, field('id-9999'))).toBe(true);
    expect(holds({ contextName: 'field', operator: 'NOT_IN', values }, field('id-10000'))).toBe(true);
  });
});

it('text operators ignore the case of every value of a long list', () => {
  const values = texts(1_000, 5);
  const find = (value: string, caseInsensitive: boolean) =>
    holds({ contextName: 'field', operator: 'STR_ENDS_WITH', values, caseInsensitive }, field(value.toUpperCase()));
  expect(values.filter((value) => !find(value, true))).toEqual([]);
  expect(find('aaaaa1', false)).toBe(false);
});

it('text operators and patterns ignore case only with caseInsensitive', () => {
  const starts: Constraint = { contextName: 'field', operator: 'STR_STARTS_WITH', values: ['ÅB'] };
  expect(holds(starts, field('åbc'))).toBe(false);
  expect(holds({ ...starts, caseInsensitive: true }, field('åbc'))).toBe(true);
  const pattern: Constraint = { contextName: 'field', operator: 'REGEX', value: 'B' };
  expect(holds(pattern, field('abc'))).toBe(false);
  expect(holds({ ...pattern, caseInsensitive: true }, field('abc'))).toBe(true);
  expect(holds({ contextName: 'field', operator: 'IN', values: ['A'], caseInsensitive: true }, field('a'))).toBe(false);
});

describe('a pattern', () => {
  it.each(['(', '(?=a)b', '(a)\\1', 'a{2000}'])(
    'that RE2 refuses (%s) is never satisfied, not even inverted',
    (value) => {
      const constraint: Constraint = { contextName: 'field', operator: 'REGEX', value };
      expect(holds(constraint, field('aa'))).toBe(false);
      expect(holds({ ...constraint, inverted: true }, field('aa'))).toBe(false);
      expect(warning(constraint)).toContain('REGEX on "field"');
    },
  );

  it('that would take exponential time with backtracking is evaluated fast', () => {
    expect(holds({ contextName: 'field', operator: 'REGEX', value: '^(a+)+$' }, field(`${'a'.repeat(5000)}!`))).toBe(
      false,
    );
  });
});

describe('a constraint with an invalid value', () => {
  it.each([
    ['NUM_GT', 'abc'],
    ['NUM_EQ', undefined],
    ['DATE_AFTER', 'never'],
    ['DATE_BEFORE', undefined],
    ['SEMVER_EQ', 'not a version'],
    ['SEMVER_LT', 'v1.2.3'],
  ] as const)('%s %s is false, true when inverted, and reported', (operator, value) => {
    const constraint: Constraint = { contextName: 'field', operator, ...(value === undefined ? {} : { value }) };
    for (const text of ['1', '1.2.3', '2020-01-01']) {
      expect(holds(constraint, field(text))).toBe(false);
      expect(holds({ ...constraint, inverted: true }, field(text))).toBe(true);
    }
    expect(warning(constraint)).toContain(operator);
  });

  it('with an unknown operator is never satisfied, not even inverted', () => {
    const constraint = { contextName: 'field', operator: 'NEAR', value: '1' } as unknown as Constraint;
    expect(holds(constraint, field('1'))).toBe(false);
    expect(holds({ ...constraint, inverted: true }, field('1'))).toBe(false);
    expect(warning(constraint)).toContain('unknown operator');
  });
});

describe('dates', () => {
  const date = (operator: 'DATE_AFTER' | 'DATE_BEFORE', timeMs: number, contextName = 'currentTime'): Constraint => ({
    contextName,
    operator,
    value: new Date(timeMs).toISOString(),
  });

  it('are exclusive on both sides', () => {
    expect(holds(date('DATE_AFTER', NOW_MS))).toBe(false);
    expect(holds(date('DATE_BEFORE', NOW_MS))).toBe(false);
    expect(holds(date('DATE_AFTER', NOW_MS - 1))).toBe(true);
    expect(holds(date('DATE_BEFORE', NOW_MS + 1))).toBe(true);
  });

  it('compare the field the constraint names, not always the current time', () => {
    expect(holds(date('DATE_AFTER', NOW_MS, 'field'), field('2030-01-01'))).toBe(true);
    expect(holds(date('DATE_AFTER', NOW_MS, 'field'), field('2020-01-01'))).toBe(false);
    expect(holds(date('DATE_AFTER', NOW_MS, 'field'), field('soon'))).toBe(false);
  });
});

describe('versions', () => {
  const is = (text: string, operator: Constraint['operator'], value: string) =>
    holds({ contextName: 'field', operator, value }, field(text));

  it('are compared by number, pre-release before release, without build metadata', () => {
    expect(is('1.10.0', 'SEMVER_GT', '1.9.9')).toBe(true);
    expect(is('2.0.0', 'SEMVER_GT', '2.0.0-rc.1')).toBe(true);
    expect(is('2.0.0-rc.1', 'SEMVER_LT', '2.0.0')).toBe(true);
    expect(is('2.0.0-rc.2', 'SEMVER_GT', '2.0.0-rc.1')).toBe(true);
    expect(is('2.0.0+build', 'SEMVER_EQ', '2.0.0')).toBe(true);
    expect(is('2.0.0', 'SEMVER_EQ', '2.0.0+build')).toBe(true);
    expect(is('2.0.0', 'SEMVER_GTE', '2.0.0')).toBe(true);
    expect(is('2.0.0', 'SEMVER_LTE', '2.0.0')).toBe(true);
  });

  it.each(['v2.0.0', '2.0', '02.0.0', '2.0.0.0', '2..0', '', '9007199254740993.0.0'])('do not include %j', (text) => {
    expect(is(text, 'SEMVER_GTE', '0.0.0')).toBe(false);
    expect(is(text, 'SEMVER_LTE', '99.0.0')).toBe(false);
  });
});

describe('address ranges', () => {
  const inRanges = (address: string, ...values: string[]) =>
    holds({ contextName: 'remoteAddress', operator: 'IN_CIDR', values }, { remoteAddress: address });

  it('contain IPv4 and IPv6 addresses up to their last bit', () => {
    expect(inRanges('10.255.255.255', '10.0.0.0/8')).toBe(true);
    expect(inRanges('11.0.0.0', '10.0.0.0/8')).toBe(false);
    expect(inRanges('192.168.1.127', '192.168.1.64/26')).toBe(true);
    expect(inRanges('192.168.1.128', '192.168.1.64/26')).toBe(false);
    expect(inRanges('255.255.255.255', '0.0.0.0/0')).toBe(true);
    expect(inRanges('2001:db8:0:1::42', '2001:db8::/63')).toBe(true);
    expect(inRanges('2001:db8:0:2::42', '2001:db8::/63')).toBe(false);
    expect(inRanges('2001:0DB8:0:0:0:0:0:1', '2001:db8::1')).toBe(true);
    expect(inRanges('::ffff:10.0.0.1', '::ffff:a00:1')).toBe(true);
  });

  it('skip invalid entries and report them', () => {
    const values = [
      '127.invalid',
      '10.0.0.0/33',
      '::1/129',
      '010.0.0.1',
      '1::2::3',
      '1.2.3',
      ':1:2:3:4:5:6:7',
      '192.168.1.0/24',
    ];
    expect(inRanges('192.168.1.42', ...values)).toBe(true);
    expect(inRanges('127.0.0.1', ...values)).toBe(false);
    const found = warning({ contextName: 'remoteAddress', operator: 'IN_CIDR', values });
    expect(found).toContain('127.invalid');
    expect(found).not.toContain('192.168.1.0/24');
  });

  it.each([
    '10.0.0',
    '10.0.0.1.1',
    '10.0.0.256',
    '10.0.0.1 ',
    ':::',
    '1:2:3:4:5:6:7:8:9',
    '1:2',
    '12345::',
    '::1%eth0',
    'localhost',
    '',
  ])('do not contain a text that is not an address: %j', (address) => {
    expect(inRanges(address, '0.0.0.0/0', '::/0')).toBe(false);
  });
});
