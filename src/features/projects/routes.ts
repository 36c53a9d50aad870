import Type, { type Static } from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { convertedInSteps } from '../../base/converted.ts';
import { Rejection } from '../../base/rejection.ts';
import { created, done, listPieces, ok } from '../../http/answer.ts';
import { createdResponses } from '../../http/endpoint.ts';
import type { Caller } from '../../model/caller.ts';
import type { Project } from '../../model/project.ts';
import { SentStrategy } from '../../model/strategy.ts';
import { routesOf } from '../endpoint.ts';
import { DefaultStrategySchema } from '../environments/schemas.ts';
import { favoriteNames } from '../flags/favorites/commands.ts';
import { strategyInput } from '../flags/strategies/routes.ts';
import { withPast } from '../past/with-past.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { findProject } from '../shared/lookup.ts';
import { readingStore } from '../shared/reading-store.ts';
import {
  archiveProject,
  createProject,
  deleteProject,
  projectIdProblem,
  reviveProject,
  updateProject,
} from './commands.ts';
import { setDefaultStrategy } from './default-strategy.ts';
import { type ListedProject, listedProjects, presentProjectOverview, projectFields, projectPieces } from './present.ts';
import {
  CreateProjectBody,
  ProjectCreatedSchema,
  ProjectListSchema,
  ProjectOverviewSchema,
  UpdateProjectBody,
  UpdateProjectSettingsBody,
  ValidateProjectBody,
} from './schemas.ts';

const route = routesOf('Projects');

const listProjects = route('GET /api/admin/projects', 'getProjects', {
  access: { permission: 'READ' },
  summary: 'Every project that the caller may see',
  query: Type.Object({
    archived: Type.Optional(
      Type.Boolean({ description: 'true: only archived projects; otherwise only projects that are not archived' }),
    ),
  }),
  responses: { 200: { description: 'The projects', schema: ProjectListSchema } },
  async handle({ caller, query, asker }, services) {
    const state = services.fixedStates.until(asker);
    const visible = visibleProjects(state, caller);
    const isWanted = ({ id, archivedAt }: Project) =>
      (archivedAt !== null) === (query.archived === true) && visible.has(id);
    return readingStore(async () => {
      const listed = await listedProjects(
        [...state.values('projects')].filter(isWanted),
        { ...services, state },
        asker,
      );
      const favorites = favoriteNames(state, caller.user, 'project');
      const present = (one: ListedProject) => projectPieces(one, state, favorites);
      return { status: 200, pieces: listPieces({ version: 1 }, [['projects', listed, present]]) };
    });
  },
});

const addProject = route('POST /api/admin/projects', 'createProject', {
  access: { permission: 'CREATE_PROJECT' },
  summary: 'Creates a project',
  body: CreateProjectBody,
  responses: createdResponses('The project', ProjectCreatedSchema),
  errors: [409],
  handle({ body, caller }, services) {
    const { id, environments } = body;
    const input = { id, environments, ...settingsOf(body), name: body.name };
    return change(services, caller, createProject, input, (project) =>
      created(
        // A missing description is left out, because Unleash's Terraform provider fails if it is null.
        {
          ...projectFields(project),
          description: project.description ?? undefined,
          environments: project.environments,
        },
        `${services.config.basePath}/api/admin/projects/${project.id}`,
      ),
    );
  },
});

const validateProject = route('POST /api/admin/projects/validate', 'validateProject', {
  access: { permission: 'READ' },
  summary: 'Checks whether a project with this id could be created',
  body: ValidateProjectBody,
  responses: {
    200: { description: 'The project could be created', schema: Type.Object({ valid: Type.Literal(true) }) },
  },
  errors: [409],
  handle: ({ body }, { state }) => projectIdProblem(state, body.id) ?? ok({ valid: true }),
});

interface OverviewRequest {
  readonly params: { readonly projectId: string };
  readonly caller: Caller;
  readonly asker: Asker;
}

async function getOverview({ params, caller, asker }: OverviewRequest, services: Services) {
  const state = services.fixedStates.until(asker);
  const project = findProject(state, params.projectId);
  if (project instanceof Rejection) return project;
  const favorites = favoriteNames(state, caller.user, 'project');
  return readingStore(async () => ok(await presentProjectOverview(project, { ...services, state }, favorites, asker)));
}

const getProjectOverview = route('GET /api/admin/projects/:projectId/overview', 'getProjectOverview', {
  access: { permission: 'READ', project: 'path.projectId' },
  edits: 'project',
  summary: 'One project with statistics of its flags',
  responses: { 200: { description: 'The project', schema: ProjectOverviewSchema } },
  handle: getOverview,
});

const getProject = route('GET /api/admin/projects/:projectId', 'getProject', {
  access: { permission: 'READ', project: 'path.projectId' },
  edits: 'project',
  summary: 'One project with statistics of its flags: the same answer as `getProjectOverview`',
  responses: { 200: { description: 'The project', schema: ProjectOverviewSchema } },
  handle: getOverview,
});

/** Returns the properties of a body that the command accepts. */
function settingsOf(body: Static<typeof UpdateProjectBody>): Static<typeof UpdateProjectBody> {
  const { name, description, mode, defaultStickiness, featureLimit, featureNaming, linkTemplates } = body;
  return { name, description, mode, defaultStickiness, featureLimit, featureNaming, linkTemplates };
}

const changeProjectSettings = route('PUT /api/admin/projects/:projectId/settings', 'updateProjectEnterpriseSettings', {
  access: { permission: ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'], project: 'path.projectId' },
  edits: 'project',
  summary: 'Changes who may see a project, the rule for the names of new flags, and the links that new flags get',
  body: UpdateProjectSettingsBody,
  handle: ({ params, body: { mode, featureNaming, linkTemplates }, caller }, services) =>
    change(services, caller, updateProject, { id: params.projectId, mode, featureNaming, linkTemplates }),
});

const setProjectDefaultStrategy = route(
  'POST /api/admin/projects/:projectId/environments/:environment/default-strategy',
  'addDefaultStrategyToProjectEnvironment',
  {
    access: { permission: ['UPDATE_PROJECT', 'PROJECT_DEFAULT_STRATEGY_WRITE'], project: 'path.projectId' },
    summary:
      'Sets the strategy that flags of a project get when they are switched on in an environment without a strategy',
    body: SentStrategy,
    mend: convertedInSteps,
    responses: { 200: { description: 'The strategy', schema: DefaultStrategySchema } },
    handle({ params: { projectId: project, environment }, body, caller }, services) {
      const strategy = { ...strategyInput(body), name: body.name };
      return change(services, caller, setDefaultStrategy, { project, environment, strategy }, (stored) => ok(stored));
    },
  },
);

const archiveProjectRoute = route('POST /api/admin/projects/archive/:projectId', 'archiveProject', {
  access: { permission: 'DELETE_PROJECT', project: 'path.projectId' },
  edits: 'project',
  summary: 'Archives a project whose flags are all archived: it cannot be found until it is revived',
  responses: { 202: { description: 'The project is archived' } },
  errors: [409],
  handle: ({ params: { projectId: id }, caller }, services) =>
    change(services, caller, archiveProject, { id }, () => done(202)),
});

const reviveProjectRoute = route('POST /api/admin/projects/revive/:projectId', 'reviveProject', {
  access: { permission: ['CREATE_PROJECT', 'DELETE_PROJECT'], project: 'path.projectId' },
  edits: 'project',
  summary: 'Takes a project out of the archive; its flags stay archived',
  responses: { 202: { description: 'The project was revived' } },
  handle: ({ params: { projectId: id }, caller }, services) =>
    change(services, caller, reviveProject, { id }, () => done(202)),
});

const changeProject = route('PUT /api/admin/projects/:projectId', 'updateProject', {
  access: { permission: 'UPDATE_PROJECT', project: 'path.projectId' },
  edits: 'project',
  summary: 'Changes the specified properties of a project',
  body: UpdateProjectBody,
  handle: ({ params, body, caller }, services) =>
    change(services, caller, updateProject, { id: params.projectId, ...settingsOf(body) }),
});

const removeProject = route('DELETE /api/admin/projects/:projectId', 'deleteProject', {
  access: { permission: 'DELETE_PROJECT', project: 'path.projectId' },
  edits: 'project',
  summary: 'Deletes a project whose flags are all archived, with its flags, segments and context fields',
  responses: { 200: { description: 'The project was deleted' } },
  errors: [409],
  handle: ({ params: { projectId: id }, caller }, services) => change(services, caller, deleteProject, { id }),
});

export const projectEndpoints = [
  listProjects,
  addProject,
  validateProject,
  // The statistics of flags are those of now: only the project itself is read from the past.
  withPast(getProjectOverview, 'none'),
  withPast(getProject, 'none'),
  changeProject,
  changeProjectSettings,
  setProjectDefaultStrategy,
  archiveProjectRoute,
  reviveProjectRoute,
  removeProject,
];
