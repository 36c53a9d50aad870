import type { Constraint } from '../../model/constraint.ts';
import { always, type Condition, condition, never, type Predicate } from '../condition.ts';
import { type FieldReader, fieldReader } from '../context.ts';
import type { OperatorFamily } from './operator-family.ts';

/** IN and NOT_IN. A missing field is in no list, so it satisfies NOT_IN. */
export const membershipOperators: OperatorFamily = {
  IN: (constraint) => compile(constraint),
  NOT_IN: (constraint) => {
    const { test, ...rest } = compile(constraint);
    return { ...rest, test: test === never ? always : (context) => !test(context) };
  },
};

/** A comparison of equal texts reads them to the end. A look-up in a set compares only one text. */
const COST = { fixed: 3, perChar: 0.01 };

/** True when the field is present and equals one of the values. It takes a few comparisons, or one set look-up for a long list. */
function compile(constraint: Constraint): Condition {
  return condition(memberOf(fieldReader(constraint.contextName), listOperand(constraint)), COST);
}

/** Lists up to this length are compared value by value: that is as fast as a set, which would use several times the memory. */
const COMPARED_MAX = 6;

/** True when the field is one of the values. */
export function memberOf(read: FieldReader, values: readonly string[]): Predicate {
  const [first, second] = values;
  if (first === undefined) return never;
  if (second === undefined) return (context) => read(context) === first;
  return values.length <= COMPARED_MAX ? memberOfFew(read, values) : memberOfMany(read, new Set(values));
}

/** Same as `memberOf`, for values that are already in a set. */
export function memberOfSet(read: FieldReader, values: ReadonlySet<string>): Predicate {
  return values.size <= COMPARED_MAX ? memberOf(read, [...values]) : memberOfMany(read, values);
}

function memberOfFew(read: FieldReader, values: readonly string[]): Predicate {
  return (context) => {
    const text = read(context);
    if (text === undefined) return false;
    for (let index = 0; index < values.length; index++) if (values[index] === text) return true;
    return false;
  };
}

function memberOfMany(read: FieldReader, values: ReadonlySet<string>): Predicate {
  return (context) => {
    const text = read(context);
    return text !== undefined && values.has(text);
  };
}

const NO_VALUES: readonly string[] = Object.freeze([]);

/** A constraint's list for operators: trimmed, without empty entries, as in SDKs. Returns the same list if nothing changes. */
export function listOperand({ values }: Constraint): readonly string[] {
  if (!values) return NO_VALUES;
  if (values.every((value) => value && value.trim() === value)) return values;
  return values.filter(Boolean).map((value) => value.trim());
}
