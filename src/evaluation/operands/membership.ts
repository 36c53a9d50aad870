import type { Constraint } from '../../model/constraint.ts';
import { never, type Predicate } from '../condition.ts';
import { type FieldReader, fieldReader } from '../context.ts';
import { listOperand } from './text.ts';

/** Lists up to this length are compared one by one: that is as fast as a set, which would take several times their memory. */
const COMPARED_MAX = 6;

/** True when the field is present and equals one of the values; a few comparisons or one set lookup however long the list is. */
export function compileMembership(constraint: Constraint): Predicate {
  return memberOf(fieldReader(constraint.contextName), listOperand(constraint));
}

/** True when what is read is one of the values. */
export function memberOf(read: FieldReader, values: readonly string[]): Predicate {
  const [first, second] = values;
  if (first === undefined) return never;
  if (second === undefined) return (context) => read(context) === first;
  return values.length <= COMPARED_MAX ? memberOfFew(read, values) : memberOfMany(read, new Set(values));
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
