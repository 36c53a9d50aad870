import type { ContextField } from '../../features/context-fields/context-field.ts';
import { FRONTEND_ORIGINS } from '../../features/instance/frontend-origins.ts';
import { ALL, type ApiToken, type ApiTokenType } from '../../model/api-token.ts';
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
 * What is not a flag, by kind, each as the body that Unleash's admin API takes to make it. Sorted, so that two exports of the same state are
 * the same files.
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
      strategy: { ...strategy, segments: strategy.segments.map((id) => state.get('segments', String(id))?.name ?? '') },
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

/** The strategies that every Unleash has: since 7 a new one does not begin with the others that are built in here. */
const STRATEGIES_OF_ALL: ReadonlySet<string> = new Set([
  'default',
  'flexibleRollout',
  'remoteAddress',
  'applicationHostname',
]);

/** Strategies that SDKs evaluate, that live flags use, and that a new Unleash does not have: it imports no flag with them until they are made there. */
export function formerStrategyTypes(state: State) {
  const used = new Set<string>();
  for (const { archived, environments } of state.values('features')) {
    if (archived) continue;
    for (const { strategies } of environments) for (const { name } of strategies) used.add(name);
  }
  for (const { strategy } of state.values('defaultStrategies')) used.add(strategy.name);
  return sorted(state.values('strategyTypes'), ({ name }) => name)
    .filter(({ name, editable }) => !editable && used.has(name) && !STRATEGIES_OF_ALL.has(name))
    .map(({ name, title, description, parameters }) => ({ name, title, description, parameters }));
}

/** Projects that are not archived, sorted. */
export function liveProjects(state: State): Project[] {
  return sorted(state.values('projects'), ({ id }) => id).filter(({ archivedAt }) => archivedAt === null);
}

/** Known users, sorted. */
export function people(state: State) {
  return sorted(state.values('users'), ({ id }) => String(id).padStart(16, '0')).filter(
    ({ accountType }) => accountType === 'User',
  );
}

function projectBody(project: Project) {
  const { id, name, description, mode, defaultStickiness, featureLimit, environments } = project;
  const { featureNaming, linkTemplates } = project;
  const supplied = { id, name, description, mode, defaultStickiness, featureLimit };
  return {
    ...supplied,
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

/** Lines of an environment file: with them Unleash, and Burgee, make the tokens with their secrets at a start. */
export function tokenVariables(state: State): string {
  const lines = Object.entries(TOKEN_VARIABLES).flatMap(([type, variable]) => {
    const secrets = Array.from(state.values('apiTokens'))
      .filter((token) => token.type === type && tokenProblem(token) === null)
      .map(({ secret }) => secret);
    return secrets.length === 0 ? [] : [`${variable}=${secrets.sort().join(',')}\n`];
  });
  return lines.join('');
}

/** Why such a variable cannot make the token; null when it can. */
export function tokenProblem({ secret, projects, environment, expiresAt, type }: ApiToken): string | null {
  if (isHashed(secret)) return 'only its hash is stored';
  if (expiresAt !== null) return 'it expires, and would not any more';
  const [project = ''] = projects;
  if (projects.length !== 1) return 'it is for several projects';
  const scope = type === 'admin' ? `${ALL}:${ALL}` : `${project}:${environment}`;
  if (!secret.startsWith(`${scope}.`)) return 'its text does not say what it is for';
  return /[\s,'"\\$`#]/.test(secret) ? 'its text cannot stand in such a list' : null;
}

function sorted<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Item[] {
  return Array.from(items, (item) => ({ item, key: keyOf(item) }))
    .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map(({ item }) => item);
}
