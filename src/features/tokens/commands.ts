import Type, { type Static } from 'typebox';
import { type CallerInState, permissionProblem } from '../../access/permission-problem.ts';
import { conflict, invalid, notFound, type Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import { ALL, ApiToken } from '../../model/api-token.ts';
import type { Caller } from '../../model/caller.ts';
import { PROJECT_LIMITS } from '../../model/limits/projects.ts';
import { NameReference, URL_SAFE_CHARACTERS } from '../../model/primitives.ts';
import { normalProjects } from '../../model/project-list.ts';
import { hashedSecret, isHashed, TOKEN_LENGTH_MAX } from '../../model/token-secret.ts';
import { TokenUse } from '../../model/token-use.ts';
import type { StateReader } from '../../state/collections.ts';
import { hashesSecrets, SECRETS_SETTING } from '../../state/dropped-secrets.ts';
import { writtenFields } from '../shared/entity-fields.ts';

const Secret = Type.String({ maxLength: TOKEN_LENGTH_MAX, description: 'The whole text of the token' });

/** The text or the handle with which a client of the admin API names a token. */
const TextOrHandle = Type.String({
  description: 'The whole text of the token or, if secrets are hashed, the handle that lists show',
});

const TOO_LONG = `A token has at most ${TOKEN_LENGTH_MAX} characters.`;

/** Returns the stored form of a token's text, which is also the key of the token. */
function storedSecret(reader: StateReader, text: string): string {
  return hashesSecrets(reader) ? hashedSecret(text) : text;
}

/** Returns the token with this text. */
export function tokenOfText(reader: StateReader, text: string): ApiToken | undefined {
  return reader.get('apiTokens', storedSecret(reader, text));
}

/** Returns the token that a client of the admin API names: by its text or, if secrets are hashed, by the handle that lists show. */
export function findToken(reader: StateReader, textOrHandle: string): ApiToken | undefined {
  return (
    tokenOfText(reader, textOrHandle) ?? (isHashed(textOrHandle) ? reader.get('apiTokens', textOrHandle) : undefined)
  );
}

/** Replaces all stored secrets by hashes, and has later secrets stored as hashes. The operator must erase secrets in the log and in old snapshots. */
export function hashSecrets({ draft, emit }: CommandContext): Rejection | undefined {
  for (const token of [...draft.values('apiTokens')]) {
    if (token.secret.length > TOKEN_LENGTH_MAX) {
      return invalid(`The ${token.type} token ${token.tokenName} is too long to be hashed: ${TOO_LONG}`);
    }
    // The hashed token is stored before the old token is removed, so that the scope always has a token and keeps its caches.
    draft.put('apiTokens', { ...token, secret: hashedSecret(token.secret), alias: null });
    draft.remove('apiTokens', token.secret);
  }
  const setting = { name: SECRETS_SETTING, value: 'hashed' };
  draft.put('settings', setting);
  emit({ type: 'setting-updated', data: setting });
  return undefined;
}

export const CreateApiTokenInput = Type.Object({
  ...writtenFields(ApiToken, 'type', 'tokenName', 'environment', 'expiresAt', 'alias?'),
  projects: Type.Array(NameReference, { maxItems: PROJECT_LIMITS.projects.max }),
  /** Generated outside the command, because commands contain no randomness. */
  secret: Secret,
  isBackend: Type.Optional(
    Type.Boolean({ description: 'Only for client tokens: whether answers show the type as `backend`' }),
  ),
});
export type CreateApiTokenInput = Static<typeof CreateApiTokenInput>;

/**
 * Creates a token. Returns the token with the stored form of its secret. The secret must be unique, but several tokens may have the same name. The
 * environment and the projects must exist. Only the service itself creates admin tokens, from its environment variables. Users have personal tokens
 * and machines have service accounts instead, because roles limit the permissions of both.
 */
export const createApiToken = command({
  name: 'create-api-token',
  input: CreateApiTokenInput,
  decide: addToken,
});

/** Decides `createApiToken`. Commands that create several tokens call it for each of them. */
export function addToken(
  { draft, caller, now, emit }: CommandContext,
  input: CreateApiTokenInput,
): ApiToken | Rejection {
  const problem =
    tokenProblem({ draft, caller }, 'CREATE', input) ?? adminProblem(caller, input) ?? scopeProblem(draft, input);
  if (problem) return problem;
  if (input.secret.length > TOKEN_LENGTH_MAX) return invalid(TOO_LONG);
  if (isHashed(input.secret)) return invalid('This is the handle of a token, not the text of one.');
  if (tokenOfText(draft, input.secret)) return conflict('A token with this secret already exists.');
  const token: ApiToken = {
    secret: storedSecret(draft, input.secret),
    tokenName: input.tokenName,
    type: input.type,
    ...(input.type === 'client' && input.isBackend === true && { isBackend: true as const }),
    environment: input.environment,
    projects: normalProjects(input.projects),
    createdAt: now,
    expiresAt: input.expiresAt,
    seenAt: null,
    alias: hashesSecrets(draft) ? null : (input.alias ?? null),
  };
  draft.put('apiTokens', token);
  emit({ type: 'api-token-created', ...eventScope(token), data: withoutSecret(token) });
  return token;
}

/** The fields of a token that decide who may read or change it. */
type GuardedToken = Pick<ApiToken, 'type' | 'projects'>;

/**
 * Returns a rejection if the caller may not perform `verb` on such a token; otherwise undefined. The caller needs the permission in every project of
 * the token, or in the whole instance. Reading also needs a permission, because a caller who reads the secret of a token can use the token.
 */
export function tokenProblem(
  context: CallerInState,
  verb: 'READ' | 'CREATE' | 'UPDATE' | 'DELETE',
  { type, projects }: GuardedToken,
): Rejection | undefined {
  if (type === 'admin') return permissionProblem(context, ['ADMIN'], null);
  const permission =
    type === 'client' ? (`${verb}_CLIENT_API_TOKEN` as const) : (`${verb}_FRONTEND_API_TOKEN` as const);
  if (projects.includes(ALL) || verb === 'UPDATE') return permissionProblem(context, [permission], null);
  for (const project of projects) {
    const problem = permissionProblem(context, [permission, `${verb}_PROJECT_API_TOKEN`], project);
    if (problem) return problem;
  }
  return undefined;
}

/** Returns a rejection if a caller other than the service itself creates an admin token. */
function adminProblem({ kind }: Caller, { type }: GuardedToken): Rejection | undefined {
  if (type !== 'admin' || kind === 'system') return undefined;
  return invalid(
    'Admin tokens cannot be created with the API: create a personal access token, or a service account with a token. ' +
      'INIT_ADMIN_API_TOKENS creates them when the service starts.',
    '/type',
  );
}

type NameInScope = Pick<CreateApiTokenInput, 'type' | 'tokenName' | 'environment'>;

/** Whether a token of the same type and environment already has the name. */
export function isTokenNameTaken(reader: StateReader, { type, tokenName, environment }: NameInScope): boolean {
  for (const token of reader.lookup('tokensByName', tokenName)) {
    if (token.type === type && token.environment === environment) return true;
  }
  return false;
}

/** Returns a rejection if a token may not have the scope. */
export function scopeProblem(
  reader: StateReader,
  { type, environment, projects }: CreateApiTokenInput,
): Rejection | undefined {
  if (type === 'admin') {
    if (environment !== ALL || !projects.includes(ALL))
      return invalid(
        'An admin token must be for all projects and all environments: specify * for both.',
        '/environment',
      );
    return undefined;
  }
  if (environment === ALL) return invalid(`A ${type} token must be for one environment, not for all.`, '/environment');
  if (!reader.get('environments', environment))
    return invalid(`The environment ${environment} does not exist.`, '/environment');
  if (projects.length === 0) return invalid('A token needs at least one project, or * for all projects.', '/projects');
  for (const project of projects) {
    if (project !== ALL && reader.get('projects', project)?.archivedAt !== null)
      return invalid(`The project ${project} does not exist.`, '/projects');
  }
  return undefined;
}

/**
 * Returns the result for a token that does not exist. It is undefined if the caller has the permission for tokens of the whole instance: such callers
 * can repeat the deletion of a list of tokens without an error. Other callers get a rejection.
 */
function missingTokenProblem(context: CallerInState, verb: 'UPDATE' | 'DELETE'): Rejection | undefined {
  return permissionProblem(context, [`${verb}_CLIENT_API_TOKEN`, `${verb}_FRONTEND_API_TOKEN`], null);
}

/** Changes the expiry of a token; null removes the expiry. */
export const updateApiToken = command({
  name: 'update-api-token',
  input: Type.Object({ secret: TextOrHandle, ...writtenFields(ApiToken, 'expiresAt') }),
  decide(context, input) {
    const before = findToken(context.draft, input.secret);
    if (!before) return missingTokenProblem(context, 'UPDATE');
    const problem = tokenProblem(context, 'UPDATE', before);
    if (problem) return problem;
    return replace(context, before, { ...before, expiresAt: input.expiresAt });
  },
});

export const deleteApiToken = command({
  name: 'delete-api-token',
  /** If `project` is set, the command finds only a token for that project. */
  input: Type.Object({ secret: TextOrHandle, project: Type.Optional(NameReference) }),
  decide(context, { secret, project }) {
    const token = findToken(context.draft, secret);
    if (project !== undefined && !token?.projects.includes(project)) return notFound('The token does not exist.');
    if (!token) return missingTokenProblem(context, 'DELETE');
    const problem = tokenProblem(context, 'DELETE', token);
    if (problem) return problem;
    remove(context, token);
    return undefined;
  },
});

/** Deletes the tokens of an environment that is being deleted. */
export function* removeTokensOfEnvironment(context: CommandContext, environment: string): Steps<void> {
  for (const token of [...context.draft.lookup('tokensByEnvironment', environment)]) {
    remove(context, token);
    yield;
  }
}

/**
 * Removes a project that is being deleted from all tokens. Otherwise tokens would have access to a project that is created with the same id later.
 */
export function* takeProjectFromTokens(context: CommandContext, project: string): Steps<void> {
  for (const token of [...context.draft.lookup('tokensByProject', project)]) {
    const projects = token.projects.filter((id) => id !== project);
    if (projects.length === 0) remove(context, token);
    else replace(context, token, { ...token, projects });
    yield;
  }
}

/** Stores when tokens were last used. Deleted tokens are skipped. Records no audit events. */
export const markTokensSeen = command({
  name: 'mark-tokens-seen',
  input: Type.Object({ uses: Type.Array(TokenUse) }),
  decide({ draft }, { uses }) {
    for (const { secret, seenAt } of uses) {
      const token = draft.get('apiTokens', secret);
      // Another replica may have stored a later use.
      if (token && (token.seenAt === null || token.seenAt < seenAt)) draft.put('apiTokens', { ...token, seenAt });
    }
  },
});

function replace({ draft, emit }: CommandContext, before: ApiToken, after: ApiToken): ApiToken {
  draft.put('apiTokens', after);
  emit({
    type: 'api-token-updated',
    // The scope is that before the change: the event names a project that the token loses, and only callers who may see this project may see it.
    ...eventScope(before),
    data: withoutSecret(after),
    preData: withoutSecret(before),
  });
  return after;
}

function remove({ draft, emit }: CommandContext, token: ApiToken): void {
  draft.remove('apiTokens', token.secret);
  emit({ type: 'api-token-deleted', ...eventScope(token), preData: withoutSecret(token) });
}

/** Returns the environment and the projects to which the events of this token belong. */
export function eventScope({ environment, projects }: ApiToken): { environment: string; project: string } {
  return { environment, project: projects.join(',') };
}

/** Returns the token without its secret, for events: events outlive the token, and more people can read events than tokens. */
export function withoutSecret({ secret: _secret, alias: _alias, expiryWarning: _expiryWarning, ...rest }: ApiToken) {
  return rest;
}

interface TokenText {
  readonly projects: string[];
  readonly environment: string;
}

/** Matches the project, the shortest possible environment, and the secret. `URL_SAFE_CHARACTERS` include `*`, which means all projects. */
const TOKEN_TEXT = new RegExp(`^(\\[\\]|[${URL_SAFE_CHARACTERS}]+):([${URL_SAFE_CHARACTERS}]+?)\\.(\\S+)$`);

/**
 * Reads a token text of the form `project:environment.secret`, as in the INIT variables. Names of environments can contain dots: the longest existing
 * name is used. `[]` stands for several projects. It is refused, because it does not name the projects, and a guess could give the token too much
 * access. Rejections never contain the text.
 */
export function parseTokenText(text: string, environmentExists: (name: string) => boolean): TokenText | Rejection {
  const match = TOKEN_TEXT.exec(text);
  if (!match) return invalid('A token has the form project:environment.secret.');
  const [, project = '', shortest = ''] = match;
  if (project === '[]') {
    return invalid(
      'A token that begins with [] does not name its projects. Name one project, or * for all, or create the token with the API.',
    );
  }
  const afterProject = text.slice(project.length + 1);
  let environment = shortest;
  for (let dot = afterProject.lastIndexOf('.'); dot > shortest.length; dot = afterProject.lastIndexOf('.', dot - 1)) {
    if (dot < afterProject.length - 1 && environmentExists(afterProject.slice(0, dot))) {
      environment = afterProject.slice(0, dot);
      break;
    }
  }
  return { projects: [project], environment };
}
