import type { Constraint } from '../../model/constraint.ts';
import { never, type Predicate } from '../condition.ts';
import { fieldReader } from '../context.ts';
import { listOperand } from './text.ts';

/** True when the field is present and equals one of the values; one comparison or one set lookup however long the list is. */
export function compileMembership(constraint: Constraint): Predicate {
  const read = fieldReader(constraint.contextName);
  const values = new Set(listOperand(constraint));
  if (values.size === 0) return never;
  if (values.size === 1) {
    const [only] = values;
    return (context) => read(context) === only;
  }
  return (context) => {
    const text = read(context);
    return text !== undefined && values.has(text);
  };
}
