import Type from 'typebox';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { Nullable, Text, UrlSafeName } from '../../../model/primitives.ts';

/** A part of the world where flags are served. Collection `regions`, key: the name. */
export const Region = Type.Object({
  name: Type.Intersect([UrlSafeName, Type.String({ minLength: 2, maxLength: 50 })]),
  description: Nullable(Text),
  icon: Nullable(Type.String({ maxLength: 1000 })),
  color: Nullable(Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: 'As #RRGGBB' })),
});
export type Region = EntityOf<typeof Region>;

export const regions = collection({ schema: 1, key: (type: Region) => type.name, past: 'whole' });

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly regions: typeof regions;
  }
}
