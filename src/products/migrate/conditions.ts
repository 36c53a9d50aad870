import type { Constraint } from '../../model/constraint.ts';

/** The contexts that a rule matches: those for which all constraints of one of the lists hold. No list: none; a list without constraints: all. */
export type Condition = readonly (readonly Constraint[])[];

export const EVERYBODY: Condition = [[]];
export const NOBODY: Condition = [];

/** What of another vendor's flag cannot be said here, for people: the flag is left out, and this is reported. */
export class Unkeepable extends Error {
  override readonly name = 'Unkeepable';
}

/** A flag has at most as many strategies, and each is one list. */
const LISTS_MAX = 30;

export function one(constraint: Constraint): Condition {
  return [[constraint]];
}

export function either(...conditions: readonly Condition[]): Condition {
  return bounded(conditions.flat());
}

export function both(...conditions: readonly Condition[]): Condition {
  return conditions.reduce(
    (left, right) => bounded(left.flatMap((each) => right.flatMap((other) => joined(each, other)))),
    EVERYBODY,
  );
}

export function not(condition: Condition): Condition {
  const parts = condition.map((list) => list.map((constraint) => [opposite(constraint)]));
  return both(...parts);
}

export function isEverybody(condition: Condition): boolean {
  return condition.some((list) => list.length === 0);
}

function opposite(constraint: Constraint): Constraint {
  const { inverted, ...rest } = constraint;
  return inverted === true ? rest : { ...rest, inverted: true };
}

/** Both lists as one; none when one constraint says the opposite of another. */
function joined(left: readonly Constraint[], right: readonly Constraint[]): readonly (readonly Constraint[])[] {
  const all = new Map([...left, ...right].map((constraint) => [keyOf(constraint), constraint]));
  for (const constraint of all.values()) if (all.has(keyOf(opposite(constraint)))) return [];
  return [[...all.values()]];
}

function keyOf({ contextName, operator, values, value, inverted, caseInsensitive }: Constraint): string {
  return JSON.stringify([contextName, operator, values, value, inverted === true, caseInsensitive === true]);
}

function bounded(lists: readonly (readonly Constraint[])[]): Condition {
  const distinct = new Map(lists.map((list) => [list.map(keyOf).sort().join(), list]));
  // A context of the wider list matches whatever the narrower ones say.
  if (distinct.has('')) return EVERYBODY;
  if (distinct.size > LISTS_MAX) throw new Unkeepable(`its rules come to more than ${LISTS_MAX} strategies`);
  return [...distinct.values()];
}

/** A field of a context as it is called here. @throws Unkeepable for what a context here cannot hold under its name */
export function fieldNamed(name: string): string {
  if (name === '') throw new Unkeepable('it asks for the whole context');
  if (name.includes('.'))
    throw new Unkeepable(`it asks for ${name}, which is within another value; contexts here are flat`);
  if (name === 'environment' || name === 'currentTime')
    throw new Unkeepable(`it asks for ${name}, which here is not what the caller says`);
  return name === 'targetingKey' ? 'userId' : name;
}

/** Whether the field is there at all. */
export function present(contextName: string): Condition {
  return one({ contextName, operator: 'REGEX', value: '^' });
}

export function isOneOf(contextName: string, values: readonly string[]): Condition {
  return values.length === 0 ? NOBODY : one({ contextName, operator: 'IN', values: [...values] });
}

const NUMBERS = { '<': 'NUM_LT', '<=': 'NUM_LTE', '>': 'NUM_GT', '>=': 'NUM_GTE', '=': 'NUM_EQ' } as const;
const VERSIONS = { '<': 'SEMVER_LT', '>': 'SEMVER_GT', '=': 'SEMVER_EQ' } as const;

export type Comparison = keyof typeof NUMBERS | '!=';

/** What is no number, or missing, compares in no way with one: also not as being another. */
export function comparesWithNumber(contextName: string, comparison: Comparison, value: number): Condition {
  const compares = (operator: keyof typeof NUMBERS) =>
    one({ contextName, operator: NUMBERS[operator], value: String(value) });
  return comparison === '!=' ? either(compares('<'), compares('>')) : compares(comparison);
}

/** As numbers. Said with the operators that every SDK knows. */
export function comparesWithVersion(contextName: string, comparison: Comparison, version: string): Condition {
  const value = version.replace(/^v/, '');
  const compares = (...operators: readonly (keyof typeof VERSIONS)[]) =>
    either(...operators.map((operator) => one({ contextName, operator: VERSIONS[operator], value })));
  if (comparison === '!=') return compares('<', '>');
  if (comparison === '<=') return compares('<', '=');
  return comparison === '>=' ? compares('>', '=') : compares(comparison);
}
