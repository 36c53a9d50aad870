import { conflict, notFound, Rejection } from '../base/rejection.ts';
import type { TagType } from '../model/tag-type.ts';
import type { StateReader } from '../state/collections.ts';
import type { Command } from './command.ts';
import { definedOnly } from './feature.ts';

export interface TagTypeInput {
  readonly name: string;
  readonly description?: string | null;
  readonly icon?: string | null;
  readonly color?: string | null;
}

export const createTagType: Command<TagTypeInput, TagType> = ({ draft, emit }, input) => {
  const taken = tagTypeNameProblem(draft, input.name);
  if (taken) return taken;
  const { name, description = null, icon = null, color = null } = input;
  const tagType: TagType = { name, description, icon, color };
  draft.put('tagTypes', tagType);
  emit({ type: 'tag-type-created', data: tagType });
  return tagType;
};

/** Changes the given properties and no others. */
export const updateTagType: Command<TagTypeInput, TagType> = ({ draft, emit }, { name, ...rest }) => {
  const before = findTagType(draft, name);
  if (before instanceof Rejection) return before;
  const after: TagType = { ...before, ...definedOnly(rest) };
  draft.put('tagTypes', after);
  emit({ type: 'tag-type-updated', data: after, preData: before });
  return after;
};

/** Deletes a tag type that no flag, archived ones included, has a tag of. */
export const deleteTagType: Command<{ name: string }, void> = ({ draft, emit }, { name }) => {
  const tagType = findTagType(draft, name);
  if (tagType instanceof Rejection) return tagType;
  for (const feature of draft.lookup('featuresByTagType', name)) {
    return conflict(`The tag type ${name} cannot be deleted: the feature ${feature.name} has a tag of it.`);
  }
  draft.remove('tagTypes', name);
  emit({ type: 'tag-type-deleted', preData: tagType });
  return undefined;
};

export function findTagType(reader: StateReader, name: string): TagType | Rejection {
  return reader.get('tagTypes', name) ?? notFound(`The tag type ${name} does not exist.`);
}

/** A rejection when a tag type has the name already. */
export function tagTypeNameProblem(reader: StateReader, name: string): Rejection | undefined {
  return reader.get('tagTypes', name) ? conflict(`A tag type named ${name} already exists.`) : undefined;
}
