import type { Entity, StateReader } from '../../state/collections.ts';
import { type PartName, partKey, partsOf } from '../../state/past.ts';
import { type FieldChange, fieldChanges } from '../shared/field-changes.ts';
import { type HistorySubject, subjectOf } from './subjects.ts';

/** What a commit did to an entity, or to its settings in one environment. */
export interface HistoryChange extends HistorySubject {
  /** The name by which people know the entity, if it is not its id: `nameOf`. */
  readonly name: string | null;
  readonly kind: 'created' | 'changed' | 'deleted';
  readonly fields: readonly FieldChange[];
}

/** The values of parts at a moment that moves backwards, from commit to commit. */
export class PartsBackwards {
  readonly #reader: StateReader;
  readonly #known = new Map<string, object | undefined>();

  /** `reader`: the state after the newest commit. */
  constructor(reader: StateReader) {
    this.#reader = reader;
  }

  /** The part as it is at the current moment. */
  get(name: PartName): object | undefined {
    const key = partKey(name);
    if (this.#known.has(key)) return this.#known.get(key);
    const value = partOf(this.#reader, name);
    this.#known.set(key, value);
    return value;
  }

  /** Moves the part to the moment before the commit that replaced it. */
  replace(name: PartName, before: object | undefined): void {
    this.#known.set(partKey(name), before);
  }

  /** The project of a flag at the current moment; null if it does not exist. */
  projectOf(flag: string): string | null {
    const base = this.get({ collection: 'features', key: flag, part: '' });
    return (base as { readonly project?: string } | undefined)?.project ?? null;
  }
}

/** A part of an entity as the reader has it. */
export function partOf(reader: StateReader, { collection, key, part }: PartName): object | undefined {
  return partsOf(collection, reader.get(collection, key) as Entity | undefined).get(part);
}

/** Fields that follow from other changes: the names of a flag's environments, who changed it, and when an entity was changed. */
const DERIVED: Readonly<Record<string, readonly string[]>> = {
  features: ['environments', 'collaborators', 'changedAt'],
  projects: ['updatedAt'],
  projectRoles: ['createdAt'],
};

/** The change of one part, with the name of its entity; undefined if nothing changed but fields that follow from other changes. */
export function changeOfPart(
  name: PartName,
  before: object | undefined,
  after: object | undefined,
  flagProject: string | null,
  named: (value: object) => string | null,
): HistoryChange | undefined {
  const value = after ?? before;
  if (!value) return undefined;
  const fields = fieldChanges(withoutDerived(name, before), withoutDerived(name, after));
  if (fields.length === 0) return undefined;
  const isWhole = name.part === '';
  const kind = isWhole && !before ? 'created' : isWhole && !after ? 'deleted' : 'changed';
  return { ...subjectOf(name, value, flagProject), name: named(value), kind, fields };
}

function withoutDerived({ collection, part }: PartName, value: object | undefined): object | undefined {
  const derived = part === '' ? DERIVED[collection] : undefined;
  if (!value || !derived) return value;
  return Object.fromEntries(Object.entries(value).filter(([field]) => !derived.includes(field)));
}
