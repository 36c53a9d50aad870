import type { Constraint } from '../../model/constraint.ts';
import { brokenCondition, type Condition, condition } from '../condition.ts';
import { fieldReader } from '../context.ts';
import { expressionOf } from '../expression.ts';
import type { OperatorFamily } from './operator-family.ts';

export const regexOperators: OperatorFamily = { REGEX: compile };

/**
 * RE2: unanchored and linear in the text, so a rule cannot block the server. If RE2 refuses a pattern or the pattern would cost too much, the rule is
 * never true, even if it is inverted.
 */
function compile(constraint: Constraint): Condition {
  const read = fieldReader(constraint.contextName);
  const pattern = constraint.value;
  if (pattern === undefined) return brokenCondition('the regular expression is missing');
  const expression = expressionOf(pattern, constraint.caseInsensitive === true);
  if (expression.automaton === null) return brokenCondition(expression.problem);
  const { test, ranges } = expression.automaton;
  return condition(
    (context) => {
      const text = read(context);
      return text !== undefined && test(text);
    },
    // A character after Latin-1 needs a binary search in the ranges.
    { fixed: 5, perChar: 0.3 + 0.15 * Math.log2(ranges + 1) },
  );
}
