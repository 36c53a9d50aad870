import Type from 'typebox';
import { collection, NO_KEYS } from './collection.ts';
import type { EntityOf } from './entity.ts';
import { FETCH_MODES } from './fetch-mode.ts';
import { Nullable, ScopeName, SortOrder } from './primitives.ts';

/** An environment. Collection `environments`, key: the name. */
export const Environment = Type.Object({
  name: ScopeName,
  type: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'development, test, preproduction, production, or any text',
  }),
  enabled: Type.Boolean({ default: true }),
  /** A protected environment cannot be deleted. */
  protected: Type.Boolean(),
  sortOrder: SortOrder,
  /** Missing: no reason is needed. */
  requireReason: Type.Optional(
    Type.Boolean({
      description: 'Whether changes of flags in the environment need a reason, in the header `burgee-reason`',
      answer: 'Whether changes of flags in the environment need a reason',
    }),
  ),
  /** Missing: as null. */
  fetchMode: Type.Optional(
    Nullable(
      Type.Enum([...FETCH_MODES], {
        description:
          'How SDKs of servers get changes. `streaming`: polling SDKs are asked to open streams. `polling`: SDKs with streams are asked to poll. ' +
          'null: as the option `FETCH_MODE` says',
        answer: 'How SDKs of servers are asked to get changes; null: as the option `FETCH_MODE` says',
      }),
    ),
  ),
});
export type Environment = EntityOf<typeof Environment>;

export const environments = collection({
  schema: 1,
  key: (environment: Environment) => environment.name,
  past: 'whole',
  indexes: { environmentsWithReason: ({ requireReason }) => (requireReason ? ALL_OF_THEM : NO_KEYS) },
});

const ALL_OF_THEM = [''];

declare module './collection.ts' {
  interface CollectionTable {
    readonly environments: typeof environments;
  }
}
