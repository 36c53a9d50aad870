import { collection } from '../../../model/collection.ts';
import { type Tag, tagText } from '../../../model/feature.ts';

/**
 * The tags that were created without a flag. They exist even if no flag has them. Key: `tagText`. The other tags have no entity: they exist as long as
 * a flag has them.
 */
export const tags = collection({
  schema: 1,
  key: (tag: Tag) => tagText(tag),
  past: 'whole',
  indexes: { tagsByType: ({ type }) => [type] },
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly tags: typeof tags;
  }
}
