import Type, { type TSchema } from 'typebox';
import { conflict } from '../../../base/rejection.ts';
import { ok } from '../../../http/answer.ts';
import { tagText } from '../../../model/feature.ts';
import { routesOf } from '../../endpoint.ts';
import { resource } from '../../shared/resource.ts';
import type { UndoRule } from '../../shared/undoing.ts';
import { TagType } from './tag-type.ts';

const route = routesOf('Tags');

/** A text in a change of a tag type. Like Unleash, Burgee also accepts numbers and booleans, and converts them to texts. */
const ConvertibleText = (text: TSchema) => Type.Optional(Type.Union([text, Type.Number(), Type.Boolean()]));

export const tagTypes = resource({
  collection: 'tagTypes',
  noun: 'tag type',
  event: 'tag-type',
  tag: 'Tags',
  path: '/api/admin/tag-types',
  edits: 'tagType',
  key: 'name',
  entity: TagType,
  defaults: { description: null, icon: null, color: null },
  /** A tag type is in use while a flag, even an archived one, has a tag of this type. Tags of the type that no flag has are deleted with the type. */
  beforeRemove({ draft, emit }, { name }) {
    for (const feature of draft.lookup('featuresByTagType', name)) {
      return conflict(`The tag type ${name} cannot be deleted: the feature ${feature.name} has a tag of this type.`);
    }
    for (const tag of [...draft.lookup('tagsByType', name)]) {
      draft.remove('tags', tagText(tag));
      emit({ type: 'tag-deleted', preData: tag });
    }
    return undefined;
  },
  inUse({ draft }, { name }) {
    return draft.count('tagsByType', name) > 0
      ? conflict(`The tag type ${name} is in use: there are tags of it.`)
      : undefined;
  },
  operations: {
    list: { permission: 'READ', summary: 'Every tag type', as: 'tagTypes', version: true },
    get: { permission: 'READ', summary: 'One tag type', as: 'tagType' },
    create: { permission: 'CREATE_TAG_TYPE', summary: 'Creates a tag type' },
    update: {
      permission: 'UPDATE_TAG_TYPE',
      summary: 'Changes the specified properties of a tag type',
      body: {
        description: ConvertibleText(TagType.properties.description),
        icon: ConvertibleText(TagType.properties.icon),
      },
      toInput: (body: ConvertibleTexts) => ({
        ...body,
        description: asText(body.description),
        icon: asText(body.icon),
      }),
    },
    remove: {
      permission: 'DELETE_TAG_TYPE',
      summary: 'Deletes a tag type. No flag may have a tag of this type',
      errors: [409],
    },
  },
});

export const { create: createTagType, update: updateTagType, remove: deleteTagType } = tagTypes;

type ConvertibleTexts = Readonly<Record<'description' | 'icon', string | number | boolean | null | undefined>>;

function asText(value: ConvertibleTexts['icon']): string | null | undefined {
  return value === undefined || value === null ? value : String(value);
}

const validateTagType = route('POST /api/admin/tag-types/validate', 'validateTagType', {
  access: { permission: 'READ' },
  summary: 'Checks whether a tag type could be created',
  body: tagTypes.createBody,
  responses: {
    200: {
      description: 'The tag type could be created',
      schema: Type.Object({ valid: Type.Literal(true), tagType: tagTypes.answer }),
    },
  },
  errors: [409],
  handle({ body }, { state }) {
    const { name, description = null, icon = null, color = null } = body;
    return tagTypes.takenProblem(state, name) ?? ok({ valid: true, tagType: { name, description, icon, color } });
  },
});

export const tagTypeEndpoints = [...tagTypes.endpoints, validateTagType];

export const undoTagType: UndoRule<TagType> = tagTypes.undo;
