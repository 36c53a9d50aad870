import type { components } from '../../api/schema.d.ts';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { same } from '../../domain/same.ts';

export type TagType = components['schemas']['tagType'];
export type Tag = components['schemas']['tag'];

export interface TagTypeValues {
  readonly description: string;
  readonly color: string;
}

export const EMPTY: TagTypeValues = { description: '', color: '' };

export const valuesOf = ({ description, color }: TagType): TagTypeValues => ({
  description: description ?? '',
  color: color ?? '',
});

const bodyOf = ({ description, color }: TagTypeValues) => ({
  description: description.trim() || null,
  color: color || null,
});

export const createType = (name: string, values: TagTypeValues) =>
  write(api.POST('/api/admin/tag-types', { body: { name, ...bodyOf(values) } }));

/** On condition that the type is as it was when `base` was read. */
export function saveType(name: string, base: TagTypeValues, values: TagTypeValues, reason: string) {
  const params = { path: { name } };
  return ifUnchanged(
    () => readTagged(api.GET('/api/admin/tag-types/{name}', { params, cache: 'no-store' })),
    ({ tagType }) => same(valuesOf(tagType), base),
    (etag) =>
      write<unknown>(
        api.PUT('/api/admin/tag-types/{name}', { params, headers: stated({ reason, etag }), body: bodyOf(values) }),
      ),
  );
}

export const tagText = ({ type, value }: Pick<Tag, 'type' | 'value'>) => `${type}:${value}`;
