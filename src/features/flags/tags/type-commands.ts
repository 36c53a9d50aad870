import Type from 'typebox';
import { conflict, notFound, Rejection } from '../../../base/rejection.ts';
import { command } from '../../../engine/command.ts';
import { tagText } from '../../../model/feature.ts';
import { NameReference, Nullable, Text, UrlSafeName } from '../../../model/primitives.ts';
import type { TagType } from '../../../model/tag-type.ts';
import type { StateReader } from '../../../state/collections.ts';
import { given } from '../../shared/given.ts';

export const TagTypeFields = {
  description: Type.Optional(Nullable(Text)),
  icon: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  color: Type.Optional(Nullable(Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: 'As #RRGGBB' }))),
};

/** Of a tag type; shorter than other names, because tags repeat it. */
export const TagTypeName = Type.Intersect([UrlSafeName, Type.String({ minLength: 2, maxLength: 50 })]);

export const createTagType = command({
  name: 'create-tag-type',
  input: Type.Object({ name: TagTypeName, ...TagTypeFields }),
  decide({ draft, emit }, input) {
    const taken = tagTypeNameProblem(draft, input.name);
    if (taken) return taken;
    const { name, description = null, icon = null, color = null } = input;
    const tagType: TagType = { name, description, icon, color };
    draft.put('tagTypes', tagType);
    emit({ type: 'tag-type-created', data: tagType });
    return tagType;
  },
});

/** Changes the given properties and no others. */
export const updateTagType = command({
  name: 'update-tag-type',
  input: Type.Object({ name: NameReference, ...TagTypeFields }),
  decide({ draft, emit }, { name, ...rest }) {
    const before = findTagType(draft, name);
    if (before instanceof Rejection) return before;
    const after: TagType = { ...before, ...given(TagTypeFields, rest) };
    draft.put('tagTypes', after);
    emit({ type: 'tag-type-updated', data: after, preData: before });
    return after;
  },
});

/** Deletes a tag type that no flag, archived ones included, has a tag of, with the tags of it that were created on their own. */
export const deleteTagType = command({
  name: 'delete-tag-type',
  input: Type.Object({ name: NameReference }),
  decide({ draft, emit }, { name }) {
    const tagType = findTagType(draft, name);
    if (tagType instanceof Rejection) return tagType;
    for (const feature of draft.lookup('featuresByTagType', name)) {
      return conflict(`The tag type ${name} cannot be deleted: the feature ${feature.name} has a tag of it.`);
    }
    for (const tag of [...draft.lookup('tagsByType', name)]) {
      draft.remove('tags', tagText(tag));
      emit({ type: 'tag-deleted', preData: tag });
    }
    draft.remove('tagTypes', name);
    emit({ type: 'tag-type-deleted', preData: tagType });
    return undefined;
  },
});

export function findTagType(reader: StateReader, name: string): TagType | Rejection {
  return reader.get('tagTypes', name) ?? notFound(`The tag type ${name} does not exist.`);
}

/** A rejection when a tag type has the name already. */
export function tagTypeNameProblem(reader: StateReader, name: string): Rejection | undefined {
  return reader.get('tagTypes', name) ? conflict(`A tag type named ${name} already exists.`) : undefined;
}
