import { explicitParameters } from '../../features/flags/strategies/validate.ts';
import { FRONTEND_ORIGINS } from '../../features/instance/frontend-origins.ts';
import { ALL, type ApiToken, type ApiTokenType } from '../../model/api-token.ts';
import type { ContextField } from '../../model/context-field.ts';
import type { Project } from '../../model/project.ts';
import { ROLE_ID } from '../../model/role.ts';
import { isHashed } from '../../model/token-secret.ts';
import type { State } from '../../state/state.ts';

/** Root roles that every Unleash has, by their ids in Burgee. */
export const COMMON_ROLES: ReadonlyMap<number, string> = new Map([
  [ROLE_ID.admin, 'Admin'],
  [ROLE_ID.editor, 'Editor'],
  [ROLE_ID.viewer, 'Viewer'],
]);

/**
 * All exported objects except flags, by kind. Each object is the request body with which Unleash's admin API creates it. The objects are sorted, so
 * two exports of the same state have the same files.
 */
export function unleashDocuments(state: State) {
  return {
    environments: sorted(state.values('environments'), ({ name }) => name).map(
      ({ name, type, enabled, sortOrder, protected: isProtected }) => ({
        name,
        type,
        enabled,
        sortOrder,
        protected: isProtected,
      }),
    ),
    projects: liveProjects(state).map(projectBody),
    contextFields: sorted(state.values('contextFields'), ({ name }) => name).map(contextFieldBody),
    tagTypes: sorted(state.values('tagTypes'), ({ name }) => name),
    tags: sorted(state.values('tags'), ({ type, value }) => `${type}:${value}`),
    strategyTypes: sorted(state.values('strategyTypes'), ({ name }) => name)
      .filter(({ editable }) => editable)
      .map(({ name, title, description, deprecated, parameters }) => ({
        name,
        title,
        description,
        deprecated,
        parameters,
      })),
    formerStrategyTypes: formerStrategyTypes(state),
    segments: sorted(state.values('segments'), ({ name }) => name).map(
      ({ name, description, project, constraints }) => ({ name, description, project, constraints }),
    ),
    defaultStrategies: sorted(
      state.values('defaultStrategies'),
      ({ project, environment }) => `${project}/${environment}`,
    ).map(({ project, environment, strategy }) => ({
      project,
      environment,
      strategy: {
        ...strategy,
        parameters: explicitParameters(strategy, ''),
        segments: strategy.segments.map((id) => state.get('segments', String(id))?.name ?? ''),
      },
    })),
    featureTypes: sorted(state.values('featureTypes'), ({ id }) => id),
    users: people(state).map(({ name, email, username, rootRole }) => ({
      name,
      email,
      username,
      rootRole: COMMON_ROLES.get(rootRole) ?? 'Viewer',
    })),
    frontendOrigins: JSON.parse(state.get('settings', FRONTEND_ORIGINS)?.value ?? '[]') as readonly string[],
  };
}

export type UnleashDocuments = ReturnType<typeof unleashDocuments>;

/** The built-in strategies that every Unleash has. A new Unleash 7 or later does not have the other built-in strategies of Burgee. */
const STRATEGIES_IN_UNLEASH: ReadonlySet<string> = new Set([
  'default',
  'flexibleRollout',
  'remoteAddress',
  'applicationHostname',
]);

/**
 * Built-in strategies that flags or default strategies use and that a new Unleash does not have. SDKs can evaluate them. Unleash refuses a flag
 * that uses one of them until the strategy is created there.
 */
export function formerStrategyTypes(state: State) {
  const used = new Set<string>();
  for (const { archived, environments } of state.values('features')) {
    if (archived) continue;
    for (const { strategies } of environments) for (const { name } of strategies) used.add(name);
  }
  for (const { strategy } of state.values('defaultStrategies')) used.add(strategy.name);
  return sorted(state.values('strategyTypes'), ({ name }) => name)
    .filter(({ name, editable }) => !editable && used.has(name) && !STRATEGIES_IN_UNLEASH.has(name))
    .map(({ name, title, description, parameters }) => ({ name, title, description, parameters }));
}

/** Projects that are not archived, sorted by id. */
export function liveProjects(state: State): Project[] {
  return sorted(state.values('projects'), ({ id }) => id).filter(({ archivedAt }) => archivedAt === null);
}

/** Users without service accounts, sorted by id. */
export function people(state: State) {
  return sorted(state.values('users'), ({ id }) => String(id).padStart(16, '0')).filter(
    ({ accountType }) => accountType === 'User',
  );
}

function projectBody(project: Project) {
  const { id, name, description, mode, defaultStickiness, featureLimit, environments } = project;
  const { featureNaming, linkTemplates } = project;
  const plainFields = { id, name, description, mode, defaultStickiness, featureLimit };
  return {
    ...plainFields,
    environments: [...environments].sort(),
    ...(featureNaming && { featureNaming }),
    ...(linkTemplates && { linkTemplates }),
  };
}

function contextFieldBody({ name, description, stickiness, sortOrder, legalValues, project }: ContextField) {
  return { name, description, stickiness, sortOrder, legalValues, ...(project !== undefined && { project }) };
}

const TOKEN_VARIABLES: Readonly<Record<ApiTokenType, string>> = {
  admin: 'INIT_ADMIN_API_TOKENS',
  client: 'INIT_CLIENT_API_TOKENS',
  frontend: 'INIT_FRONTEND_API_TOKENS',
};

/** Lines of an environment file. An Unleash or a Burgee that starts with these variables creates the tokens with the same secrets. */
export function tokenVariables(state: State): string {
  const lines = Object.entries(TOKEN_VARIABLES).flatMap(([type, variable]) => {
    const secrets = Array.from(state.values('apiTokens'))
      .filter((token) => token.type === type && tokenProblem(token) === null)
      .map(({ secret }) => secret);
    return secrets.length === 0 ? [] : [`${variable}=${secrets.sort().join(',')}\n`];
  });
  return lines.join('');
}

/** The reason why a variable of an environment file cannot create the token, as text for users; null if it can. */
export function tokenProblem({ secret, projects, environment, expiresAt, type }: ApiToken): string | null {
  if (isHashed(secret)) return 'only its hash is stored';
  if (expiresAt !== null) return 'it expires, but a token that is created from a variable never expires';
  const [project = ''] = projects;
  if (projects.length !== 1) return 'it is for several projects';
  const scope = type === 'admin' ? `${ALL}:${ALL}` : `${project}:${environment}`;
  if (!secret.startsWith(`${scope}.`)) return 'its text does not contain its project and environment';
  return /[\s,'"\\$`#]/.test(secret) ? 'its text contains a character that a variable cannot contain' : null;
}

function sorted<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Item[] {
  return Array.from(items, (item) => ({ item, key: keyOf(item) }))
    .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map(({ item }) => item);
}
