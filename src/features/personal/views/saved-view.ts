import Type from 'typebox';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { DateTime } from '../../../model/primitives.ts';
import { User } from '../../../model/user.ts';
import { PERSONAL_LIMITS } from '../limits.ts';

/** A query of a screen that a user saved under a name. Collection `savedViews`, key: the id. */
export const SavedView = Type.Object({
  /** Ids begin with 1 and are never used again. */
  id: Type.Integer({ minimum: 1 }),
  userId: User.properties.id,
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '\\S',
    description: 'Unique among the views of a screen',
  }),
  screen: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The screen that the view belongs to; any text, because only pages know which screens exist',
    answer: 'The screen that the view belongs to',
  }),
  query: Type.String({
    maxLength: PERSONAL_LIMITS.viewQueryLength.max,
    description: 'Any text that the screen understands: the query of a URL, or JSON as text',
    answer: 'The query as it was saved',
  }),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export interface SavedView extends EntityOf<typeof SavedView> {
  /** Size of the name, the screen and the query as JSON. */
  readonly bytes: number;
}

const EMPTY_KEY: readonly string[] = [''];

export const savedViews = collection({
  schema: 1,
  key: ({ id }: SavedView) => String(id),
  indexes: {
    savedViewsByUser: ({ userId }) => [String(userId)],
    /** All views, under the empty key. */
    allSavedViews: () => EMPTY_KEY,
  },
  weigh: ({ bytes }) => bytes,
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly savedViews: typeof savedViews;
  }
}
