import type { components } from '../../api/schema.d.ts';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { same } from '../../domain/same.ts';
import { fieldSentences, valueWords } from '../../parts/differences.ts';
import { strategyTypes as words } from '../../words/en/admin/strategy-types.ts';

export type StrategyType = components['schemas']['strategyType'];
type StoredParameter = StrategyType['parameters'][number];

/** `key` stays the same while a parameter is renamed or moved. */
export interface Parameter extends StoredParameter {
  readonly key: number;
}

export interface TypeValues {
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
}

export const EMPTY: TypeValues = { title: '', description: '', parameters: [] };

export const valuesOf = ({ title, description, parameters }: StrategyType): TypeValues => ({
  title: title ?? '',
  description: description ?? '',
  parameters: parameters.map((parameter, key) => ({ ...parameter, key })),
});

const bare = ({ key: _, ...parameter }: Parameter): StoredParameter => parameter;

const bodyOf = ({ title, description, parameters }: TypeValues) => ({
  title: title.trim() || null,
  description: description.trim() || null,
  parameters: parameters.map(bare),
});

export const createType = (name: string, values: TypeValues) =>
  write(api.POST('/api/admin/strategies', { body: { name, ...bodyOf(values) } }));

/** On condition that the type is as it was when `base` was read. */
export function saveType(name: string, base: TypeValues, values: TypeValues, reason: string) {
  const params = { path: { name } };
  return ifUnchanged(
    () => readTagged(api.GET('/api/admin/strategies/{name}', { params, cache: 'no-store' })),
    (now) => same(valuesOf(now), base),
    (etag) =>
      write<unknown>(
        api.PUT('/api/admin/strategies/{name}', { params, headers: stated({ reason, etag }), body: bodyOf(values) }),
      ),
  );
}

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

export function sentencesOf(before: TypeValues, after: TypeValues): string[] {
  const old = new Map(before.parameters.map((parameter) => [parameter.key, parameter]));
  const kept = new Set(after.parameters.map(({ key }) => key));
  const orderOf = ({ parameters }: TypeValues, others: (key: number) => boolean) =>
    parameters.filter(({ key }) => others(key)).map(({ key }) => key);
  const isMoved = !same(
    orderOf(before, (key) => kept.has(key)),
    orderOf(after, (key) => old.has(key)),
  );
  return [
    ...fieldSentences(before, after, { title: words.titleField, description: words.description }),
    ...after.parameters.filter(({ key }) => !old.has(key)).map(({ name }) => words.added(name || words.unnamed)),
    ...before.parameters.filter(({ key }) => !kept.has(key)).map(({ name }) => words.removed(name)),
    ...after.parameters.flatMap((parameter) => {
      const was = old.get(parameter.key);
      if (!was) return [];
      return fieldSentences(was, parameter, PARAMETER_NAMES).map((text) => words.parameterChanged(was.name, text));
    }),
    ...(isMoved ? [words.order(valueWords(after.parameters.map(({ name }) => name)))] : []),
  ];
}
