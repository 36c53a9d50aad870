import Type from 'typebox';
import { collection } from '../../model/collection.ts';
import type { EntityOf } from '../../model/entity.ts';
import { Nullable, Text, UrlSafeName } from '../../model/primitives.ts';

/** A group of people who own flags. Collection `teams`, key: the name. */
export const Team = Type.Object({
  name: UrlSafeName,
  description: Nullable(Text),
});
type Team = EntityOf<typeof Team>;

export const teams = collection({ schema: 1, key: (team: Team) => team.name });

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly teams: typeof teams;
  }
}
