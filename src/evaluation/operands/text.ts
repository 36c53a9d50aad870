import type { Constraint } from '../../model/constraint.ts';
import { type Condition, condition, never } from '../condition.ts';
import { fieldReader } from '../context.ts';

/** A constraint's list as operators see it: trimmed, empty entries dropped, as SDKs do. */
export function listOperand(constraint: Constraint): readonly string[] {
  const values: string[] = [];
  for (const value of constraint.values ?? []) if (value) values.push(value.trim());
  return values;
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
