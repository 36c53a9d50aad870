import type { Constraint } from '../../model/constraint.ts';
import { brokenCondition, type Condition, condition } from '../condition.ts';
import type { OperatorFamily } from '../constraint.ts';
import { fieldReader } from '../context.ts';
import { expressionOf } from '../expression.ts';

export const regexOperators: OperatorFamily = { REGEX: compile };

/** Units of work for one character of the text. */
const COST = { fixed: 5, perChar: 2 };

/**
 * RE2: unanchored and linear in the text, so a rule cannot stall the server. A pattern that RE2 refuses, or that would cost too much, never
 * enables, even inverted.
 */
function compile(constraint: Constraint): Condition {
  const read = fieldReader(constraint.contextName);
  const pattern = constraint.value;
  if (pattern === undefined) return brokenCondition('the regular expression is missing');
  const expression = expressionOf(pattern, constraint.caseInsensitive === true);
  if (expression.automaton === null) return brokenCondition(expression.problem);
  const { test } = expression.automaton;
  return condition((context) => {
    const text = read(context);
    return text !== undefined && test(text);
  }, COST);
}
