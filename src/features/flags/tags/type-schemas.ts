import Type, { type Static } from 'typebox';
import { Nullable } from '../../../model/primitives.ts';
import { TagTypeFields, TagTypeName } from './type-commands.ts';

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

/** As the fields of a tag type; numbers and booleans are taken as text, as Unleash takes them. */
export const UpdateTagTypeBody = Type.Object(
  {
    description: Type.Optional(Type.Union([TagTypeFields.description, Type.Number(), Type.Boolean()])),
    icon: Type.Optional(Type.Union([TagTypeFields.icon, Type.Number(), Type.Boolean()])),
    color: TagTypeFields.color,
  },
  { $id: 'updateTagType' },
);

/** Undefined and null stay what they are. */
export function asText(value: Static<typeof UpdateTagTypeBody>['description']): string | null | undefined {
  return value === undefined || value === null ? value : String(value);
}
