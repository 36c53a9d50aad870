import { RE2JS } from 're2js';
import type { Constraint } from '../../model/constraint.ts';
import { brokenCondition, type Condition, condition } from '../condition.ts';
import type { OperatorFamily } from '../constraint.ts';
import { fieldReader } from '../context.ts';

/** REGEX: RE2, unanchored and linear in the text, so a rule cannot stall the server. A pattern RE2 refuses never enables, even inverted. */
export const regexOperators: OperatorFamily = { REGEX: compile };

/** Units for one step of the program and one character of the text. */
const COST_OF_STEP = 5;

function compile(constraint: Constraint): Condition {
  const read = fieldReader(constraint.contextName);
  const pattern = constraint.value;
  if (pattern === undefined) return brokenCondition('the regular expression is missing');
  try {
    const compiled = RE2JS.compile(pattern, constraint.caseInsensitive === true ? RE2JS.CASE_INSENSITIVE : 0);
    return condition(
      (context) => {
        const text = read(context);
        return text !== undefined && compiled.test(text);
      },
      { fixed: 50, perChar: COST_OF_STEP * compiled.programSize() },
    );
  } catch (error) {
    return brokenCondition(error instanceof Error ? error.message : `"${pattern}" is no RE2 expression`);
  }
}
