import { collection } from '../../../model/collection.ts';
import { tagText } from '../../../model/feature.ts';

/**
 * A tag that was created without a flag, as stored. It exists even if no flag has it. Collection `tags`, key: `tagText`. The other tags have no
 * entity: they exist as long as a flag has them.
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
