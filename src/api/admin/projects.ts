import Type from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import { Rejection } from '../../base/rejection.ts';
import { favoriteNames } from '../../commands/favorite.ts';
import { findProject } from '../../commands/lookup.ts';
import { createProject, deleteProject, projectIdProblem, updateProject } from '../../commands/project.ts';
import { created, listAnswer, ok } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import { change } from '../change.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { presentProject, presentProjectOverview, projectFields } from './present-project.ts';
import {
  CreateProjectBody,
  ProjectCreatedSchema,
  ProjectListSchema,
  ProjectOverviewSchema,
  UpdateProjectBody,
  ValidateProjectBody,
} from './project-schemas.ts';

const ProjectParams = Type.Object({ projectId: Type.String() });

const listProjects = endpoint({
  operationId: 'getProjects',
  method: 'get',
  path: '/api/admin/projects',
  tag: 'Projects',
  access: { permission: 'READ' },
  summary: 'Every project that the caller may see',
  responses: { 200: { description: 'The projects', schema: ProjectListSchema } },
  errors: [],
  handle({ caller }, { state }) {
    const favorites = favoriteNames(state, caller.user, 'project');
    const visible = visibleProjects(state, caller);
    const projects = [...state.values('projects')].filter(
      ({ id, archivedAt }) => archivedAt === null && visible.has(id),
    );
    return listAnswer({ version: 1 }, 'projects', projects, (project) => presentProject(project, state, favorites));
  },
});

const addProject = endpoint({
  operationId: 'createProject',
  method: 'post',
  path: '/api/admin/projects',
  tag: 'Projects',
  access: { permission: 'CREATE_PROJECT' },
  summary: 'Creates a project',
  body: CreateProjectBody,
  responses: {
    201: { description: 'The project', schema: ProjectCreatedSchema, headers: { location: 'Where it can be read' } },
  },
  errors: [400, 409],
  handle({ body, caller }, services) {
    const { id, name, description, mode, defaultStickiness, featureLimit, environments } = body;
    const input = { id, name, description, mode, defaultStickiness, featureLimit, environments };
    return change(services, caller, createProject, input, (project) =>
      created(
        { ...projectFields(project), environments: project.environments },
        `${services.config.basePath}/api/admin/projects/${project.id}`,
      ),
    );
  },
});

const validateProject = endpoint({
  operationId: 'validateProject',
  method: 'post',
  path: '/api/admin/projects/validate',
  tag: 'Projects',
  access: { permission: 'READ' },
  summary: 'Whether a project of this id could be created',
  body: ValidateProjectBody,
  responses: { 200: { description: 'It could', schema: Type.Object({ valid: Type.Literal(true) }) } },
  errors: [400, 409],
  handle: ({ body }, { state }) => projectIdProblem(state, body.id) ?? ok({ valid: true }),
});

interface OverviewRequest {
  readonly params: { readonly projectId: string };
  readonly caller: Caller;
}

async function overview({ params, caller }: OverviewRequest, { state }: Services) {
  const project = findProject(state, params.projectId);
  if (project instanceof Rejection) return project;
  return ok(await presentProjectOverview(project, state, favoriteNames(state, caller.user, 'project')));
}

const getProjectOverview = endpoint({
  operationId: 'getProjectOverview',
  method: 'get',
  path: '/api/admin/projects/:projectId/overview',
  tag: 'Projects',
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'One project with figures about its flags',
  params: ProjectParams,
  responses: { 200: { description: 'The project', schema: ProjectOverviewSchema } },
  errors: [404],
  handle: overview,
});

const getProject = endpoint({
  operationId: 'getProject',
  method: 'get',
  path: '/api/admin/projects/:projectId',
  tag: 'Projects',
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The same as its overview',
  params: ProjectParams,
  responses: { 200: { description: 'The project', schema: ProjectOverviewSchema } },
  errors: [404],
  handle: overview,
});

const changeProject = endpoint({
  operationId: 'updateProject',
  method: 'put',
  path: '/api/admin/projects/:projectId',
  tag: 'Projects',
  access: { permission: 'UPDATE_PROJECT', project: 'path.projectId' },
  summary: 'Changes the given properties of a project',
  params: ProjectParams,
  body: UpdateProjectBody,
  responses: { 200: { description: 'Done' } },
  errors: [400, 404],
  handle({ params, body, caller }, services) {
    const { name, description, mode, defaultStickiness, featureLimit } = body;
    const input = { id: params.projectId, name, description, mode, defaultStickiness, featureLimit };
    return change(services, caller, updateProject, input);
  },
});

const removeProject = endpoint({
  operationId: 'deleteProject',
  method: 'delete',
  path: '/api/admin/projects/:projectId',
  tag: 'Projects',
  access: { permission: 'DELETE_PROJECT', project: 'path.projectId' },
  summary: 'Deletes a project whose flags are all archived, with those flags and its segments',
  params: ProjectParams,
  responses: { 200: { description: 'It is gone' } },
  errors: [400, 404, 409],
  handle: ({ params: { projectId: id }, caller }, services) => change(services, caller, deleteProject, { id }),
});

export const projectEndpoints = [
  listProjects,
  addProject,
  validateProject,
  getProjectOverview,
  getProject,
  changeProject,
  removeProject,
];
