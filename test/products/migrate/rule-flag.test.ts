import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  ALL_CONTEXTS,
  both,
  type Condition,
  either,
  isOneOf,
  NO_CONTEXT,
  not,
  UnsupportedFlag,
} from '../../../src/products/migrate/vendors/conditions.ts';
import { type Branch, strategiesOf } from '../../../src/products/migrate/vendors/rule-flag.ts';

type User = Readonly<Record<string, string>>;

/** A condition, and its expected result for a user. */
interface Said {
  readonly condition: Condition;
  holds(user: User): boolean;
}

const FIELDS = ['a', 'b', 'c'];
const VALUES = ['1', '2'];

const said: fc.Arbitrary<Said> = fc.letrec<{ said: Said }>((tie) => ({
  said: fc.oneof(
    { maxDepth: 3 },
    fc.record({ field: fc.constantFrom(...FIELDS), value: fc.constantFrom(...VALUES) }).map(({ field, value }) => ({
      condition: isOneOf(field, [value]),
      holds: (user: User) => user[field] === value,
    })),
    fc.constantFrom({ condition: ALL_CONTEXTS, holds: () => true }, { condition: NO_CONTEXT, holds: () => false }),
    tie('said').map((each) => ({ condition: not(each.condition), holds: (user: User) => !each.holds(user) })),
    fc.tuple(tie('said'), tie('said')).map(([left, right]) => ({
      condition: both([left.condition, right.condition]),
      holds: (user: User) => left.holds(user) && right.holds(user),
    })),
    fc.tuple(tie('said'), tie('said')).map(([left, right]) => ({
      condition: either([left.condition, right.condition]),
      holds: (user: User) => left.holds(user) || right.holds(user),
    })),
  ),
})).said;

/** All users where each field has one of the values or is missing. */
const users: User[] = ['', ...VALUES].flatMap((a) =>
  ['', ...VALUES].flatMap((b) =>
    ['', ...VALUES].map((c) => Object.fromEntries(Object.entries({ a, b, c }).filter(([, value]) => value !== ''))),
  ),
);

function meets(user: User, constraints: Condition[number]): boolean {
  return constraints.every(
    ({ contextName, values = [], inverted = false }) => values.includes(user[contextName] ?? '') !== inverted,
  );
}

it('lists of constraints match exactly the users that the rule matches', () => {
  fc.assert(
    fc.property(said, ({ condition, holds }) => {
      for (const user of users) expect(condition.some((list) => meets(user, list))).toBe(holds(user));
    }),
    { numRuns: 300 },
  );
});

it('the first branch that matches decides, also when it turns the flag off', () => {
  const branch = fc.record({ said, isOn: fc.boolean() });
  let kept = 0;
  fc.assert(
    fc.property(fc.array(branch, { maxLength: 4 }), (drawn) => {
      const branches = drawn.map(({ said: { condition: when }, isOn }, index): Branch => {
        return { when, isOn, variants: isOn ? [{ name: `v${index}`, weight: 1 }] : [] };
      });
      let strategies: ReturnType<typeof strategiesOf>;
      try {
        strategies = strategiesOf({ name: 'flag', branches });
      } catch (error) {
        expect(error).toBeInstanceOf(UnsupportedFlag);
        return;
      }
      kept++;
      for (const user of users) {
        const index = drawn.findIndex((each) => each.said.holds(user));
        const wanted = drawn[index]?.isOn === true ? `v${index}` : undefined;
        const taken = strategies.find(({ constraints }) => meets(user, constraints));
        expect(taken?.variants[0]?.name).toBe(wanted);
      }
    }),
    { numRuns: 300 },
  );
  expect(kept).toBeGreaterThan(200);
});

it.each([
  [
    [1, 2],
    [333, 667],
  ],
  [
    [1, 1, 1],
    [334, 333, 333],
  ],
  [
    [10, 50, 40],
    [100, 500, 400],
  ],
  [
    [0.1, 99.9],
    [1, 999],
  ],
])('converts shares of %j to weights of %j, whose sum is 1000', (weights, thousandths) => {
  const variants = weights.map((weight, index) => ({ name: String(index), weight }));
  const [strategy] = strategiesOf({ name: 'flag', branches: [{ when: ALL_CONTEXTS, isOn: true, variants }] });
  expect(strategy?.variants.map(({ weight }) => weight)).toEqual(thousandths);
});

it.each([Number.NaN, -1, 101])('refuses %d as a share', (share) => {
  expect(() => strategiesOf({ name: 'flag', branches: [{ when: ALL_CONTEXTS, isOn: true, share }] })).toThrow(
    UnsupportedFlag,
  );
});
