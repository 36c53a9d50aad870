import Type from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import { convertedInSteps } from '../../base/converted.ts';
import { Rejection } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';
import { arrayAnswer, created, done, listAnswer, ok } from '../../http/answer.ts';
import { createdResponses } from '../../http/endpoint.ts';
import { routesOf } from '../endpoint.ts';
import { withPast } from '../past/with-past.ts';
import { change } from '../shared/change.ts';
import { NameBody } from '../shared/name-schema.ts';
import { suppliedFields } from '../shared/supplied-fields.ts';
import {
  ContextFieldFields,
  contextFieldNameProblem,
  createContextField,
  deleteContextField,
  findContextField,
  removeLegalValue,
  setLegalValue,
  updateContextField,
} from './commands.ts';
import { presentContextField, presentContextFields, strategiesOfField } from './present.ts';
import {
  ContextFieldSchema,
  ContextFieldStrategiesSchema,
  CreateContextFieldBody,
  LegalValueSchema,
  UpdateContextFieldBody,
} from './schemas.ts';

const route = routesOf('Context', { mend: convertedInSteps });

const listContextFields = route('GET /api/admin/context', 'getContextFields', {
  access: { permission: 'READ' },
  summary:
    'Every context field that belongs to all projects, by sort order. `include=project` adds the fields of projects',
  query: Type.Object({
    include: Type.Optional(Type.Literal('project', { description: 'Includes the fields of projects' })),
  }),
  responses: { 200: { description: 'The fields', schema: Type.Array(ContextFieldSchema) } },
  async handle({ query, caller, asker }, { state }) {
    const fields = [...state.values('contextFields')].filter(
      ({ project }) => project === undefined || query.include === 'project',
    );
    return arrayAnswer(await presentContextFields(fields, state, visibleProjects(state, caller), Slicer.of(asker)));
  },
});

const getContextField = route('GET /api/admin/context/:contextField', 'getContextField', {
  access: { permission: 'READ' },
  edits: 'contextField',
  summary: 'One context field',
  responses: { 200: { description: 'The field', schema: ContextFieldSchema } },
  async handle({ params, caller, asker }, { state }) {
    const field = findContextField({ draft: state, caller }, params.contextField);
    if (field instanceof Rejection) return field;
    return ok(await presentContextField(field, state, visibleProjects(state, caller), Slicer.of(asker)));
  },
});

const addContextField = route('POST /api/admin/context', 'createContextField', {
  access: { permission: 'CREATE_CONTEXT_FIELD' },
  summary: 'Creates a context field, for all projects or for one project',
  body: CreateContextFieldBody,
  responses: createdResponses('The field', ContextFieldSchema),
  errors: [404, 409],
  handle({ body, caller, asker }, services) {
    const { name, project, ...fields } = body;
    const input = { name, ...suppliedFields(ContextFieldFields, fields), project: project ?? undefined };
    return change(services, caller, createContextField, input, async (field) =>
      created(
        await presentContextField(field, services.state, visibleProjects(services.state, caller), Slicer.of(asker)),
        `${services.config.basePath}/api/admin/context/${name}`,
      ),
    );
  },
});

const changeContextField = route('PUT /api/admin/context/:contextField', 'updateContextField', {
  access: { permission: 'UPDATE_CONTEXT_FIELD' },
  edits: 'contextField',
  summary: 'Changes the specified properties of a context field',
  body: UpdateContextFieldBody,
  handle: ({ params, body, caller }, services) =>
    change(services, caller, updateContextField, {
      name: params.contextField,
      ...suppliedFields(ContextFieldFields, body),
    }),
});

const removeContextField = route('DELETE /api/admin/context/:contextField', 'deleteContextField', {
  access: { permission: 'DELETE_CONTEXT_FIELD' },
  edits: 'contextField',
  summary: 'Deletes a context field; constraints on the field work as before',
  responses: { 200: { description: 'The field was deleted' } },
  handle: ({ params, caller }, services) => change(services, caller, deleteContextField, { name: params.contextField }),
});

const validateContextFieldName = route('POST /api/admin/context/validate', 'validateContextFieldName', {
  access: { permission: 'READ' },
  summary: 'Checks whether a context field with this name could be created',
  body: NameBody,
  responses: { 200: { description: 'The field could be created' } },
  errors: [409],
  handle: ({ body }, { state }) => contextFieldNameProblem(state, body.name) ?? done(),
});

const putLegalValue = route('POST /api/admin/context/:contextField/legal-values', 'updateContextFieldLegalValue', {
  access: { permission: 'UPDATE_CONTEXT_FIELD' },
  edits: 'contextField',
  summary: 'Adds a legal value to a context field, or replaces the description of the value',
  body: LegalValueSchema,
  handle: ({ params, body, caller }, services) =>
    change(services, caller, setLegalValue, { name: params.contextField, legalValue: body }),
});

const dropLegalValue = route(
  'DELETE /api/admin/context/:contextField/legal-values/:legalValue',
  'deleteContextFieldLegalValue',
  {
    access: { permission: 'UPDATE_CONTEXT_FIELD' },
    edits: 'contextField',
    summary: 'Removes a legal value of a context field; constraints that use the value stay',
    handle: ({ params, caller }, services) =>
      change(services, caller, removeLegalValue, { name: params.contextField, value: params.legalValue }),
  },
);

const getStrategiesOfField = route('GET /api/admin/context/:contextField/strategies', 'getStrategiesByContextField', {
  access: { permission: 'READ' },
  summary: 'The strategies with a constraint on a context field; empty if there is no such strategy or field',
  responses: { 200: { description: 'The strategies', schema: ContextFieldStrategiesSchema } },
  neverMissing: true,
  handle({ params, caller, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const visible = visibleProjects(state, caller);
    const strategies = strategiesOfField(params.contextField, state, (project) => visible.has(project));
    return listAnswer({}, 'strategies', strategies, (strategy) => strategy);
  },
});

export const contextFieldEndpoints = [
  withPast(listContextFields, 'none'),
  getContextField,
  addContextField,
  changeContextField,
  removeContextField,
  validateContextFieldName,
  putLegalValue,
  dropLegalValue,
  getStrategiesOfField,
];
