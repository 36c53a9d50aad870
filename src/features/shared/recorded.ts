import { assert } from '../../base/assert.ts';
import { pushAll } from '../../base/lists/push-all.ts';
import type { CollectionName, Collections, RecordedName } from '../../state/collections.ts';
import type { UndoRule } from './undoing.ts';

/** Reads the names of people at the moment of a change. Null: they did not exist. */
interface PeopleNames {
  user(id: string): string | null;
  group(id: string): string | null;
}

/** How histories show the entities of a collection with a recorded past, and how changes of them are undone. */
export interface Recorded<E extends object> {
  /** How answers name such an entity: `tag-type`. */
  readonly type: string;
  /** Its id in answers, if it is not its key. */
  readonly idOf?: (key: string) => string;
  /** The project or environment that it is, by its key. Otherwise, its fields `project` and `environment` say where it belongs. */
  readonly is?: 'project' | 'environment';
  /** The name by which people know the entity; null if it is gone. Without it, people know the entity by its id. */
  nameOf?(entity: Partial<E>, key: string, people: PeopleNames): string | null;
  /** Loads the rule for its undo. */
  readonly undo: () => Promise<UndoRule<E>>;
}

export type RecordedTable = { readonly [C in RecordedName]: Recorded<Collections[C]> };

let table: RecordedTable | undefined;
const types: string[] = [];

/** How answers name the entities with a recorded past, sorted. Schemas refer to this list before `defineRecorded` fills it. */
export const HISTORY_TYPES: readonly string[] = types;

/** Called once, by the list of features. */
export function defineRecorded(recorded: RecordedTable): void {
  assert(!table, 'the collections with a past are defined twice');
  table = recorded;
  pushAll(
    types,
    Object.values(recorded)
      .map(({ type }) => type)
      .sort(),
  );
}

/** Every collection with a recorded past. */
export function allRecorded(): RecordedTable {
  assert(table, 'no collections with a past are defined: import features/modules.ts first');
  return table;
}

/** Undefined if the past of the collection is not recorded. */
export function recordedAs(collection: CollectionName): Recorded<object> | undefined {
  return (allRecorded() as Readonly<Partial<Record<CollectionName, Recorded<object>>>>)[collection];
}

/** The name of an entity that has one, for `nameOf`. */
export const byName = ({ name }: { readonly name?: string }): string | null => name ?? null;

/** The project of settings of a project in one environment, for `idOf`: their key begins with it. */
export const projectOfKey = (key: string): string => /^[^/\n]+/.exec(key)?.[0] ?? key;
