import Type from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import { Rejection } from '../../base/rejection.ts';
import { created, done, ok } from '../../http/answer.ts';
import { createdResponses } from '../../http/endpoint.ts';
import { routesOf } from '../endpoint.ts';
import { withPast } from '../past/with-past.ts';
import { change } from '../shared/change.ts';
import { findEnvironment, findProject } from '../shared/lookup.ts';
import { CloneFields, cloneEnvironment } from './clone.ts';
import {
  createEnvironment,
  deleteEnvironment,
  environmentNameProblem,
  sortEnvironments,
  switchEnvironment,
  updateEnvironment,
} from './commands.ts';
import { environmentFields, presentEnvironments, presentProjectEnvironments, sortedEnvironments } from './present.ts';
import {
  CreateEnvironmentBody,
  EnvironmentListSchema,
  EnvironmentNameBody,
  EnvironmentSchema,
  ProjectEnvironmentListSchema,
  SortOrderBody,
  UpdateEnvironmentBody,
} from './schemas.ts';

const route = routesOf('Environments');

const listEnvironments = route('GET /api/admin/environments', 'getAllEnvironments', {
  access: { permission: 'READ' },
  summary: 'Every environment, by sort order',
  responses: { 200: { description: 'The environments', schema: EnvironmentListSchema } },
  async handle({ caller, asker }, { state }) {
    const visible = visibleProjects(state, caller);
    return ok({
      version: 1,
      environments: await presentEnvironments(sortedEnvironments(state), state, visible, asker),
    });
  },
});

const getEnvironment = route('GET /api/admin/environments/:name', 'getEnvironment', {
  access: { permission: 'READ' },
  edits: 'environment',
  summary: 'One environment',
  responses: { 200: { description: 'The environment', schema: EnvironmentSchema } },
  async handle({ params, caller, asker }, { state }) {
    const environment = findEnvironment(state, params.name);
    if (environment instanceof Rejection) return environment;
    const [answer] = await presentEnvironments([environment], state, visibleProjects(state, caller), asker);
    return ok(answer);
  },
});

const listEnvironmentsOfProject = route('GET /api/admin/environments/project/:projectId', 'getProjectEnvironments', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary:
    'Every environment, with counts for one project; `visible` is true for the environments that the project has',
  responses: { 200: { description: 'The environments', schema: ProjectEnvironmentListSchema } },
  async handle({ params, asker }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    return ok({ version: 1, environments: await presentProjectEnvironments(project, state, asker) });
  },
});

const addEnvironment = route('POST /api/admin/environments', 'createEnvironment', {
  access: { permission: 'CREATE_ENVIRONMENT' },
  summary: 'Creates an environment. A project can use the environment after it has been added to the project',
  body: CreateEnvironmentBody,
  responses: createdResponses('The environment', EnvironmentSchema),
  errors: [409],
  handle({ body, caller }, services) {
    const { name, type, enabled, sortOrder, requireReason, fetchMode } = body;
    return change(
      services,
      caller,
      createEnvironment,
      { name, type, enabled, sortOrder, requireReason, fetchMode },
      (environment) =>
        created(environmentFields(environment), `${services.config.basePath}/api/admin/environments/${name}`),
    );
  },
});

const validateEnvironmentName = route('POST /api/admin/environments/validate', 'validateEnvironmentName', {
  access: { permission: 'READ' },
  summary: 'Checks whether an environment with this name could be created',
  body: EnvironmentNameBody,
  responses: { 200: { description: 'The environment could be created' } },
  errors: [409],
  handle: ({ body }, { state }) => environmentNameProblem(state, body.name) ?? done(),
});

const changeEnvironment = route('PUT /api/admin/environments/update/:name', 'updateEnvironment', {
  access: { permission: 'UPDATE_ENVIRONMENT' },
  edits: 'environment',
  summary:
    'Changes the type or the sort order of an environment, whether changes in it need a reason, or how SDKs get changes',
  body: UpdateEnvironmentBody,
  responses: { 200: { description: 'The environment as it is now', schema: EnvironmentSchema } },
  handle({ params, body, caller }, services) {
    const { type, sortOrder, requireReason, fetchMode } = body;
    const input = { name: params.name, type, sortOrder, requireReason, fetchMode };
    return change(services, caller, updateEnvironment, input, (environment) => ok(environmentFields(environment)));
  },
});

const setSortOrder = route('PUT /api/admin/environments/sort-order', 'updateSortOrder', {
  access: { permission: 'UPDATE_ENVIRONMENT' },
  summary: 'Sets the sort orders of the named environments, all or none',
  body: SortOrderBody,
  errors: [404],
  handle({ body, caller }, services) {
    const order = Object.entries(body).map(([name, sortOrder]) => ({ name, sortOrder }));
    return change(services, caller, sortEnvironments, { order });
  },
});

const switchOn = route('POST /api/admin/environments/:name/on', 'toggleEnvironmentOn', {
  access: { permission: 'UPDATE_ENVIRONMENT' },
  edits: 'environment',
  summary: 'Switches an environment on: it can then be added to projects',
  responses: { 204: { description: 'Done' } },
  handle: ({ params, caller }, services) =>
    change(services, caller, switchEnvironment, { name: params.name, enabled: true }, () => done(204)),
});

const switchOff = route('POST /api/admin/environments/:name/off', 'toggleEnvironmentOff', {
  access: { permission: 'UPDATE_ENVIRONMENT' },
  edits: 'environment',
  summary: 'Switches an environment off: it can then not be added to projects. Projects that have it keep it',
  responses: { 204: { description: 'Done' } },
  handle: ({ params, caller }, services) =>
    change(services, caller, switchEnvironment, { name: params.name, enabled: false }, () => done(204)),
});

const copyEnvironment = route('POST /api/admin/environments/:name/clone', 'cloneEnvironment', {
  access: { permission: 'CREATE_ENVIRONMENT' },
  summary: 'Creates a copy of an environment, with the configuration of flags in it',
  description:
    'The caller needs the permission UPDATE_PROJECT in every project that gets the new environment. Everything is copied, or nothing.',
  body: Type.Object(CloneFields, { $id: 'cloneEnvironment' }),
  responses: { 200: { description: 'The new environment', schema: EnvironmentSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const { name, type, projects, clonePermissions } = body;
    const input = { source: params.name, name, type, projects, clonePermissions };
    return change(services, caller, cloneEnvironment, input, (environment) => ok(environmentFields(environment)));
  },
});

const removeEnvironment = route('DELETE /api/admin/environments/:name', 'removeEnvironment', {
  access: { permission: 'DELETE_ENVIRONMENT' },
  edits: 'environment',
  summary: 'Deletes an environment that is not protected, with its tokens and the configuration that flags have in it',
  responses: { 200: { description: 'The environment was deleted' } },
  handle: ({ params: { name }, caller }, services) => change(services, caller, deleteEnvironment, { name }),
});

export const environmentEndpoints = [
  copyEnvironment,
  withPast(listEnvironments, 'all'),
  withPast(getEnvironment, 'all'),
  withPast(listEnvironmentsOfProject, 'project'),
  addEnvironment,
  validateEnvironmentName,
  changeEnvironment,
  setSortOrder,
  switchOn,
  switchOff,
  removeEnvironment,
];
