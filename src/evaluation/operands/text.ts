import type { Constraint } from '../../model/constraint.ts';
import { type Condition, condition, never } from '../condition.ts';
import { fieldReader } from '../context.ts';

const NO_VALUES: readonly string[] = Object.freeze([]);

/** A constraint's list as operators see it: trimmed, empty entries dropped, as SDKs do. The list itself where that changes nothing. */
export function listOperand({ values }: Constraint): readonly string[] {
  if (!values) return NO_VALUES;
  if (values.every((value) => value && value.trim() === value)) return values;
  return values.filter(Boolean).map((value) => value.trim());
}

/** True when the field's text and one of the values satisfy `matches`; letter case is folded on both sides when asked for. */
export function compileTextMatch(constraint: Constraint, matches: (text: string, value: string) => boolean): Condition {
  const read = fieldReader(constraint.contextName);
  const foldCase = constraint.caseInsensitive === true;
  const values = foldCase ? listOperand(constraint).map((value) => value.toLowerCase()) : listOperand(constraint);
  if (values.length === 0) return condition(never);
  return condition((context) => {
    const text = read(context);
    if (text === undefined) return false;
    const compared = foldCase ? text.toLowerCase() : text;
    for (let index = 0; index < values.length; index++) {
      if (matches(compared, values[index] as string)) return true;
    }
    return false;
  });
}
