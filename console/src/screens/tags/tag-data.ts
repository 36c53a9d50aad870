import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';

export type Tag = components['schemas']['tag'];

export const tagsQuery = {
  queryKey: keys.tags,
  queryFn: async () => (await read(api.GET('/api/admin/tags'))).tags,
} as const;

export const tagText = ({ type, value }: Pick<Tag, 'type' | 'value'>) => `${type}:${value}`;
