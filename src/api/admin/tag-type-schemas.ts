import Type from 'typebox';
import { Nullable, Text, UrlSafeName } from '../../model/primitives.ts';

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

const fields = {
  description: Type.Optional(Nullable(Text)),
  icon: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  color: Type.Optional(Nullable(Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: 'As #RRGGBB' }))),
};

/** Of a tag type; shorter than other names, because tags repeat it. */
export const TagTypeName = Type.Intersect([UrlSafeName, Type.String({ minLength: 2, maxLength: 50 })]);

export const CreateTagTypeBody = Type.Object({ name: TagTypeName, ...fields }, { $id: 'createTagType' });

export const UpdateTagTypeBody = Type.Object(fields, { $id: 'updateTagType' });
