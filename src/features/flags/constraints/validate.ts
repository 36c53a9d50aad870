import type { VisibleProjects } from '../../../access/visibility.ts';
import { invalid, type Rejection } from '../../../base/rejection.ts';
import { type Steps, uncounted } from '../../../base/yield-control.ts';
import { compileCounted } from '../../../evaluation/constraint.ts';
import { compilationCost } from '../../../evaluation/cost.ts';
import { type Constraint, LIST_OPERATORS, type Operator } from '../../../model/constraint.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { ContextField } from '../../context-fields/context-field.ts';
import { FLAG_LIMITS } from '../limits.ts';

/** Operators whose value is a rule. Such a value is not compared with the legal values of the context field. */
const FREE_OPERATORS: ReadonlySet<Operator> = new Set<Operator>(['REGEX', 'IN_CIDR']);

/**
 * Returns the constraints as they are stored, or a rejection of the first invalid constraint: its operator has no value, its value has the wrong
 * kind, or the context field does not allow its value. A valid constraint compiles without a warning. A constraint that is also in `before` is
 * accepted unchanged: it may have been stored when other rules applied, and must not prevent a change of something else. Works in steps, because a
 * list may have a megabyte of values, which take long to compile. If a context field belongs to a project that `fieldsOf` does not contain, the field
 * is treated as missing: its legal values must not restrict other projects, and callers must not discover them by trying.
 */
export function* validateConstraints(
  reader: StateReader,
  constraints: readonly Constraint[],
  before: readonly Constraint[] = [],
  fieldsOf: Pick<VisibleProjects, 'has'> = EVERY_PROJECT,
): Steps<Constraint[] | Rejection> {
  const valid: Constraint[] = [];
  const known = new Map(before.map((constraint) => [JSON.stringify(constraint), constraint]));
  let compileCost = 0;
  for (const [index, constraint] of constraints.entries()) {
    const stored = storedConstraint(constraint);
    const same = known.size === 0 ? undefined : known.get(JSON.stringify(stored));
    if (same !== undefined) {
      valid.push(same);
      yield;
      continue;
    }
    compileCost += compilationCost(stored);
    const problem =
      stored.operator !== 'REGEX' && compileCost > FLAG_LIMITS.expressionCost.max
        ? TOO_MUCH
        : ((yield* constraintProblem(stored, constraint)) ??
          legalValueProblem(reader, stored, fieldsOf) ??
          (compileCost > FLAG_LIMITS.expressionCost.max ? TOO_MUCH : undefined));
    if (problem) {
      return invalid(
        `The constraint ${stored.operator} on ${stored.contextName} ${problem}.`,
        `/constraints/${index}/${LIST_OPERATORS.has(stored.operator) ? 'values' : 'value'}`,
      );
    }
    valid.push(stored);
    yield;
  }
  return valid;
}

/**
 * The problem of constraints that cost too much to compile. The cost is checked before a constraint is compiled. Only a regular expression is
 * compiled first, because its own problem is reported before this one and may be its size.
 */
const TOO_MUCH = 'exceeds the limit: the expressions and value lists of these constraints are too large together';

/**
 * The constraint with its known properties only. `values` is always present, because older SDKs expect it even if the operator reads only `value`.
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

function* constraintProblem(stored: Constraint, supplied: Constraint): Steps<string | undefined> {
  if (LIST_OPERATORS.has(stored.operator)) {
    if (supplied.values === undefined) return 'needs a list of values in "values"';
  } else {
    if (stored.value === undefined || stored.value.trim() === '') return 'needs a value in "value"';
    if (stored.operator.startsWith('SEMVER') && stored.value !== stored.value.trim()) {
      return `cannot use "${stored.value}": a semantic version has no blanks around it`;
    }
    if (stored.operator.startsWith('NUM') && !Number.isFinite(Number(stored.value))) {
      return `cannot use "${stored.value}": it is not a number`;
    }
  }
  const { warning } = yield* uncounted(compileCounted(stored));
  return warning === null ? undefined : `cannot be used: ${warning}`;
}

const EVERY_PROJECT: Pick<VisibleProjects, 'has'> = { has: () => true };

/**
 * For imported constraints: legal values are not checked. A value that is not legal (any more) stays, because the constraint would mean something
 * else without it.
 */
export const ANY_VALUE: Pick<VisibleProjects, 'has'> = { has: () => false };

function legalValueProblem(
  reader: StateReader,
  { contextName, operator, values, value }: Constraint,
  fieldsOf: Pick<VisibleProjects, 'has'>,
) {
  const field = reader.get('contextFields', contextName);
  if (field === undefined || field.legalValues.length === 0 || FREE_OPERATORS.has(operator)) return undefined;
  if (fieldsOf === ANY_VALUE || (field.project !== undefined && !fieldsOf.has(field.project))) return undefined;
  const legal = legalValuesOf(field);
  const supplied = LIST_OPERATORS.has(operator) ? (values ?? []) : [value ?? ''];
  const illegal = supplied.find((candidate) => !legal.has(candidate));
  return illegal === undefined ? undefined : `uses "${illegal}", which is not a legal value of that context field`;
}

const legalValueSets = new WeakMap<ContextField, ReadonlySet<string>>();

/**
 * The legal values of the field as a set. It is built once for each version of the field: hundreds of constraints may be checked against the same
 * thousands of values.
 */
function legalValuesOf(field: ContextField): ReadonlySet<string> {
  const known = legalValueSets.get(field);
  if (known !== undefined) return known;
  const legal = new Set(field.legalValues.map((entry) => entry.value));
  legalValueSets.set(field, legal);
  return legal;
}
