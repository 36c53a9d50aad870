import { finished, type Work, type Working, workAtOnce } from '../base/work.ts';
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
import { Interner, KEY_LENGTH_MAX } from './interner.ts';
import { dateOperators } from './operators/date.ts';
import { cidrOperators } from './operators/in-cidr.ts';
import { membershipOperators } from './operators/membership.ts';
import { numberOperators } from './operators/number.ts';
import { regexOperators } from './operators/regex.ts';
import { semverOperators } from './operators/semver.ts';
import { textOperators } from './operators/text.ts';

/** In steps, where lists may be long. */
type CompileOperator = (constraint: Constraint) => Working<Condition>;

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
  return key === null ? workAtOnce(compile(definition, false)) : sharedUnder(key, definition);
}

function sharedUnder(key: string, definition: Constraint): CompiledConstraint {
  return interned.get(key, () => workAtOnce(compile(definition, true)));
}

/** As `compileConstraint`, in counted steps: it may look a long list through, or make the program of an expression. */
export function* compileCounted(definition: Constraint): Work<CompiledConstraint> {
  const key = internKey(definition);
  const isSmall = key !== null && key.length <= KEY_LENGTH_MAX;
  const compiled = isSmall ? sharedUnder(key, definition) : yield* compile(definition, key !== null);
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

function* compile(definition: Constraint, isShared: boolean): Work<CompiledConstraint> {
  const compiled = yield* compileOperator(definition);
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

function compileOperator(definition: Constraint): Work<Condition> {
  const compileIt = OPERATORS.get(definition.operator);
  return finished(compileIt === undefined ? brokenCondition('unknown operator') : compileIt(definition));
}

function describe(definition: Constraint, warning: string): string {
  return `constraint ${definition.operator} on "${definition.contextName}": ${warning}`;
}
