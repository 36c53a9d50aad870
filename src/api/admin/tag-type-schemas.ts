import Type from 'typebox';
import { TagTypeFields, TagTypeName } from '../../commands/tag-type.ts';
import { Nullable } from '../../model/primitives.ts';

/** A tag type as the admin API answers it. */
export const TagTypeSchema = Type.Object(
  {
    name: Type.String(),
    description: Nullable(Type.String()),
    icon: Nullable(Type.String()),
    color: Nullable(Type.String()),
  },
  { $id: 'tagType' },
);

export const CreateTagTypeBody = Type.Object({ name: TagTypeName, ...TagTypeFields }, { $id: 'createTagType' });

export const UpdateTagTypeBody = Type.Object(TagTypeFields, { $id: 'updateTagType' });
