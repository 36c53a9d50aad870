import Type, { type TSchema } from 'typebox';
import { conflict, notFound, Rejection } from '../../../base/rejection.ts';
import { command } from '../../../engine/command.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import { tagText } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { answeredFields, statedFields, writtenFields } from '../../shared/entity-fields.ts';
import { removalBy, type UndoRule, undoOfEdits } from '../../shared/undoing.ts';
import { TagType } from './tag-type.ts';

/** A tag type as clients create it. */
export const TagTypeFields = writtenFields(TagType, 'name', 'description?', 'icon?', 'color?');
const Changes = writtenFields(TagType, 'description?', 'icon?', 'color?');

/** The fields that need not be sent. */
const UNSENT = { description: null, icon: null, color: null };

const PATH = '/api/admin/tag-types';

export const createTagType = command({
  name: 'create-tag-type',
  input: Type.Object(TagTypeFields),
  decide({ draft, emit }, input): TagType | Rejection {
    const problem = takenProblem(draft, input.name);
    if (problem) return problem;
    const tagType: TagType = { name: input.name, ...UNSENT, ...statedFields(TagTypeFields, input) };
    draft.put('tagTypes', tagType);
    emit({ type: 'tag-type-created', data: tagType });
    return tagType;
  },
});

/** Changes the fields that the input has. */
export const updateTagType = command({
  name: 'update-tag-type',
  input: Type.Object({ name: NameReference, ...Changes }),
  decide({ draft, emit }, { name, ...input }): TagType | Rejection {
    const before = findTagType(draft, name);
    if (before instanceof Rejection) return before;
    const after = { ...before, ...statedFields(Changes, input) };
    draft.put('tagTypes', after);
    emit({ type: 'tag-type-updated', data: after, preData: before });
    return after;
  },
});

/** A tag type is in use while a flag, even an archived one, has a tag of this type. Tags of the type that no flag has are deleted with the type. */
export const deleteTagType = command({
  name: 'delete-tag-type',
  input: Type.Object({ name: NameReference }),
  decide({ draft, emit }, { name }) {
    const before = findTagType(draft, name);
    if (before instanceof Rejection) return before;
    for (const feature of draft.lookup('featuresByTagType', name)) {
      return conflict(`The tag type ${name} cannot be deleted: the feature ${feature.name} has a tag of this type.`);
    }
    for (const tag of [...draft.lookup('tagsByType', name)]) {
      draft.remove('tags', tagText(tag));
      emit({ type: 'tag-deleted', preData: tag });
    }
    draft.remove('tagTypes', name);
    emit({ type: 'tag-type-deleted', preData: before });
    return undefined;
  },
});

export const undoTagType: UndoRule<TagType> = undoOfEdits({
  collection: 'tagTypes',
  shape: TagType,
  needs: { create: ['CREATE_TAG_TYPE'], update: ['UPDATE_TAG_TYPE'], remove: ['DELETE_TAG_TYPE'] },
  events: { created: 'tag-type-created', updated: 'tag-type-updated' },
  remove: removalBy(
    deleteTagType,
    ({ name }) => ({ name }),
    ({ draft }, { name }) =>
      draft.count('tagsByType', name) > 0
        ? conflict(`The tag type ${name} is in use: there are tags of it.`)
        : undefined,
  ),
});

function findTagType(reader: StateReader, name: string): TagType | Rejection {
  return reader.get('tagTypes', name) ?? notFound(`The tag type ${name} does not exist.`);
}

function takenProblem(reader: StateReader, name: string): Rejection | undefined {
  return reader.get('tagTypes', name) && conflict(`A tag type named ${name} already exists.`);
}

const route = routesOf('Tags');

const Shown = Type.Object(answeredFields(TagType, 'name', 'description', 'icon', 'color'), { $id: 'tagType' });

const listTagTypes = route(`GET ${PATH}`, 'getTagTypes', {
  access: { permission: 'READ' },
  summary: 'Every tag type',
  responses: {
    200: {
      description: 'The tag types',
      schema: Type.Object({ version: Type.Integer(), tagTypes: Type.Array(Shown) }),
    },
  },
  handle: (_request, { state }) =>
    listAnswer({ version: 1 }, 'tagTypes', [...state.values('tagTypes')], (type) => type),
});

const getTagType = route(`GET ${PATH}/:name`, 'getTagType', {
  access: { permission: 'READ' },
  edits: 'tagType',
  summary: 'One tag type',
  responses: {
    200: { description: 'The tag type', schema: Type.Object({ version: Type.Integer(), tagType: Shown }) },
  },
  handle({ params }, { state }) {
    const tagType = findTagType(state, params.name);
    return tagType instanceof Rejection ? tagType : ok({ version: 1, tagType });
  },
});

const CreateBody = Type.Object(TagTypeFields, { $id: 'createTagType' });

const addTagType = route(`POST ${PATH}`, 'createTagType', {
  access: { permission: 'CREATE_TAG_TYPE' },
  summary: 'Creates a tag type',
  body: CreateBody,
  responses: createdResponses('The tag type', Shown, 'Path at which it can be read'),
  errors: [409],
  handle: ({ body, caller }, services) =>
    change(services, caller, createTagType, body, (tagType) =>
      created(tagType, `${services.config.basePath}${PATH}/${tagType.name}`),
    ),
});

/** A text in a change of a tag type. Like Unleash, Burgee also accepts numbers and booleans, and converts them to texts. */
const ConvertibleText = (text: TSchema) => Type.Optional(Type.Union([text, Type.Number(), Type.Boolean()]));
type ConvertibleText = string | number | boolean | null | undefined;

const asText = (value: ConvertibleText) => (value === undefined || value === null ? value : String(value));

const changeTagType = route(`PUT ${PATH}/:name`, 'updateTagType', {
  access: { permission: 'UPDATE_TAG_TYPE' },
  edits: 'tagType',
  summary: 'Changes the specified properties of a tag type',
  body: Type.Object(
    {
      description: ConvertibleText(Changes.description),
      icon: ConvertibleText(Changes.icon),
      color: Changes.color,
    },
    { $id: 'updateTagType' },
  ),
  handle({ params: { name }, body, caller }, services) {
    const { description, icon } = body as { readonly description?: ConvertibleText; readonly icon?: ConvertibleText };
    const input = { ...body, name, description: asText(description), icon: asText(icon) };
    return change(services, caller, updateTagType, input);
  },
});

const removeTagType = route(`DELETE ${PATH}/:name`, 'deleteTagType', {
  access: { permission: 'DELETE_TAG_TYPE' },
  edits: 'tagType',
  summary: 'Deletes a tag type. No flag may have a tag of this type',
  responses: { 200: { description: 'The tag type was deleted' } },
  errors: [409],
  handle: ({ params: { name }, caller }, services) => change(services, caller, deleteTagType, { name }),
});

const validateTagType = route(`POST ${PATH}/validate`, 'validateTagType', {
  access: { permission: 'READ' },
  summary: 'Checks whether a tag type could be created',
  body: CreateBody,
  responses: {
    200: {
      description: 'The tag type could be created',
      schema: Type.Object({ valid: Type.Literal(true), tagType: Shown }),
    },
  },
  errors: [409],
  handle({ body }, { state }) {
    const { name, description = null, icon = null, color = null } = body;
    return takenProblem(state, name) ?? ok({ valid: true, tagType: { name, description, icon, color } });
  },
});

export const tagTypeEndpoints = [listTagTypes, getTagType, addTagType, changeTagType, removeTagType, validateTagType];
