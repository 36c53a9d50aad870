import { authorOf } from '../../model/user.ts';
import type { StateReader } from '../../state/collections.ts';
import type { PartName } from '../../state/past.ts';
import { recordedAs } from '../shared/recorded.ts';

/** An entity, or its settings in one environment, as answers name it. */
export interface HistorySubject {
  readonly type: string;
  readonly id: string;
  /** The project that contains it; null if it belongs to none. */
  readonly project: string | null;
  readonly environment: string | null;
}

/** The fields by which an entity is located. */
interface Located {
  readonly project?: string | null;
  readonly environment?: string;
}

/** `value`: the part of the entity, before or after the change. `flagProject`: the project of the flag, if it is a part of a flag. */
export function subjectOf(
  { collection, key, part }: PartName,
  value: object,
  flagProject: string | null,
): HistorySubject {
  const { type = '', is } = recordedAs(collection) ?? {};
  const { project = null, environment = null } = value as Located;
  if (collection === 'features') return { type, id: key, project: flagProject, environment: part === '' ? null : part };
  if (is === 'project') return { type, id: key, project: key, environment: null };
  if (is === 'environment') return { type, id: key, project: null, environment: key };
  return { type, id: shownId({ collection, key }), project, environment };
}

/** The id of an entity in histories. */
export function shownId({ collection, key }: Pick<PartName, 'collection' | 'key'>): string {
  return recordedAs(collection)?.idOf?.(key) ?? key;
}

/** An entity at the moment of a change; undefined if it did not exist. */
export type ReadAt = (collection: 'groups', key: string) => object | undefined;

/** The name by which people know an entity at the moment of a change. Null for entities that people know by their ids, and for those that are gone. */
export function nameOf({ collection, key }: PartName, value: object, users: StateReader, at: ReadAt): string | null {
  const people = {
    user(id: string) {
      const found = users.get('users', id);
      return found ? authorOf(found).name : null;
    },
    group: (id: string) => (at('groups', id) as { readonly name?: string } | undefined)?.name ?? null,
  };
  return recordedAs(collection)?.nameOf?.(value, key, people) ?? null;
}
