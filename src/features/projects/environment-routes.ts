import { Rejection } from '../../base/rejection.ts';
import { ok } from '../../http/answer.ts';
import { routesOf } from '../endpoint.ts';
import { presentProjectEnvironments } from '../environments/present.ts';
import { ProjectEnvironmentListSchema } from '../environments/schemas.ts';
import { change } from '../shared/change.ts';
import { findProject } from '../shared/lookup.ts';
import { addProjectEnvironment, removeProjectEnvironment } from './environments.ts';
import { ProjectEnvironmentBody } from './schemas.ts';

const route = routesOf('Projects');

const listEnvironments = route('GET /api/admin/projects/:projectId/environments', 'getEnvironmentsOfProject', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The environments that a project has',
  responses: { 200: { description: 'The environments', schema: ProjectEnvironmentListSchema } },
  async handle({ params, asker }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const environments = await presentProjectEnvironments(project, state, asker);
    return ok({ version: 1, environments: environments.filter(({ visible }) => visible) });
  },
});

const addEnvironment = route('POST /api/admin/projects/:projectId/environments', 'addEnvironmentToProject', {
  access: { permission: 'UPDATE_PROJECT', project: 'path.projectId' },
  edits: 'project',
  summary: 'Adds an environment to a project. Flags of the project can then be switched in this environment',
  body: ProjectEnvironmentBody,
  errors: [409],
  handle: ({ params: { projectId }, body: { environment }, caller }, services) =>
    change(services, caller, addProjectEnvironment, { project: projectId, environment }),
});

const removeEnvironment = route(
  'DELETE /api/admin/projects/:projectId/environments/:environment',
  'removeEnvironmentFromProject',
  {
    access: { permission: 'UPDATE_PROJECT', project: 'path.projectId' },
    edits: 'project',
    summary:
      'Removes an environment from a project, with the configuration that flags of the project have in it, even if they are on',
    handle: ({ params: { projectId, environment }, caller }, services) =>
      change(services, caller, removeProjectEnvironment, { project: projectId, environment }),
  },
);

export const projectEnvironmentEndpoints = [listEnvironments, addEnvironment, removeEnvironment];
