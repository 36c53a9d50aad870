import { invalid, type Rejection } from '../../base/rejection.ts';
import { expressionOf } from '../../evaluation/expression.ts';
import type { FeatureNaming, Project } from '../../model/project.ts';

/** Returns the naming rule as it is stored, or a rejection if the pattern or the example is invalid. */
export function validateNaming(input: Partial<FeatureNaming>): FeatureNaming | Rejection {
  const pattern = input.pattern || null;
  const naming = { pattern, example: input.example || null, description: input.description || null };
  if (pattern === null) return naming;
  const expression = wholeNameExpression(pattern);
  if (expression.automaton === null) return invalid(`The pattern cannot be used: ${expression.problem}.`, '/pattern');
  if (naming.example !== null && !expression.automaton.test(naming.example))
    return invalid(`The example ${naming.example} does not match the pattern.`, '/example');
  return naming;
}

/** Returns a rejection if the naming rule of the project does not allow the name. Returns undefined if it allows the name. */
export function namingProblem({ id, featureNaming }: Project, name: string): Rejection | undefined {
  const pattern = featureNaming?.pattern ?? null;
  // Every stored pattern compiles: `validateNaming` has checked it.
  if (pattern === null || wholeNameExpression(pattern).automaton?.test(name) !== false) return undefined;
  const example = featureNaming?.example ? ` Example of a name that matches: ${featureNaming.example}.` : '';
  return invalid(
    `The project ${id} accepts only flags with names that match "${pattern}"; "${name}" does not.${example}`,
    '/name',
  );
}

function wholeNameExpression(pattern: string) {
  return expressionOf(`^(?:${pattern})$`, false);
}
