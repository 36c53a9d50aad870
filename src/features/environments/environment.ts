import Type from 'typebox';
import { collection } from '../../model/collection.ts';
import type { EntityOf } from '../../model/entity.ts';
import { ScopeName, SortOrder } from '../../model/primitives.ts';

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
});
export type Environment = EntityOf<typeof Environment>;

export const environments = collection({ schema: 1, key: (environment: Environment) => environment.name });

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly environments: typeof environments;
  }
}
