import type { Constraint } from '../../../model/constraint.ts';

/**
 * The contexts that a rule matches. A context matches if it satisfies all constraints of at least one list. Without a list, no context matches. A
 * list without constraints matches every context.
 */
export type Condition = readonly (readonly Constraint[])[];

export const ALL_CONTEXTS: Condition = [[]];
export const NO_CONTEXT: Condition = [];

/** Thrown if Burgee cannot represent a flag of another product. The message is the reason, as text for users. The flag is not imported. */
export class UnsupportedFlag extends Error {
  override readonly name = 'UnsupportedFlag';
}

/** Maximum number of lists in a condition. Each list becomes one strategy of the flag. */
const LISTS_MAX = 30;

export function one(constraint: Constraint): Condition {
  return [[constraint]];
}

export function either(conditions: readonly Condition[]): Condition {
  return distinctLists(conditions.flat());
}

export function both(conditions: readonly Condition[]): Condition {
  return conditions.reduce(
    (left, right) => distinctLists(left.flatMap((each) => right.flatMap((other) => conjunctionOf(each, other)))),
    ALL_CONTEXTS,
  );
}

export function not(condition: Condition): Condition {
  const parts = condition.map((list) => list.map((constraint) => [inversionOf(constraint)]));
  return both(parts);
}

export function matchesAllContexts(condition: Condition): boolean {
  return condition.some((list) => list.length === 0);
}

function inversionOf(constraint: Constraint): Constraint {
  const { inverted, ...rest } = constraint;
  return inverted === true ? rest : { ...rest, inverted: true };
}

/** One list with the constraints of both lists. No list if one constraint is the inversion of another. */
function conjunctionOf(left: readonly Constraint[], right: readonly Constraint[]): readonly (readonly Constraint[])[] {
  const all = new Map([...left, ...right].map((constraint) => [keyOf(constraint), constraint]));
  for (const constraint of all.values()) if (all.has(keyOf(inversionOf(constraint)))) return [];
  return [[...all.values()]];
}

function keyOf({ contextName, operator, values, value, inverted, caseInsensitive }: Constraint): string {
  return JSON.stringify([contextName, operator, values, value, inverted === true, caseInsensitive === true]);
}

/** Maximum depth of nested rules. */
const DEPTH_MAX = 50;

/** Rules are read recursively, and a rule may refer to itself. @throws UnsupportedFlag for a rule that is nested too deeply */
export function checkDepth(depth: number): void {
  if (depth > DEPTH_MAX) throw new UnsupportedFlag('its rules are nested too deeply');
}

/** The lists without duplicates. @throws UnsupportedFlag for too many lists */
function distinctLists(lists: readonly (readonly Constraint[])[]): Condition {
  const distinct = new Map(lists.map((list) => [list.map(keyOf).sort().join(), list]));
  // The list without constraints matches every context, so the other lists are not needed.
  if (distinct.has('')) return ALL_CONTEXTS;
  if (distinct.size > LISTS_MAX) throw new UnsupportedFlag(`its rules need more than ${LISTS_MAX} strategies`);
  return [...distinct.values()];
}

/** The name in Burgee of a context field of another product. @throws UnsupportedFlag for a field that Burgee's contexts cannot contain */
export function contextFieldOf(name: string): string {
  if (name === '') throw new UnsupportedFlag('its rule reads the whole context');
  if (name.includes('.'))
    throw new UnsupportedFlag(
      `its rule reads ${name}, a field of another value; in Burgee, contexts have no such fields`,
    );
  if (name === 'environment' || name === 'currentTime')
    throw new UnsupportedFlag(`its rule reads ${name}, which callers cannot set in Burgee`);
  return name === 'targetingKey' ? 'userId' : name;
}

/** The condition that the context has the field. */
export function hasField(contextName: string): Condition {
  return one({ contextName, operator: 'REGEX', value: '^' });
}

export function isOneOf(contextName: string, values: readonly string[]): Condition {
  return values.length === 0 ? NO_CONTEXT : one({ contextName, operator: 'IN', values: [...values] });
}

const NUMBERS = { '<': 'NUM_LT', '<=': 'NUM_LTE', '>': 'NUM_GT', '>=': 'NUM_GTE', '=': 'NUM_EQ' } as const;
const VERSIONS = { '<': 'SEMVER_LT', '>': 'SEMVER_GT', '=': 'SEMVER_EQ' } as const;

export type Comparison = keyof typeof NUMBERS | '!=';

/** Compares the field with a number. A field that is missing or is not a number satisfies no comparison, not even `!=`. */
export function comparesWithNumber(contextName: string, comparison: Comparison, value: number): Condition {
  const compares = (operator: keyof typeof NUMBERS) =>
    one({ contextName, operator: NUMBERS[operator], value: String(value) });
  return comparison === '!=' ? either([compares('<'), compares('>')]) : compares(comparison);
}

/** Compares the field with a version. Uses only operators that every SDK supports. */
export function comparesWithVersion(contextName: string, comparison: Comparison, version: string): Condition {
  const value = version.replace(/^v/, '');
  const compares = (...operators: readonly (keyof typeof VERSIONS)[]) =>
    either(operators.map((operator) => one({ contextName, operator: VERSIONS[operator], value })));
  if (comparison === '!=') return compares('<', '>');
  if (comparison === '<=') return compares('<', '=');
  return comparison === '>=' ? compares('>', '=') : compares(comparison);
}
