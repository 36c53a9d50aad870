import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { created, ok } from '../../../http/answer.ts';
import type { TagType } from '../../../model/tag-type.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { createTagType, deleteTagType, findTagType, tagTypeNameProblem, updateTagType } from './type-commands.ts';
import { asText, CreateTagTypeBody, TagTypeSchema, UpdateTagTypeBody } from './type-schemas.ts';

const TagTypeParams = Type.Object({ name: Type.String() });

const listTagTypes = endpoint({
  operationId: 'getTagTypes',
  method: 'get',
  path: '/api/admin/tag-types',
  tag: 'Tags',
  access: { permission: 'READ' },
  summary: 'Every tag type',
  responses: {
    200: {
      description: 'The tag types',
      schema: Type.Object({ version: Type.Integer(), tagTypes: Type.Array(TagTypeSchema) }),
    },
  },
  errors: [],
  handle(_request, { state }) {
    return ok({ version: 1, tagTypes: [...state.values('tagTypes')].map(presentTagType) });
  },
});

const getTagType = endpoint({
  operationId: 'getTagType',
  method: 'get',
  path: '/api/admin/tag-types/:name',
  tag: 'Tags',
  access: { permission: 'READ' },
  summary: 'One tag type',
  params: TagTypeParams,
  responses: {
    200: { description: 'The tag type', schema: Type.Object({ version: Type.Integer(), tagType: TagTypeSchema }) },
  },
  errors: [404],
  handle({ params }, { state }) {
    const tagType = findTagType(state, params.name);
    return tagType instanceof Rejection ? tagType : ok({ version: 1, tagType: presentTagType(tagType) });
  },
});

const addTagType = endpoint({
  operationId: 'createTagType',
  method: 'post',
  path: '/api/admin/tag-types',
  tag: 'Tags',
  access: { permission: 'CREATE_TAG_TYPE' },
  summary: 'Creates a tag type',
  body: CreateTagTypeBody,
  responses: {
    201: { description: 'The tag type', schema: TagTypeSchema, headers: { location: 'Where it can be read' } },
  },
  errors: [400, 409],
  handle({ body, caller }, services) {
    const { name, description, icon, color } = body;
    return change(services, caller, createTagType, { name, description, icon, color }, (tagType) =>
      created(presentTagType(tagType), `${services.config.basePath}/api/admin/tag-types/${name}`),
    );
  },
});

const changeTagType = endpoint({
  operationId: 'updateTagType',
  method: 'put',
  path: '/api/admin/tag-types/:name',
  tag: 'Tags',
  access: { permission: 'UPDATE_TAG_TYPE' },
  summary: 'Changes the given properties of a tag type',
  params: TagTypeParams,
  body: UpdateTagTypeBody,
  responses: { 200: { description: 'Done' } },
  errors: [400, 404],
  handle({ params, body, caller }, services) {
    const { description, icon, color } = body;
    const input = { name: params.name, description: asText(description), icon: asText(icon), color };
    return change(services, caller, updateTagType, input);
  },
});

const removeTagType = endpoint({
  operationId: 'deleteTagType',
  method: 'delete',
  path: '/api/admin/tag-types/:name',
  tag: 'Tags',
  access: { permission: 'DELETE_TAG_TYPE' },
  summary: 'Deletes a tag type that no flag has a tag of',
  params: TagTypeParams,
  responses: { 200: { description: 'It is gone' } },
  errors: [404, 409],
  handle({ params, caller }, services) {
    return change(services, caller, deleteTagType, { name: params.name });
  },
});

const validateTagType = endpoint({
  operationId: 'validateTagType',
  method: 'post',
  path: '/api/admin/tag-types/validate',
  tag: 'Tags',
  access: { permission: 'READ' },
  summary: 'Whether such a tag type could be created',
  body: CreateTagTypeBody,
  responses: {
    200: {
      description: 'It could',
      schema: Type.Object({ valid: Type.Literal(true), tagType: TagTypeSchema }),
    },
  },
  errors: [400, 409],
  handle({ body }, { state }) {
    const { name, description = null, icon = null, color = null } = body;
    return tagTypeNameProblem(state, name) ?? ok({ valid: true, tagType: { name, description, icon, color } });
  },
});

function presentTagType({ name, description, icon, color }: TagType) {
  return { name, description, icon, color };
}

export const tagTypeEndpoints = [listTagTypes, getTagType, addTagType, changeTagType, removeTagType, validateTagType];
