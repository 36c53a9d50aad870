import type { Constraint, Operator } from '../domain/model.ts';
import { same } from '../domain/same.ts';
import { strategyEditor as words } from '../words/en/flags/feature.ts';
import { rules } from '../words/en/rules.ts';

export const NEW_CONDITION: Constraint = {
  contextName: '',
  operator: 'IN',
  values: [],
  inverted: false,
  caseInsensitive: false,
};

/** `NOT_IN` is the other word for an inverted `IN`, so it is not offered a second time. */
const OPERATORS: readonly Operator[] = [
  'IN',
  'STR_CONTAINS',
  'STR_STARTS_WITH',
  'STR_ENDS_WITH',
  'REGEX',
  'NUM_EQ',
  'NUM_GT',
  'NUM_GTE',
  'NUM_LT',
  'NUM_LTE',
  'DATE_AFTER',
  'DATE_BEFORE',
  'SEMVER_EQ',
  'SEMVER_GT',
  'SEMVER_GTE',
  'SEMVER_LT',
  'SEMVER_LTE',
  'IN_CIDR',
];

export const takesList = (operator: Operator) => /^(NOT_IN|IN|IN_CIDR|STR_.*)$/.test(operator);
export const ignoresCase = (operator: Operator) => operator.startsWith('STR_') || operator === 'REGEX';

/** An operator and whether it is inverted, as one choice. */
export const choiceOf = ({ operator, inverted = false }: Constraint) =>
  operator === 'NOT_IN' ? (inverted ? 'IN' : '!IN') : `${inverted ? '!' : ''}${operator}`;

export const CHOICES = OPERATORS.flatMap((operator) => [
  { value: operator as string, label: rules.operators[operator]?.plain ?? operator, hint: operator },
  { value: `!${operator}`, label: rules.operators[operator]?.inverted ?? operator, hint: operator },
]);

/** What is missing in the constraint. The API accepts it, but it is then true for every context, or for none. */
export function missingIn({ contextName, operator, inverted = false, value, values }: Constraint): string | undefined {
  if (contextName === '') return words.fieldMissing;
  if (!takesList(operator)) return (value ?? '').trim() === '' ? words.valueMissing : undefined;
  if (values?.length) return undefined;
  return (operator === 'NOT_IN') === inverted ? words.valuesMissing : words.valuesMissingInverted;
}

/** Whether it is saved like this already: it is no mistake of the draft, so it only has a warning. */
export const isKept = (constraint: Constraint, saved: readonly Constraint[] = []) =>
  saved.some((one) => same(one, constraint));

/** What must be mended before the constraints can be saved. */
export const constraintsProblem = (constraints: readonly Constraint[], saved?: readonly Constraint[]) =>
  constraints.map((one) => (isKept(one, saved) ? undefined : missingIn(one))).find((problem) => problem !== undefined);

/** Keeps what is still meaningful: a list becomes its first value, and the other way round. */
export function withChoice(constraint: Constraint, choice: string): Constraint {
  const operator = choice.replace('!', '') as Operator;
  const inverted = choice.startsWith('!');
  const base = {
    contextName: constraint.contextName,
    caseInsensitive: ignoresCase(operator) && (constraint.caseInsensitive ?? false),
  };
  if (takesList(operator)) {
    const values = constraint.values?.length ? constraint.values : constraint.value ? [constraint.value] : [];
    return operator === 'IN' && inverted
      ? { ...base, operator: 'NOT_IN', inverted: false, values }
      : { ...base, operator, inverted, values };
  }
  return { ...base, operator, inverted, values: [], value: constraint.value || (constraint.values?.[0] ?? '') };
}
