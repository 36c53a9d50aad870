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
const OTHER_VERSION_ADVICE = 'Start a version that reads it (docs/operate/upgrades.md)';

/** The message about data in a format that this Burgee does not read, whether it is an older or a newer one. */
export function otherFormat(what: string, format: unknown, readFormat: number): string {
  return `${what} has format ${format}; this Burgee reads format ${readFormat}. ${OTHER_VERSION_ADVICE}`;
}

/** How to read stored entities of one collection. */
export interface EntityReader {
  readonly collection: CollectionName;
  /** Converts an entity to the schema of this version; undefined if the stored entities already have this schema. */
  readonly upgrade: ((entity: unknown) => Entity) | undefined;
}

/**
 * How to read entities of `collection` that were stored with the version `schema`. Called before any entity is read. `what` names the record for
 * messages.
 * @throws UnknownFormatError when this version does not support the collection or the schema.
 */
export function readerOf(what: string, collection: unknown, schema: unknown): EntityReader {
  if (typeof collection !== 'string' || !isCollectionName(collection)) {
    const message = `${what} has the collection "${collection}", which this Burgee does not know`;
    throw new UnknownFormatError(`${message}. ${OTHER_VERSION_ADVICE}`);
  }
  const name = collection as CollectionName;
  const definition: Pick<Collection<Entity, string, 'separate'>, 'schema' | 'upgrade'> = collectionOf(name);
  return { collection: name, upgrade: upgradeFrom(`${what} has "${name}"`, schema, definition) };
}

/** Returns the function that converts entities of `schema`; undefined if they need no conversion. Exported for tests. @throws UnknownFormatError */
export function upgradeFrom<E>(
  what: string,
  schema: unknown,
  definition: { readonly schema: number; readonly upgrade: ((entity: unknown, from: number) => E) | undefined },
): ((entity: unknown) => E) | undefined {
  if (schema === definition.schema) return undefined;
  const { upgrade } = definition;
  if (!Number.isInteger(schema) || Number(schema) > definition.schema || Number(schema) < 1 || !upgrade) {
    throw new UnknownFormatError(
      `${what} of schema ${schema}; this Burgee reads up to schema ${definition.schema}. ${OTHER_VERSION_ADVICE}`,
    );
  }
  return (entity) => upgrade(entity, Number(schema));
}
