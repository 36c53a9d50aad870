import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { ok } from '../../http/answer.ts';
import { endpoint } from '../endpoint.ts';
import { presentProjectEnvironments } from '../environments/present.ts';
import { ProjectEnvironmentListSchema } from '../environments/schemas.ts';
import { change } from '../shared/change.ts';
import { findProject } from '../shared/lookup.ts';
import { addProjectEnvironment, removeProjectEnvironment } from './environments.ts';
import { ProjectEnvironmentBody } from './schemas.ts';

const listConnected = endpoint({
  operationId: 'getEnvironmentsOfProject',
  method: 'get',
  path: '/api/admin/projects/:projectId/environments',
  tag: 'Projects',
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The environments that a project has',
  params: Type.Object({ projectId: Type.String() }),
  responses: { 200: { description: 'The environments', schema: ProjectEnvironmentListSchema } },
  errors: [404],
  async handle({ params }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const environments = await presentProjectEnvironments(project, state);
    return ok({ version: 1, environments: environments.filter(({ visible }) => visible) });
  },
});

const connect = endpoint({
  operationId: 'addEnvironmentToProject',
  method: 'post',
  path: '/api/admin/projects/:projectId/environments',
  tag: 'Projects',
  access: { permission: 'UPDATE_PROJECT', project: 'path.projectId' },
  summary: 'Lets the flags of a project be switched in an environment',
  params: Type.Object({ projectId: Type.String() }),
  body: ProjectEnvironmentBody,
  responses: { 200: { description: 'Done' } },
  errors: [400, 404, 409],
  handle({ params: { projectId }, body: { environment }, caller }, services) {
    return change(services, caller, addProjectEnvironment, { project: projectId, environment });
  },
});

const disconnect = endpoint({
  operationId: 'removeEnvironmentFromProject',
  method: 'delete',
  path: '/api/admin/projects/:projectId/environments/:environment',
  tag: 'Projects',
  access: { permission: 'UPDATE_PROJECT', project: 'path.projectId' },
  summary: 'Takes an environment from a project, with what its flags have there, those that are on included',
  params: Type.Object({ projectId: Type.String(), environment: Type.String() }),
  responses: { 200: { description: 'Done' } },
  errors: [404],
  handle({ params: { projectId, environment }, caller }, services) {
    return change(services, caller, removeProjectEnvironment, { project: projectId, environment });
  },
});

export const projectEnvironmentEndpoints = [listConnected, connect, disconnect];
