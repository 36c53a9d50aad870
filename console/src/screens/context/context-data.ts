import { api, read, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import type { ContextField } from '../../domain/model.ts';
import { same } from '../../domain/same.ts';
import { fieldSentences, valueWords } from '../../parts/differences.ts';
import { context as words } from '../../words/en/context.ts';

export const contextUseQuery = (name: string) =>
  ({
    queryKey: keys.contextField(name, 'strategies'),
    queryFn: async () =>
      (
        await read(
          api.GET('/api/admin/context/{contextField}/strategies', { params: { path: { contextField: name } } }),
        )
      ).strategies,
  }) as const;

export interface FieldValues {
  readonly description: string;
  readonly stickiness: boolean;
  readonly legalValues: readonly { readonly value: string; readonly description: string }[];
}

export const EMPTY: FieldValues = { description: '', stickiness: false, legalValues: [] };

export const valuesOf = (field: ContextField): FieldValues => ({
  description: field.description ?? '',
  stickiness: field.stickiness,
  legalValues: field.legalValues.map(({ value, description }) => ({ value, description: description ?? '' })),
});

const bodyOf = ({ description, stickiness, legalValues }: FieldValues) => ({
  description: description.trim() || null,
  stickiness,
  legalValues: legalValues.map(({ value, description: text }) => ({
    value,
    ...(text.trim() && { description: text.trim() }),
  })),
});

export const createField = (name: string, values: FieldValues) =>
  write(api.POST('/api/admin/context', { body: { name, ...bodyOf(values) } }));

/** On condition that the field is as it was when `base` was read. */
export function saveField(name: string, base: FieldValues, values: FieldValues, reason: string) {
  const params = { path: { contextField: name } };
  return ifUnchanged(
    () => readTagged(api.GET('/api/admin/context/{contextField}', { params, cache: 'no-store' })),
    (now) => same(valuesOf(now), base),
    (etag) =>
      write<unknown>(
        api.PUT('/api/admin/context/{contextField}', {
          params,
          headers: stated({ reason, etag }),
          body: bodyOf(values),
        }),
      ),
  );
}

export function sentencesOf(before: FieldValues, after: FieldValues): string[] {
  const old = new Map(before.legalValues.map((one) => [one.value, one.description]));
  const now = new Map(after.legalValues.map((one) => [one.value, one.description]));
  const added = [...now.keys()].filter((value) => !old.has(value));
  const removed = [...old.keys()].filter((value) => !now.has(value));
  return [
    ...fieldSentences(before, after, { description: words.description, stickiness: words.stickiness }),
    ...(added.length > 0 ? [words.added(valueWords(added))] : []),
    ...(removed.length > 0 ? [words.removed(valueWords(removed))] : []),
    ...[...now].flatMap(([value, text]) =>
      old.has(value) && old.get(value) !== text ? [words.described(value, valueWords(text))] : [],
    ),
  ];
}
