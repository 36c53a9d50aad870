import Type, { type Static } from 'typebox';
import { isoTime } from '../../base/clock.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import { created, listAnswer } from '../../http/answer.ts';
import { createdResponses } from '../../http/endpoint.ts';
import { ALL, type ApiToken, type ApiTokenType } from '../../model/api-token.ts';
import type { Caller } from '../../model/caller.ts';
import { normalProjects } from '../../model/project-list.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { findProject } from '../shared/lookup.ts';
import { type CreateApiTokenInput, createApiToken, deleteApiToken, tokenProblem, updateApiToken } from './commands.ts';
import { presentApiToken } from './present.ts';
import { ApiTokenListSchema, ApiTokenSchema, CreateApiTokenBody, UpdateApiTokenBody } from './schemas.ts';
import { newSecret } from './secret.ts';

const apiTokensRoute = routesOf('API tokens');
const projectsRoute = routesOf('Projects');

/**
 * Yields the tokens that the caller may read and for which `isWanted` is true. Yields undefined for each other token, so that many of them in a row
 * do not block the event loop.
 */
function* readableTokens(
  state: StateReader,
  caller: Caller,
  isWanted: (token: ApiToken) => boolean = () => true,
): Iterable<ApiToken | undefined> {
  for (const token of state.values('apiTokens')) {
    const isListed = isWanted(token) && tokenProblem({ draft: state, caller }, 'READ', token) === undefined;
    yield isListed ? token : undefined;
  }
}

const listTokens = apiTokensRoute('GET /api/admin/api-tokens', 'getAllApiTokens', {
  access: { permission: ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'] },
  summary: 'Every token that the caller may read, with its secret or, if secrets are hashed, its handle',
  hasSecrets: true,
  responses: { 200: { description: 'The tokens', schema: ApiTokenListSchema } },
  handle: ({ caller, asker }, { fixedStates }) =>
    listAnswer({}, 'tokens', readableTokens(fixedStates.until(asker), caller), (token) => presentApiToken(token)),
});

const getTokensByName = apiTokensRoute('GET /api/admin/api-tokens/:token', 'getApiTokensByName', {
  access: { permission: ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'] },
  summary: 'The tokens with a name',
  hasSecrets: true,
  // The parameter has the same name as in the routes that change a token: OpenAPI requires one name for a parameter in all operations of a path.
  params: { token: Type.String({ description: 'The name of the tokens' }) },
  responses: { 200: { description: 'The tokens; empty if no token has this name', schema: ApiTokenListSchema } },
  neverMissing: true,
  handle({ params, caller, asker }, { fixedStates }) {
    const tokens = readableTokens(fixedStates.until(asker), caller, ({ tokenName }) => tokenName === params.token);
    return listAnswer({}, 'tokens', tokens, (token) => presentApiToken(token));
  },
});

const getTokensOfProject = projectsRoute('GET /api/admin/projects/:projectId/api-tokens', 'getProjectApiTokens', {
  access: { permission: 'READ_PROJECT_API_TOKEN', project: 'path.projectId' },
  summary:
    'The tokens for a project, without tokens for all projects. A token for several projects is included if the caller may read it in all of them',
  hasSecrets: true,
  responses: { 200: { description: 'The tokens', schema: ApiTokenListSchema } },
  handle({ params, caller, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const tokens = readableTokens(state, caller, ({ projects }) => projects.includes(project.id));
    return listAnswer({}, 'tokens', tokens, (token) => presentApiToken(token));
  },
});

const createToken = apiTokensRoute('POST /api/admin/api-tokens', 'createApiToken', {
  access: { permission: ['CREATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'], project: 'body.projects' },
  summary: 'Creates a token',
  description:
    'A token has access to one environment (default: `development`) and to the specified projects (default: all). Admin tokens cannot be ' +
    'created with this operation: users have personal access tokens, machines have service accounts.',
  hasSecrets: true,
  body: CreateApiTokenBody,
  responses: createdResponses('The token', ApiTokenSchema, 'Path at which the token can be read'),
  errors: [409],
  handle: ({ body, caller }, services) => create(services, caller, tokenInput(body)),
});

function create(services: Services, caller: Caller, input: CreateApiTokenInput | Rejection) {
  if (input instanceof Rejection) return input;
  return change(services, caller, createApiToken, input, (token) => {
    const location = `${services.config.basePath}/api/admin/api-tokens/${encodeURIComponent(token.tokenName)}`;
    // Only this answer contains the text of the token if the stored form is a hash.
    return created(presentApiToken(token, input.secret), location);
  });
}

const createTokenOfProject = projectsRoute('POST /api/admin/projects/:projectId/api-tokens', 'createProjectApiToken', {
  access: {
    permission: ['CREATE_PROJECT_API_TOKEN', 'CREATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'],
    project: 'path.projectId',
  },
  summary: 'Creates a client or frontend token for this project only',
  hasSecrets: true,
  body: CreateApiTokenBody,
  responses: createdResponses('The token', ApiTokenSchema, 'Path at which the token can be read'),
  errors: [409],
  handle({ params, body, caller }, services) {
    const project = findProject(services.state, params.projectId);
    if (project instanceof Rejection) return project;
    if ((body.projects ?? [body.project ?? project.id]).some((id) => id !== project.id))
      return invalid(
        `This operation creates tokens for the project ${project.id} only: leave out the other projects.`,
        '/projects',
      );
    const { project: _project, ...rest } = body;
    return create(services, caller, tokenInput({ ...rest, projects: [project.id] }));
  },
});

const removeTokenOfProject = projectsRoute(
  'DELETE /api/admin/projects/:projectId/api-tokens/:token',
  'deleteProjectApiToken',
  {
    access: {
      permission: ['DELETE_PROJECT_API_TOKEN', 'DELETE_CLIENT_API_TOKEN', 'DELETE_FRONTEND_API_TOKEN'],
      project: 'path.projectId',
    },
    summary:
      'Deletes a token of this project. If the token has other projects, the caller also needs the permission in them',
    params: { token: Type.String({ description: 'The secret or, if secrets are hashed, the handle that lists show' }) },
    responses: { 200: { description: 'The token was deleted' } },
    handle({ params, caller }, services) {
      const project = findProject(services.state, params.projectId);
      if (project instanceof Rejection) return project;
      return change(services, caller, deleteApiToken, { secret: params.token, project: project.id });
    },
  },
);

/** The default environment of a new token. */
const DEFAULT_ENVIRONMENT = 'development';

function tokenInput(body: Static<typeof CreateApiTokenBody>): CreateApiTokenInput | Rejection {
  const tokenName = body.tokenName ?? body.username;
  if (tokenName === undefined) return invalid('A token needs a tokenName.', '/tokenName');
  if (body.project !== undefined && body.projects !== undefined) {
    return invalid('Specify either project or projects, not both.', '/project');
  }
  const typeName = body.type.toLowerCase();
  const isBackend = typeName === 'backend';
  const type = (isBackend ? 'client' : typeName) as ApiTokenType;
  const environment = body.environment ?? (type === 'admin' ? ALL : DEFAULT_ENVIRONMENT);
  const projects = normalProjects(body.projects ?? [body.project ?? ALL]);
  const expiresAt = storedExpiry(body.expiresAt);
  const secret = newSecret(projects, environment);
  return { type, tokenName, environment, projects, expiresAt, secret, ...(isBackend && { isBackend }) };
}

/** Converts the time, which may have any time zone, to the format of stored times. */
function storedExpiry(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : isoTime(Date.parse(text));
}

const TokenParams = {
  token: Type.String({ description: 'The secret or, if secrets are hashed, the handle that lists show' }),
};

const changeToken = apiTokensRoute('PUT /api/admin/api-tokens/:token', 'updateApiToken', {
  access: { permission: ['UPDATE_CLIENT_API_TOKEN', 'UPDATE_FRONTEND_API_TOKEN'], project: 'entity.apiTokens' },
  summary: 'Changes the expiry of a token; does nothing if the token does not exist',
  params: TokenParams,
  body: UpdateApiTokenBody,
  neverMissing: true,
  handle: ({ params, body, caller }, services) =>
    change(services, caller, updateApiToken, { secret: params.token, expiresAt: storedExpiry(body.expiresAt) }),
});

const removeToken = apiTokensRoute('DELETE /api/admin/api-tokens/:token', 'deleteApiToken', {
  access: { permission: ['DELETE_CLIENT_API_TOKEN', 'DELETE_FRONTEND_API_TOKEN'], project: 'entity.apiTokens' },
  summary: 'Deletes a token, if it exists. The next request with this token is refused',
  params: TokenParams,
  responses: { 200: { description: 'The token was deleted' } },
  neverMissing: true,
  handle: ({ params, caller }, services) => change(services, caller, deleteApiToken, { secret: params.token }),
});

export const apiTokenEndpoints = [
  listTokens,
  getTokensByName,
  getTokensOfProject,
  createTokenOfProject,
  removeTokenOfProject,
  createToken,
  changeToken,
  removeToken,
];
