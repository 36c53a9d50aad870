import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { findProject } from '../../commands/lookup.ts';
import { addProjectEnvironment, removeProjectEnvironment } from '../../commands/project-environment.ts';
import { done, ok, written } from '../../http/answer.ts';
import { change } from '../change.ts';
import { endpoint } from '../endpoint.ts';
import { ProjectEnvironmentListSchema } from './environment-schemas.ts';
import { forgetEnvironment } from './forget-environment.ts';
import { presentProjectEnvironments } from './present-environment.ts';
import { ProjectEnvironmentBody } from './project-schemas.ts';

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
  async handle({ params: { projectId }, body: { environment }, caller }, services) {
    const input = { project: projectId, environment };
    if (!services.state.get('projects', projectId)?.environments.includes(environment)) {
      // What an interrupted removal left behind must not come back.
      const problem = await forgetEnvironment(services, projectId, environment, caller.author);
      if (problem) return problem;
    }
    return change(services, caller, addProjectEnvironment, input);
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
  async handle({ params: { projectId, environment }, caller }, services) {
    const input = { project: projectId, environment };
    const outcome = await services.writer.submit(removeProjectEnvironment, input, caller);
    if (outcome instanceof Rejection) return outcome;
    // It is gone already; what a failure here leaves behind is invisible and removed before the environment is added again.
    await forgetEnvironment(services, projectId, environment, caller.author);
    return written(outcome, () => done());
  },
});

export const projectEnvironmentEndpoints = [listConnected, connect, disconnect];
