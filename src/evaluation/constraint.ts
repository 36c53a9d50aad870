import type { Constraint } from '../model/constraint.ts';
import { brokenCondition, type Condition, never, type Predicate } from './condition.ts';
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
  readonly definition: Constraint;
  readonly test: Predicate;
  readonly warning: string | null;
  /** The definition with its result, as an explanation shows it: two shared objects, each made when first asked for. */
  readonly explained: (result: boolean) => ExplainedConstraint;
}

export type ExplainedConstraint = Constraint & { readonly result: boolean };

/** Compiles one constraint; a definition that cannot be compiled is reported, never thrown. */
export function compileConstraint(definition: Constraint): CompiledConstraint {
  const compiled = compileOperator(definition);
  const warning = compiled.warning === null ? null : describe(definition, compiled.warning);
  const explained = explainer(definition);
  if (compiled.broken) return { definition, test: never, warning, explained };
  const { test } = compiled;
  const inverted = definition.inverted === true;
  return { definition, test: inverted ? (context) => !test(context) : test, warning, explained };
}

function explainer(definition: Constraint): (result: boolean) => ExplainedConstraint {
  let held: ExplainedConstraint | undefined;
  let failed: ExplainedConstraint | undefined;
  return (result) => {
    if (result) {
      held ??= Object.freeze({ ...definition, result });
      return held;
    }
    failed ??= Object.freeze({ ...definition, result });
    return failed;
  };
}

function compileOperator(definition: Constraint): Condition {
  const module = OPERATOR_MODULES.get(definition.operator);
  return module === undefined ? brokenCondition('unknown operator') : module.compile(definition);
}

function describe(definition: Constraint, warning: string): string {
  return `constraint ${definition.operator} on "${definition.contextName}": ${warning}`;
}
