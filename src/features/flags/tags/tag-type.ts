import Type from 'typebox';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { Nullable, Text, UrlSafeName } from '../../../model/primitives.ts';

/**
 * A kind of tag. Collection `tagTypes`, key: the name. The maximum length of the name is lower than that of other names, because every tag of the
 * type contains this name.
 */
export const TagType = Type.Object({
  name: Type.Intersect([UrlSafeName, Type.String({ minLength: 2, maxLength: 50 })]),
  description: Nullable(Text),
  icon: Nullable(Type.String({ maxLength: 1000 })),
  color: Nullable(Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: 'As #RRGGBB' })),
});
export type TagType = EntityOf<typeof TagType>;

export const tagTypes = collection({ schema: 1, key: (type: TagType) => type.name, past: 'whole' });

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly tagTypes: typeof tagTypes;
  }
}
