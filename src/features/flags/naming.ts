import Type from 'typebox';
import { invalid, type Rejection } from '../../base/rejection.ts';
import { expressionOf } from '../../evaluation/expression.ts';
import { MODEL_LIMITS } from '../../model/limits.ts';
import { NAME_LENGTH_MAX, Nullable } from '../../model/primitives.ts';
import type { FeatureNaming, Project } from '../../model/project.ts';

/** People cannot read longer patterns. */
const PATTERN_LENGTH_MAX = 500;

export const FeatureNamingFields = Type.Object(
  {
    pattern: Type.Optional(
      Nullable(
        Type.String({
          maxLength: PATTERN_LENGTH_MAX,
          description:
            'An RE2 expression that the whole name of a new flag has to match; null or empty: any name is allowed',
        }),
      ),
    ),
    example: Type.Optional(
      Nullable(Type.String({ maxLength: NAME_LENGTH_MAX, description: 'A name that matches the pattern, for people' })),
    ),
    description: Type.Optional(
      Nullable(
        Type.String({ maxLength: MODEL_LIMITS.textLength.max, description: 'What the pattern is about, for people' }),
      ),
    ),
  },
  { $id: 'createFeatureNamingPattern' },
);

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
