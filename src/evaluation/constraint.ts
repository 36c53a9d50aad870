import type { Work } from '../base/work.ts';
import type { Constraint } from '../model/constraint.ts';
import {
  always,
  brokenCondition,
  type Condition,
  conditionOf,
  never,
  type Predicate,
  type PredicateInSteps,
} from './condition.ts';
import type { EvaluationContext } from './context.ts';
import { Interner } from './interner.ts';
import { dateOperators } from './operators/date.ts';
import { cidrOperators } from './operators/in-cidr.ts';
import { membershipOperators } from './operators/membership.ts';
import { numberOperators } from './operators/number.ts';
import { regexOperators } from './operators/regex.ts';
import { semverOperators } from './operators/semver.ts';
import { textOperators } from './operators/text.ts';

type CompileOperator = (constraint: Constraint) => Condition;

/** What every file in operators/ exports: operators that are compiled alike, by name. */
export type OperatorFamily = { readonly [Operator in Constraint['operator']]?: CompileOperator };

const FAMILIES: readonly OperatorFamily[] = [
  ...[membershipOperators, textOperators, numberOperators, dateOperators],
  ...[semverOperators, regexOperators, cidrOperators],
];

/** Keyed by plain text: a stored definition may name an operator this version does not know. */
const OPERATORS = new Map<string, CompileOperator>(FAMILIES.flatMap((family) => Object.entries(family)));

/** A constraint ready to be asked. `test` includes the inversion and is what the fast and the explained evaluation both call. */
export type CompiledConstraint = Condition;

/** What a constraint compiles to depends on its definition alone. */
const interned = new Interner<CompiledConstraint>();

/** Compiles one constraint; a definition that cannot be compiled is reported, never thrown. Equal short ones share what they compile to. */
export function compileConstraint(definition: Constraint): CompiledConstraint {
  const key = internKey(definition);
  return key === null ? compile(definition, false) : interned.get(key, () => compile(definition, true));
}

/** As `compileConstraint`, charging about what it takes: looking a long list through, or making the program of an expression. */
export function* compileCounted(definition: Constraint): Work<CompiledConstraint> {
  const compiled = compileConstraint(definition);
  yield COMPILE_FIXED +
    COMPILE_VALUE * (definition.values?.length ?? 0) +
    COMPILE_CHAR * (definition.value?.length ?? 0);
  return compiled;
}

const COMPILE_FIXED = 50;
const COMPILE_VALUE = 20;
const COMPILE_CHAR = 200;

/** Lists longer than this are not compared with others: they hold ids and are rarely equal. */
const INTERNED_VALUES_MAX = 6;

/** Equal keys, equal definitions; null when it is not worth the looking. */
function internKey({ contextName, operator, inverted, caseInsensitive, value, values }: Constraint): string | null {
  if (values !== undefined && values.length > INTERNED_VALUES_MAX) return null;
  return JSON.stringify([contextName, operator, inverted === true, caseInsensitive === true, value, values]);
}

function compile(definition: Constraint, isShared: boolean): CompiledConstraint {
  const compiled = compileOperator(definition);
  const warning = compiled.warning === null ? null : describe(definition, compiled.warning);
  if (compiled.broken) return brokenCondition(warning ?? '');
  const { test, inSteps } = compiled;
  const flipped = definition.inverted === true && { test: not(test), inSteps: inSteps && notInSteps(inSteps) };
  return conditionOf({ ...compiled, ...flipped, warning }, isShared);
}

function not(test: Predicate): Predicate {
  if (test === never) return always;
  if (test === always) return never;
  return (context) => !test(context);
}

function notInSteps(inSteps: PredicateInSteps): PredicateInSteps {
  return function* (context: EvaluationContext) {
    return !(yield* inSteps(context));
  };
}

function compileOperator(definition: Constraint): Condition {
  const compileIt = OPERATORS.get(definition.operator);
  return compileIt === undefined ? brokenCondition('unknown operator') : compileIt(definition);
}

function describe(definition: Constraint, warning: string): string {
  return `constraint ${definition.operator} on "${definition.contextName}": ${warning}`;
}
