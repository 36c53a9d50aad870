import { assert } from '../../base/assert.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { ENGINE } from '../../engine/engine-module.ts';
import type { Feature } from '../../model/feature.ts';
import type { CollectionName, Collections } from '../../state/collections.ts';

type Named<E> = (entity: E) => {
  readonly id: string | number;
  readonly project?: string | null | undefined;
  readonly environments?: readonly string[];
};

/** How the stream of changes names an entity of a collection. */
export interface Shown<E> {
  readonly type: string;
  readonly named: Named<E>;
  readonly isForAdmins?: true | ((entity: E) => boolean);
  /** The environments in which the entity changed. Without it, those that `named` returns. */
  readonly environments?: (before: E | undefined, after: E | undefined) => readonly string[];
  /** Leaves the change out. */
  readonly isHidden?: (before: E | undefined, after: E | undefined) => boolean;
}

/**
 * How the stream names the entities of each collection; null if their changes are not sent. These are changes that happen without a change by a
 * person (counters, usage), personal data (sessions, favorites), and secrets. A collection that no module lists does not compile.
 */
export type ShownTable = {
  readonly [C in Exclude<CollectionName, keyof (typeof ENGINE)['collections']>]: Shown<Collections[C]> | null;
};

let table: ShownTable | undefined;

/** Called once, by the list of features. */
export function defineShown(shown: ShownTable): void {
  assert(!table, 'the entities of the stream are defined twice');
  table = shown;
}

/** How the stream names the entities of the collection; undefined or null if their changes are not sent. */
export function shownAs(collection: CollectionName): Shown<object> | null | undefined {
  assert(table, 'no entities of the stream are defined: import features/modules.ts first');
  return (table as Readonly<Partial<Record<CollectionName, Shown<object> | null>>>)[collection];
}

/** Whether the change concerns nothing but `fields`, which change when somebody signs on or a token is used. */
export function isSameBut<E extends object>(fields: Partial<E>, before: E | undefined, after: E | undefined): boolean {
  return before !== undefined && after !== undefined && isSameJson({ ...before, ...fields }, { ...after, ...fields });
}

/** The environments in which the flag has other settings than before. */
export function changedEnvironments(before: Feature | undefined, after: Feature | undefined): readonly string[] {
  if (before === undefined || after === undefined) return [];
  if (before.environments === after.environments) return [];
  const known = new Map(before.environments.map((settings) => [settings.environment, settings]));
  const changed: string[] = [];
  for (const settings of after.environments) {
    if (!isSameJson(known.get(settings.environment), settings)) changed.push(settings.environment);
    known.delete(settings.environment);
  }
  return [...changed, ...known.keys()];
}
