import Type from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import { convertedInSteps } from '../../base/converted.ts';
import { Rejection } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';
import { arrayAnswer, created, done, listAnswer, ok } from '../../http/answer.ts';
import { createdResponses } from '../../http/endpoint.ts';
import { routesOf } from '../endpoint.ts';
import { change } from '../shared/change.ts';
import { findProject } from '../shared/lookup.ts';
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

const PATH = '/api/admin/projects/:projectId/context';

const listFields = route(`GET ${PATH}`, 'getProjectContextFields', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The context fields of a project, by sort order. `include=root` adds the fields that belong to all projects',
  query: Type.Object({
    include: Type.Optional(Type.Literal('root', { description: 'Includes the fields that belong to all projects' })),
  }),
  responses: { 200: { description: 'The fields', schema: Type.Array(ContextFieldSchema) } },
  async handle({ params, query, caller, asker }, { state }) {
    const found = findProject(state, params.projectId);
    if (found instanceof Rejection) return found;
    const fields = [...state.values('contextFields')].filter(({ project }) =>
      project === undefined ? query.include === 'root' : project === found.id,
    );
    return arrayAnswer(await presentContextFields(fields, state, visibleProjects(state, caller), Slicer.of(asker)));
  },
});

const getField = route(`GET ${PATH}/:contextField`, 'getProjectContextField', {
  access: { permission: 'READ', project: 'path.projectId' },
  edits: 'contextField',
  summary: 'One context field of a project',
  responses: { 200: { description: 'The field', schema: ContextFieldSchema } },
  async handle({ params, caller, asker }, { state }) {
    const field = findContextField({ draft: state, caller }, params.contextField, params.projectId);
    if (field instanceof Rejection) return field;
    return ok(await presentContextField(field, state, visibleProjects(state, caller), Slicer.of(asker)));
  },
});

const addField = route(`POST ${PATH}`, 'createProjectContextField', {
  access: { permission: ['CREATE_PROJECT_CONTEXT', 'CREATE_CONTEXT_FIELD'], project: 'path.projectId' },
  summary: 'Creates a context field of a project. Its name must be unique in all projects',
  body: CreateContextFieldBody,
  responses: createdResponses('The field', ContextFieldSchema),
  errors: [409],
  handle({ params: { projectId: project }, body, caller, asker }, services) {
    // A project in the body is ignored: the path names the project.
    const { name, project: _project, ...fields } = body;
    const input = { name, project, ...suppliedFields(ContextFieldFields, fields) };
    return change(services, caller, createContextField, input, async (field) =>
      created(
        await presentContextField(field, services.state, visibleProjects(services.state, caller), Slicer.of(asker)),
        `${services.config.basePath}/api/admin/projects/${encodeURIComponent(project)}/context/${name}`,
      ),
    );
  },
});

const changeField = route(`PUT ${PATH}/:contextField`, 'updateProjectContextField', {
  access: { permission: ['UPDATE_PROJECT_CONTEXT', 'UPDATE_CONTEXT_FIELD'], project: 'path.projectId' },
  edits: 'contextField',
  summary: 'Changes the specified properties of a context field of a project',
  body: UpdateContextFieldBody,
  handle({ params: { projectId: project, contextField: name }, body, caller }, services) {
    const input = { name, project, ...suppliedFields(ContextFieldFields, body) };
    return change(services, caller, updateContextField, input, () => done());
  },
});

const removeField = route(`DELETE ${PATH}/:contextField`, 'deleteProjectContextField', {
  access: { permission: ['DELETE_PROJECT_CONTEXT', 'DELETE_CONTEXT_FIELD'], project: 'path.projectId' },
  edits: 'contextField',
  summary: 'Deletes a context field of a project; constraints on the field work as before',
  responses: { 200: { description: 'The field was deleted' } },
  handle: ({ params: { projectId: project, contextField: name }, caller }, services) =>
    change(services, caller, deleteContextField, { name, project }),
});

const validateFieldName = route(`POST ${PATH}/validate`, 'validateProjectContextFieldName', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'Checks whether a context field with this name could be created in a project',
  body: NameBody,
  responses: { 200: { description: 'The field could be created' } },
  errors: [409],
  handle({ params, body }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    return contextFieldNameProblem(state, body.name) ?? done();
  },
});

const putLegalValue = route(`POST ${PATH}/:contextField/legal-values`, 'updateProjectContextFieldLegalValue', {
  access: { permission: ['UPDATE_PROJECT_CONTEXT', 'UPDATE_CONTEXT_FIELD'], project: 'path.projectId' },
  edits: 'contextField',
  summary: 'Adds a legal value to a context field of a project, or replaces the description of the value',
  body: LegalValueSchema,
  handle: ({ params: { projectId: project, contextField: name }, body, caller }, services) =>
    change(services, caller, setLegalValue, { name, project, legalValue: body }, () => done()),
});

const dropLegalValue = route(
  `DELETE ${PATH}/:contextField/legal-values/:legalValue`,
  'deleteProjectContextFieldLegalValue',
  {
    access: { permission: ['UPDATE_PROJECT_CONTEXT', 'UPDATE_CONTEXT_FIELD'], project: 'path.projectId' },
    edits: 'contextField',
    summary: 'Removes a legal value of a context field of a project; constraints that use the value stay',
    handle: ({ params: { projectId: project, contextField: name, legalValue: value }, caller }, services) =>
      change(services, caller, removeLegalValue, { name, project, value }, () => done()),
  },
);

const getStrategiesOfField = route(`GET ${PATH}/:contextField/strategies`, 'getProjectStrategiesByContextField', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The strategies of a project with a constraint on a context field',
  responses: { 200: { description: 'The strategies', schema: ContextFieldStrategiesSchema } },
  handle({ params, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const strategies = strategiesOfField(params.contextField, state, (id) => id === project.id);
    return listAnswer({}, 'strategies', strategies, (strategy) => strategy);
  },
});

export const projectContextFieldEndpoints = [
  listFields,
  getField,
  addField,
  changeField,
  removeField,
  validateFieldName,
  putLegalValue,
  dropLegalValue,
  getStrategiesOfField,
];
