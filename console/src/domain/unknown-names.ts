import { STANDARD_FIELDS } from './contexts.ts';
import type { Constraint, ContextField, Segment, StrategyDraft } from './model.ts';

/** The fields that SDKs have without a definition. */
export const FIELDS_OF_SDKS: readonly string[] = [...STANDARD_FIELDS, 'environment'];

export const isKnownField = (name: string, fields: readonly Pick<ContextField, 'name'>[]) =>
  FIELDS_OF_SDKS.includes(name) || fields.some((field) => field.name === name);

/** The constraints of the strategies and of their segments. */
export function constraintsOf(
  strategies: readonly StrategyDraft[],
  segments: readonly Pick<Segment, 'id' | 'constraints'>[],
): readonly Constraint[] {
  const used = new Set(strategies.flatMap((one) => one.segments));
  return [...strategies, ...segments.filter(({ id }) => used.has(id))].flatMap(
    (one): readonly Constraint[] => one.constraints,
  );
}

/** The applications that the constraints name. Operators that compare parts of a name are left out. */
const applicationsIn = (constraints: readonly Constraint[]) =>
  constraints
    .filter(({ contextName, operator }) => contextName === 'appName' && (operator === 'IN' || operator === 'NOT_IN'))
    .flatMap(({ values = [] }) => values);

export const namesApplications = (constraints: readonly Constraint[]) => applicationsIn(constraints).length > 0;

/** What constraints name and nothing has. It may be a mistake of typing, so it is allowed, with a warning. */
export interface UnknownNames {
  readonly fields: readonly string[];
  readonly applications: readonly string[];
}

/** Without the list of fields or of applications, none of them is unknown. */
export function unknownNames(
  constraints: readonly Constraint[],
  fields: readonly Pick<ContextField, 'name'>[] | undefined,
  applications: ReadonlySet<string> | undefined,
): UnknownNames {
  const named = constraints.map(({ contextName }) => contextName).filter((name) => name !== '');
  return {
    fields: fields ? [...new Set(named.filter((name) => !isKnownField(name, fields)))] : [],
    applications: applications
      ? [...new Set(applicationsIn(constraints).filter((name) => !applications.has(name)))]
      : [],
  };
}
