import type { components } from '../../api/schema.d.ts';
import { same } from '../../domain/same.ts';
import { fieldSentences, valueWords } from '../../parts/differences.ts';
import { strategyTypes as words } from '../../words/en/admin/strategy-types.ts';

export type StrategyType = components['schemas']['strategyType'];
type StoredParameter = StrategyType['parameters'][number];

/** `key` stays the same while a parameter is renamed or moved. */
export interface Parameter extends StoredParameter {
  readonly key: number;
}

export const keyed = (parameters: readonly StoredParameter[]): readonly Parameter[] =>
  parameters.map((parameter, key) => ({ ...parameter, key }));

export const bare = ({ key: _, ...parameter }: Parameter): StoredParameter => parameter;

/** Why the parameters cannot be saved. */
export function parametersProblem(parameters: readonly Parameter[]): string | undefined {
  const names = new Set<string>();
  for (const { name } of parameters) {
    if (name === '') return words.parameterNameMissing;
    if (names.has(name)) return words.parameterTwice(name);
    names.add(name);
  }
  return undefined;
}

const PARAMETER_NAMES = {
  name: words.parameterName,
  type: words.parameterType,
  description: words.parameterDescription,
  required: words.required,
} as const;

export function parameterSentences(before: readonly Parameter[], after: readonly Parameter[]): string[] {
  const old = new Map(before.map((parameter) => [parameter.key, parameter]));
  const kept = new Set(after.map(({ key }) => key));
  const orderOf = (parameters: readonly Parameter[], isIn: (key: number) => boolean) =>
    parameters.filter(({ key }) => isIn(key)).map(({ key }) => key);
  const isMoved = !same(
    orderOf(before, (key) => kept.has(key)),
    orderOf(after, (key) => old.has(key)),
  );
  return [
    ...after.filter(({ key }) => !old.has(key)).map(({ name }) => words.added(name || words.unnamed)),
    ...before.filter(({ key }) => !kept.has(key)).map(({ name }) => words.removed(name)),
    ...after.flatMap((parameter) => {
      const was = old.get(parameter.key);
      if (!was) return [];
      return fieldSentences(was, parameter, PARAMETER_NAMES).map((text) => words.parameterChanged(was.name, text));
    }),
    ...(isMoved ? [words.order(valueWords(after.map(({ name }) => name)))] : []),
  ];
}
