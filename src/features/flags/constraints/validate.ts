import type { VisibleProjects } from '../../../access/visibility.ts';
import { invalid, type Rejection } from '../../../base/rejection.ts';
import { type Steps, stepsOf } from '../../../base/yield-control.ts';
import { compileConstraintInSteps } from '../../../evaluation/constraint.ts';
import { compilationCost } from '../../../evaluation/cost.ts';
import { type Constraint, LIST_OPERATORS, type Operator } from '../../../model/constraint.ts';
import type { ContextField } from '../../../model/context-field.ts';
import type { StateReader } from '../../../state/collections.ts';
import { FLAG_LIMITS } from '../limits.ts';

/** Operators whose value is a pattern or an address range. Such a value is not compared with the legal values of the context field. */
const FREE_OPERATORS: ReadonlySet<Operator> = new Set<Operator>(['REGEX', 'IN_CIDR']);

/**
 * Returns the constraints as they are stored, or a rejection of the first invalid constraint: its operator has no value, its value has the wrong
 * kind, or the context field does not allow its value. A valid constraint compiles without a warning. A constraint that is also in `before` is
 * accepted unchanged: it may have been stored when other rules applied, and must not prevent a change of something else. Works in steps, because a
 * list may have a megabyte of values, which take long to compile. If a context field belongs to a project that is not in `fieldProjects`, the field
 * is treated as missing: its legal values must not restrict other projects, and callers must not discover them by trying.
 */
export function* validateConstraints(
  reader: StateReader,
  constraints: readonly Constraint[],
  before: readonly Constraint[] = [],
  fieldProjects: Pick<VisibleProjects, 'has'> = EVERY_PROJECT,
): Steps<Constraint[] | Rejection> {
  const validConstraints: Constraint[] = [];
  const accepted = new Map(before.map((constraint) => [JSON.stringify(constraint), constraint]));
  let compileCost = 0;
  for (const [index, constraint] of constraints.entries()) {
    const stored = storedConstraint(constraint);
    const unchanged = accepted.size === 0 ? undefined : accepted.get(JSON.stringify(stored));
    if (unchanged !== undefined) {
      validConstraints.push(unchanged);
      yield;
      continue;
    }
    compileCost += compilationCost(stored);
    const problem =
      stored.operator !== 'REGEX' && compileCost > FLAG_LIMITS.expressionCost.max
        ? COST_PROBLEM
        : ((yield* constraintProblem(stored, constraint)) ??
          legalValueProblem(reader, stored, fieldProjects) ??
          (compileCost > FLAG_LIMITS.expressionCost.max ? COST_PROBLEM : undefined));
    if (problem) {
      return invalid(
        `The constraint ${stored.operator} on ${stored.contextName} ${problem}.`,
        `/constraints/${index}/${LIST_OPERATORS.has(stored.operator) ? 'values' : 'value'}`,
      );
    }
    validConstraints.push(stored);
    yield;
  }
  return validConstraints;
}

/**
 * The problem of constraints that cost too much to compile. The cost is checked before a constraint is compiled. Only a regular expression is
 * compiled first, because an error in the expression itself, such as its size, is reported in preference to this problem.
 */
const COST_PROBLEM = 'exceeds the limit: the expressions and value lists of these constraints are too large together';

/**
 * Returns the constraint with its known properties only. `values` is always present, because older SDKs expect it even if the operator reads only
 * `value`.
 */
function storedConstraint({ contextName, operator, values, value, inverted, caseInsensitive }: Constraint): Constraint {
  return {
    contextName,
    operator,
    values: values ?? [],
    ...(value !== undefined && { value }),
    ...(inverted !== undefined && { inverted }),
    ...(caseInsensitive !== undefined && { caseInsensitive }),
  };
}

function* constraintProblem(stored: Constraint, input: Constraint): Steps<string | undefined> {
  if (LIST_OPERATORS.has(stored.operator)) {
    if (input.values === undefined) return 'needs a list of values in "values"';
  } else {
    if (stored.value === undefined || stored.value.trim() === '') return 'needs a value in "value"';
    if (stored.operator.startsWith('SEMVER') && stored.value !== stored.value.trim()) {
      return `cannot use "${stored.value}": a semantic version must not begin or end with spaces`;
    }
    if (stored.operator.startsWith('NUM') && !Number.isFinite(Number(stored.value))) {
      return `cannot use "${stored.value}": it is not a number`;
    }
  }
  const { warning } = yield* stepsOf(compileConstraintInSteps(stored));
  return warning === null ? undefined : `cannot be used: ${warning}`;
}

const EVERY_PROJECT: Pick<VisibleProjects, 'has'> = { has: () => true };

/**
 * The value of `fieldProjects` for imported constraints: legal values are not checked. A value that is not legal stays, because without it the
 * constraint would have another meaning.
 */
export const LEGAL_VALUES_IGNORED: Pick<VisibleProjects, 'has'> = { has: () => false };

function legalValueProblem(
  reader: StateReader,
  { contextName, operator, values, value }: Constraint,
  fieldProjects: Pick<VisibleProjects, 'has'>,
) {
  const field = reader.get('contextFields', contextName);
  if (field === undefined || field.legalValues.length === 0 || FREE_OPERATORS.has(operator)) return undefined;
  if (fieldProjects === LEGAL_VALUES_IGNORED || (field.project !== undefined && !fieldProjects.has(field.project)))
    return undefined;
  const legal = legalValuesOf(field);
  const constraintValues = LIST_OPERATORS.has(operator) ? (values ?? []) : [value ?? ''];
  const illegal = constraintValues.find((candidate) => !legal.has(candidate));
  return illegal === undefined ? undefined : `uses "${illegal}", which is not a legal value of that context field`;
}

const legalValueSets = new WeakMap<ContextField, ReadonlySet<string>>();

/**
 * Returns the legal values of the field as a set. The set is built once for each version of the field, because hundreds of constraints may be checked
 * against the same thousands of values.
 */
function legalValuesOf(field: ContextField): ReadonlySet<string> {
  const cached = legalValueSets.get(field);
  if (cached !== undefined) return cached;
  const legal = new Set(field.legalValues.map((entry) => entry.value));
  legalValueSets.set(field, legal);
  return legal;
}
