import { invalid, type Rejection } from '../../base/rejection.ts';
import { expressionOf } from '../../evaluation/expression.ts';
import type { FeatureNaming, Project } from '../../model/project.ts';

/** The naming rule as it is stored, or the reason why it cannot be used. */
export function checkNaming(supplied: Partial<FeatureNaming>): FeatureNaming | Rejection {
  const pattern = supplied.pattern || null;
  const naming = { pattern, example: supplied.example || null, description: supplied.description || null };
  if (pattern === null) return naming;
  const expression = wholeName(pattern);
  if (expression.automaton === null) return invalid(`The pattern cannot be used: ${expression.problem}.`, '/pattern');
  if (naming.example !== null && !expression.automaton.test(naming.example))
    return invalid(`The example ${naming.example} does not match the pattern.`, '/example');
  return naming;
}

/** The reason why a new flag of the project may not have the name, or undefined if it may. */
export function namingProblem({ id, featureNaming }: Project, name: string): Rejection | undefined {
  const pattern = featureNaming?.pattern ?? null;
  // A pattern that does not compile was never stored.
  if (pattern === null || wholeName(pattern).automaton?.test(name) !== false) return undefined;
  const example = featureNaming?.example ? ` Such as: ${featureNaming.example}.` : '';
  return invalid(
    `The project ${id} accepts only flags with names that match "${pattern}"; "${name}" does not.${example}`,
    '/name',
  );
}

function wholeName(pattern: string) {
  return expressionOf(`^(?:${pattern})$`, false);
}
