import type { Collection } from '../model/collection.ts';
import { type CollectionName, collectionOf, type Entity, isCollectionName } from './collections.ts';

/** Written by a Burgee that this one does not understand. The message is for people: which numbers, and what to do. */
export class UnknownFormatError extends Error {
  override readonly name = 'UnknownFormatError';
}

/** Not what any Burgee wrote. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
}

/** What to do about data of another version. */
export const OTHER_VERSION_ADVICE = 'Start a version that reads it (docs/upgrades.md)';

/** How stored entities of one collection are read. */
export interface EntityReader {
  readonly collection: CollectionName;
  /** Brings one to the schema of this version; undefined when it is of that already. */
  readonly upgrade: ((entity: unknown) => Entity) | undefined;
}

/**
 * How entities are read that were stored in `collection`, of `schema`. Asked before any of them is looked at.
 * @throws UnknownFormatError when this version does not know the collection, or knows less of it. `what` is what holds them.
 */
export function readerOf(what: string, collection: unknown, schema: unknown): EntityReader {
  if (typeof collection !== 'string' || !isCollectionName(collection)) {
    const message = `${what} has the collection "${collection}", which this Burgee does not know`;
    throw new UnknownFormatError(`${message}. ${OTHER_VERSION_ADVICE}`);
  }
  const name = collection as CollectionName;
  const stated: Pick<Collection<Entity, string, 'given'>, 'schema' | 'upgrade'> = collectionOf(name);
  return { collection: name, upgrade: upgradeFrom(`${what} has "${name}"`, schema, stated) };
}

/** Only for the tests of this module, and for `readerOf`. */
export function upgradeFrom<E>(
  what: string,
  schema: unknown,
  stated: { readonly schema: number; readonly upgrade: ((entity: unknown, from: number) => E) | undefined },
): ((entity: unknown) => E) | undefined {
  if (schema === stated.schema) return undefined;
  const { upgrade } = stated;
  if (!Number.isInteger(schema) || Number(schema) > stated.schema || Number(schema) < 1 || !upgrade) {
    throw new UnknownFormatError(
      `${what} of schema ${schema}; this Burgee reads up to schema ${stated.schema}. ${OTHER_VERSION_ADVICE}`,
    );
  }
  return (entity) => upgrade(entity, Number(schema));
}
