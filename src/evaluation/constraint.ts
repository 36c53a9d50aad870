import type { Constraint } from '../model/constraint.ts';
import { brokenCondition, type Condition, never, type Predicate } from './condition.ts';
import { Interner } from './interner.ts';
import * as dateAfter from './operators/date-after.ts';
import * as dateBefore from './operators/date-before.ts';
import * as isIn from './operators/in.ts';
import * as inCidr from './operators/in-cidr.ts';
import * as notIn from './operators/not-in.ts';
import * as numEq from './operators/num-eq.ts';
import * as numGt from './operators/num-gt.ts';
import * as numGte from './operators/num-gte.ts';
import * as numLt from './operators/num-lt.ts';
import * as numLte from './operators/num-lte.ts';
import * as regex from './operators/regex.ts';
import * as semverEq from './operators/semver-eq.ts';
import * as semverGt from './operators/semver-gt.ts';
import * as semverGte from './operators/semver-gte.ts';
import * as semverLt from './operators/semver-lt.ts';
import * as semverLte from './operators/semver-lte.ts';
import * as strContains from './operators/str-contains.ts';
import * as strEndsWith from './operators/str-ends-with.ts';
import * as strStartsWith from './operators/str-starts-with.ts';

/** What every file in operators/ exports. */
interface OperatorModule {
  readonly operator: Constraint['operator'];
  readonly compile: (constraint: Constraint) => Condition;
}

const MODULES: readonly OperatorModule[] = [
  ...[isIn, notIn, strStartsWith, strEndsWith, strContains],
  ...[numEq, numGt, numGte, numLt, numLte, dateAfter, dateBefore],
  ...[semverEq, semverGt, semverGte, semverLt, semverLte, regex, inCidr],
];

/** Keyed by plain text: a stored definition may name an operator this version does not know. */
const OPERATOR_MODULES = new Map<string, OperatorModule>(MODULES.map((module) => [module.operator, module]));

/** A constraint ready to be asked. `test` includes the inversion and is what the fast and the explained evaluation both call. */
export interface CompiledConstraint {
  readonly test: Predicate;
  /** What is wrong with the definition; null when nothing is. */
  readonly warning: string | null;
}

/** What a constraint compiles to depends on its definition alone. */
const interned = new Interner<CompiledConstraint>();

/** Compiles one constraint; a definition that cannot be compiled is reported, never thrown. Equal short ones share what they compile to. */
export function compileConstraint(definition: Constraint): CompiledConstraint {
  const key = internKey(definition);
  return key === null ? compile(definition) : interned.get(key, () => compile(definition));
}

/** Lists longer than this are not compared with others: they hold ids and are rarely equal. */
const INTERNED_VALUES_MAX = 6;

/** Equal keys, equal definitions; null when it is not worth the looking. */
function internKey({ contextName, operator, inverted, caseInsensitive, value, values }: Constraint): string | null {
  if (values !== undefined && values.length > INTERNED_VALUES_MAX) return null;
  return JSON.stringify([contextName, operator, inverted === true, caseInsensitive === true, value, values]);
}

function compile(definition: Constraint): CompiledConstraint {
  const compiled = compileOperator(definition);
  const warning = compiled.warning === null ? null : describe(definition, compiled.warning);
  if (compiled.broken) return { test: never, warning };
  const { test } = compiled;
  return { test: definition.inverted === true ? (context) => !test(context) : test, warning };
}

function compileOperator(definition: Constraint): Condition {
  const module = OPERATOR_MODULES.get(definition.operator);
  return module === undefined ? brokenCondition('unknown operator') : module.compile(definition);
}

function describe(definition: Constraint, warning: string): string {
  return `constraint ${definition.operator} on "${definition.contextName}": ${warning}`;
}
