import Type from 'typebox';
import { collection, NO_KEYS } from '../../../model/collection.ts';
import { PlaygroundContext } from '../../../model/context.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { MODEL_LIMITS } from '../../../model/limits.ts';
import { DateTime, NameReference } from '../../../model/primitives.ts';
import { User } from '../../../model/user.ts';
import { PERSONAL_LIMITS } from '../limits.ts';

/** A context of the playground; only `appName` may be missing. */
const SavedContext = Type.Object(
  { ...PlaygroundContext.properties, appName: Type.Optional(PlaygroundContext.properties.appName) },
  { $id: 'savedContext', additionalProperties: true, maxProperties: MODEL_LIMITS.contextProperties.max },
);

/** Contexts that a user saved under a name, for playgrounds and previews. Collection `contextSets`, key: the id. */
export const ContextSet = Type.Object({
  /** Ids begin with 1 and are never used again. */
  id: Type.Integer({ minimum: 1 }),
  /** The owner. */
  userId: User.properties.id,
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '\\S',
    description: 'Unique among the sets of the owner',
  }),
  /** Null: only the owner can read the set. */
  project: Type.Union([NameReference, Type.Null()], {
    description:
      'Id of the project with which the set is shared: callers who see the project can read the set, callers with UPDATE_FEATURE there can change ' +
      'and delete it; null: only the owner can read it',
    answer: 'Id of the project with which the set is shared; null: only the owner can read it',
  }),
  contexts: Type.Array(SavedContext, {
    maxItems: PERSONAL_LIMITS.contextsInSet.max,
    description: 'The contexts, at most 500,000 bytes as JSON',
    answer: 'The contexts',
  }),
  /** Size of the contexts as JSON. */
  bytes: Type.Integer({ minimum: 0, answer: 'Size of the contexts as JSON' }),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type ContextSet = EntityOf<typeof ContextSet>;

const EMPTY_KEY: readonly string[] = [''];

export const contextSets = collection({
  schema: 1,
  key: ({ id }: ContextSet) => String(id),
  indexes: {
    contextSetsByUser: ({ userId }) => [String(userId)],
    contextSetsByProject: ({ project }) => (project === null ? NO_KEYS : [project]),
    /** All sets, under the empty key. */
    allContextSets: () => EMPTY_KEY,
  },
  weigh: ({ bytes }) => bytes,
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly contextSets: typeof contextSets;
  }
}
