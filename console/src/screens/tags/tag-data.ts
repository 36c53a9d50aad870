import type { components } from '../../api/schema.d.ts';

export type Tag = components['schemas']['tag'];

export const tagText = ({ type, value }: Pick<Tag, 'type' | 'value'>) => `${type}:${value}`;
