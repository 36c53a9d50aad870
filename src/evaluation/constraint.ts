import { resultOf, type Work, workAtOnce } from '../base/work.ts';
import type { Constraint } from '../model/constraint.ts';
import { always, brokenCondition, type Condition, conditionOf, never, type Predicate } from './condition.ts';
import { Interner, KEY_LENGTH_MAX } from './interner.ts';
import { dateOperators } from './operators/date.ts';
import { cidrOperators } from './operators/in-cidr.ts';
import { membershipOperators } from './operators/membership.ts';
import { numberOperators } from './operators/number.ts';
import type { CompileOperator, OperatorFamily } from './operators/operator-family.ts';
import { regexOperators } from './operators/regex.ts';
import { semverOperators } from './operators/semver.ts';
import { textOperators } from './operators/text.ts';

const FAMILIES: readonly OperatorFamily[] = [
  membershipOperators,
  textOperators,
  numberOperators,
  dateOperators,
  semverOperators,
  regexOperators,
  cidrOperators,
];

/** Keyed by string: a stored definition may contain an operator that this version does not support. */
const OPERATORS = new Map<string, CompileOperator>(FAMILIES.flatMap((family) => Object.entries(family)));

/** A compiled constraint. `test` includes the inversion; the fast and the explained evaluation both call it. */
export type CompiledConstraint = Condition;

/** The compiled form depends only on the definition, so equal definitions share it. */
const interner = new Interner<CompiledConstraint>();

/**
 * Compiles one constraint. A definition that cannot be compiled gives a warning and never throws. Equal short constraints share one compiled form.
 */
export function compileConstraint(definition: Constraint): CompiledConstraint {
  const key = internKey(definition);
  return key === null ? workAtOnce(compile(definition, false)) : internedConstraint(key, definition);
}

function internedConstraint(key: string, definition: Constraint): CompiledConstraint {
  return interner.get(key, () => workAtOnce(compile(definition, true)));
}

/** Same as `compileConstraint`, in counted steps: it may process a long list or compile a regular expression. */
export function* compileConstraintInSteps(definition: Constraint): Work<CompiledConstraint> {
  const key = internKey(definition);
  const isSmall = key !== null && key.length <= KEY_LENGTH_MAX;
  const compiled = isSmall ? internedConstraint(key, definition) : yield* compile(definition, key !== null);
  yield COMPILE_FIXED +
    COMPILE_VALUE * (definition.values?.length ?? 0) +
    COMPILE_CHAR * (definition.value?.length ?? 0);
  return compiled;
}

/**
 * Units of work to compile a constraint: in any case, for each value of its list, and for each character of its single value, which may be a pattern.
 */
const COMPILE_FIXED = 50;
const COMPILE_VALUE = 20;
const COMPILE_CHAR = 200;

/** Longer lists are not interned: they contain ids and are rarely equal. */
const INTERNED_VALUES_MAX = 6;

/** Equal keys mean equal definitions; null when interning is not worth its cost. */
function internKey({ contextName, operator, inverted, caseInsensitive, value, values }: Constraint): string | null {
  if (values !== undefined && values.length > INTERNED_VALUES_MAX) return null;
  return JSON.stringify([contextName, operator, inverted === true, caseInsensitive === true, value, values]);
}

function* compile(definition: Constraint, isShared: boolean): Work<CompiledConstraint> {
  const compiled = yield* compileOperator(definition);
  const warning = compiled.warning === null ? null : warningText(definition, compiled.warning);
  if (compiled.broken) return brokenCondition(warning ?? '');
  const inversion = definition.inverted === true && { test: not(compiled.test) };
  return conditionOf({ ...compiled, ...inversion, warning }, isShared);
}

function not(test: Predicate): Predicate {
  if (test === never) return always;
  if (test === always) return never;
  return (context) => !test(context);
}

function compileOperator(definition: Constraint): Work<Condition> {
  const compileWith = OPERATORS.get(definition.operator);
  return resultOf(compileWith === undefined ? brokenCondition('unknown operator') : compileWith(definition));
}

function warningText(definition: Constraint, warning: string): string {
  return `constraint ${definition.operator} on "${definition.contextName}": ${warning}`;
}
