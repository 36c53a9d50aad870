import { collection } from '../../../model/collection.ts';
import { tagText } from '../../../model/feature.ts';
/**
 * A tag that is there whether or not a flag has it, as stored. Collection `tags`, key: `tagText`. Those that flags have need no entity: they are
 * there because a flag has them.
 */
export interface Tag {
  readonly type: string;
  readonly value: string;
}

export const tags = collection({
  schema: 1,
  key: (tag: Tag) => tagText(tag),
  indexes: { tagsByType: ({ type }) => [type] },
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly tags: typeof tags;
  }
}
