import type { Static, TSchema } from 'typebox';

/** The static type of a stored entity, derived from its schema: entities are deeply immutable. */
export type EntityOf<S extends TSchema> = Frozen<Static<S>>;

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T;
