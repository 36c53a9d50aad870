import type { Collection } from '../model/collection.ts';
import { type CollectionName, collectionOf, type Entity, isCollectionName } from './collections.ts';

/** The data has a format that this version cannot read. The message is for operators: the versions, and what to do. */
export class UnknownFormatError extends Error {
  override readonly name = 'UnknownFormatError';
}

/** The data is damaged: no version of Burgee wrote it in this form. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
}

/** The advice in error messages about data of another version. */
export const OTHER_VERSION_ADVICE = 'Start a version that reads it (docs/upgrades.md)';

/** How to read stored entities of one collection. */
export interface EntityReader {
  readonly collection: CollectionName;
  /** Converts an entity to the schema of this version; undefined if it already has it. */
  readonly upgrade: ((entity: unknown) => Entity) | undefined;
}

/**
 * How to read entities of `collection` that were stored with `schema`. Called before any entity is read. `what` is the record that contains them.
 * @throws UnknownFormatError when this version does not support the collection or the schema.
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
