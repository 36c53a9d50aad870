import {
  ALL_CONTEXTS,
  both,
  type Comparison,
  type Condition,
  checkDepth,
  comparesWithNumber,
  contextFieldOf,
  either,
  hasField,
  isOneOf,
  NO_CONTEXT,
  not,
  one,
  UnsupportedFlag,
} from './conditions.ts';
import { comparesAsFlagd, hasVersion } from './flagd-versions.ts';

/** The named rules of the file, to which other rules may refer. */
export type NamedRules = Readonly<Record<string, unknown>>;

const SECOND_MS = 1_000;

/**
 * Converts a JsonLogic rule, with flagd's additional operators, to a condition. Rules for which a missing field has another effect in Burgee than in
 * JsonLogic are not supported.
 * @throws UnsupportedFlag
 */
export function conditionOf(rule: unknown, named: NamedRules, depth = 0): Condition {
  if (rule === true) return ALL_CONTEXTS;
  if (rule === false) return NO_CONTEXT;
  const { operator, operands } = parseRule(rule, depth);
  const next = (each: unknown) => conditionOf(each, named, depth + 1);
  switch (operator) {
    case '$ref':
      return next(referencedRule(rule, named));
    case 'and':
      return both(operands.map(next));
    case 'or':
      return either(operands.map(next));
    case '!':
      return not(next(operands[0]));
    case '!!':
      return next(operands[0]);
    case '==':
    case '===':
      return equalityCondition(operator, operands);
    case '!=':
    case '!==':
      return not(equalityCondition(operator === '!=' ? '==' : '===', operands));
    case '<':
    case '<=':
    case '>':
    case '>=':
      return orderCondition(operator, operands);
    case 'in':
      return membershipCondition(operands);
    case 'starts_with':
    case 'ends_with': {
      const kind = operator === 'starts_with' ? 'STR_STARTS_WITH' : 'STR_ENDS_WITH';
      const [field, value] = [fieldOf(operands[0]), textOf(operands[1], operator)];
      return one({ contextName: field, operator: kind, values: [value] });
    }
    case 'sem_ver':
      return versionCondition(operands);
    default:
      throw new UnsupportedFlag(`its rule uses ${JSON.stringify(operator)}, which has no equivalent in Burgee`);
  }
}

/** The operator of a rule and its operands. @throws UnsupportedFlag */
export function parseRule(rule: unknown, depth: number): { operator: string; operands: readonly unknown[] } {
  checkDepth(depth);
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule))
    throw new UnsupportedFlag(`its rule tests whether ${JSON.stringify(rule)} is true`);
  const [entry, other] = Object.entries(rule);
  if (entry === undefined || other !== undefined) throw new UnsupportedFlag('a rule of it has no operator, or several');
  const [operator, sent] = entry;
  return { operator, operands: Array.isArray(sent) ? sent : [sent] };
}

/** The rule that a `$ref` refers to. @throws UnsupportedFlag */
export function referencedRule(rule: unknown, named: NamedRules): unknown {
  const name = (rule as { readonly $ref?: unknown }).$ref;
  if (typeof name !== 'string' || !Object.hasOwn(named, name))
    throw new UnsupportedFlag(`it refers to the rule ${JSON.stringify(name)}, which does not exist`);
  return named[name];
}

/** The name of the field that `{"var": name}` reads; undefined for anything else. */
export function variableOf(sent: unknown): string | undefined {
  if (typeof sent !== 'object' || sent === null || Object.keys(sent).join() !== 'var') return undefined;
  const { var: path } = sent as { readonly var: unknown };
  const [name, fallback] = Array.isArray(path) ? path : [path];
  if (fallback !== undefined) throw new UnsupportedFlag('its rule defines a value for contexts without the field');
  return typeof name === 'string' ? name : undefined;
}

function fieldOf(sent: unknown): string {
  const name = variableOf(sent);
  if (name === undefined)
    throw new UnsupportedFlag(`its rule calculates ${JSON.stringify(sent)}, which has no equivalent in Burgee`);
  if (name.startsWith('$flagd')) throw new UnsupportedFlag(`its rule reads ${name}`);
  return contextFieldOf(name);
}

function textOf(sent: unknown, operator: string): string {
  if (typeof sent === 'string') return sent;
  throw new UnsupportedFlag(`its rule uses ${operator} with ${JSON.stringify(sent)}, which is not a text`);
}

function equalityCondition(operator: '==' | '===', [left, right]: readonly unknown[]): Condition {
  const [sent, value] = variableOf(left) === undefined ? [right, left] : [left, right];
  const field = fieldOf(sent);
  if (value === null) return not(hasField(field));
  if (typeof value === 'string') return isOneOf(field, [value]);
  // In Burgee, all values of contexts are texts, so true and "true" are equal.
  if (typeof value === 'boolean') return isOneOf(field, [String(value)]);
  if (typeof value !== 'number') throw new UnsupportedFlag(`its rule compares ${field} with ${JSON.stringify(value)}`);
  if (operator === '==' && value === 0) throw missingFieldProblem(field);
  return comparesWithNumber(field, '=', value);
}

function missingFieldProblem(field: string): UnsupportedFlag {
  return new UnsupportedFlag(
    `its rule matches contexts without ${field}, because flagd reads 0 then; in Burgee it would not match`,
  );
}

const MIRRORED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
type Order = keyof typeof MIRRORED;

function orderCondition(operator: Order, operands: readonly unknown[]): Condition {
  const [first, second, third] = operands;
  const pairs =
    third === undefined
      ? [[first, second] as const]
      : ([
          [first, second],
          [second, third],
        ] as const);
  let holdsAtZero = true;
  let field = '';
  const parts = pairs.map(([left, right]) => {
    const isFirst = variableOf(left) !== undefined;
    const [sent, value] = isFirst ? [left, right] : [right, left];
    const order = isFirst ? operator : MIRRORED[operator];
    if (variableOf(sent) === undefined) fieldOf(left);
    if (typeof value !== 'number')
      throw new UnsupportedFlag(`its rule uses ${operator} with ${JSON.stringify(value)}, which is not a number`);
    if (variableOf(sent) === '$flagd.timestamp') {
      holdsAtZero = false;
      return atTime(order, value);
    }
    field = fieldOf(sent);
    holdsAtZero &&= isInOrder(0, order, value);
    return comparesWithNumber(field, order, value);
  });
  if (holdsAtZero) throw missingFieldProblem(field);
  return both(parts);
}

function isInOrder(left: number, order: Order, right: number): boolean {
  if (order === '<') return left < right;
  if (order === '<=') return left <= right;
  return order === '>' ? left > right : left >= right;
}

/** flagd compares whole seconds, rounded down. Burgee compares milliseconds, and both operators exclude the operand itself. */
function atTime(order: Order, seconds: number): Condition {
  const at = (ms: number, operator: 'DATE_AFTER' | 'DATE_BEFORE') =>
    one({ contextName: 'currentTime', operator, value: new Date(ms).toISOString() });
  if (!Number.isInteger(seconds) || Math.abs(seconds) > 1e11)
    throw new UnsupportedFlag(`its rule compares with the time ${seconds}`);
  if (order === '>') return at((seconds + 1) * SECOND_MS - 1, 'DATE_AFTER');
  if (order === '>=') return at(seconds * SECOND_MS - 1, 'DATE_AFTER');
  return order === '<' ? at(seconds * SECOND_MS, 'DATE_BEFORE') : at((seconds + 1) * SECOND_MS, 'DATE_BEFORE');
}

function membershipCondition([needle, hay]: readonly unknown[]): Condition {
  if (Array.isArray(hay)) {
    if (!hay.every((value) => typeof value === 'string'))
      throw new UnsupportedFlag('its rule compares with values that are not texts');
    return isOneOf(fieldOf(needle), hay as string[]);
  }
  const values = [textOf(needle, 'in')];
  return one({ contextName: fieldOf(hay), operator: 'STR_CONTAINS', values });
}

const VERSION_ORDERS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

function versionCondition([sent, order, value]: readonly unknown[]): Condition {
  const comparison = VERSION_ORDERS[String(order)];
  if (comparison === undefined) throw new UnsupportedFlag(`its rule compares versions with ${JSON.stringify(order)}`);
  return comparesAsFlagd(fieldOf(sent), comparison, value);
}

/**
 * flagd's own operators fail if a field is missing or unsuitable: the result is null, which is false inside another rule. Returns the contexts for
 * which this operator does not fail; undefined for an operator that never fails.
 */
export function workingContexts(rule: unknown, named: NamedRules, depth: number): Condition | undefined {
  const { operator, operands } = parseRule(rule, depth);
  if (operator === 'sem_ver') return hasVersion(fieldOf(operands[0]));
  if (operator === 'starts_with' || operator === 'ends_with') return hasField(fieldOf(operands[0]));
  const isMixture = operator === 'and' || operator === 'or';
  // The result of `and` and of `or` is the result of one of their operands, which may be null.
  if (!isMixture || !operands.some((each) => mayFail(each, named, depth + 1))) return undefined;
  throw new UnsupportedFlag(
    `its rule is a combination of operators that fail for some contexts: flagd then returns the default variant. Write ` +
      '{"if": [rule, "true", "false"]} instead',
  );
}

function mayFail(rule: unknown, named: NamedRules, depth: number): boolean {
  if (typeof rule === 'boolean') return false;
  const { operator, operands } = parseRule(rule, depth);
  if (operator === '$ref') return mayFail(referencedRule(rule, named), named, depth + 1);
  if (operator === 'and' || operator === 'or') return operands.some((each) => mayFail(each, named, depth + 1));
  return operator === 'sem_ver' || operator === 'starts_with' || operator === 'ends_with';
}
