import Type, { type Static } from 'typebox';
import { conflict, invalid, notFound, type Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import { ALL, API_TOKEN_TYPES, type ApiToken } from '../../model/api-token.ts';
import type { Caller } from '../../model/caller.ts';
import { DateTime, NAME_LENGTH_MAX, NameReference, Nullable, URL_SAFE_CHARACTERS } from '../../model/primitives.ts';
import { normalProjects } from '../../model/project-list.ts';
import { hashedSecret, isHashed, TOKEN_LENGTH_MAX } from '../../model/token-secret.ts';
import type { StateReader } from '../../state/collections.ts';
import { hashesSecrets, SECRETS_SETTING } from '../../state/dropped-secrets.ts';
import { type Asked, permissionProblem } from '../people/permission-problem.ts';
import { PROJECT_LIMITS } from '../projects/limits.ts';

export const TokenName = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S' });

const Secret = Type.String({ maxLength: TOKEN_LENGTH_MAX, description: 'The whole text of the token' });

/** A token as callers of the admin API name it. */
const NamedSecret = Type.String({
  description: 'Its whole text, or the handle that lists show where secrets are hashed',
});

const TOO_LONG = `A token has at most ${TOKEN_LENGTH_MAX} characters.`;

/** What is stored of a token's text, and the key the token is found under. */
function storedSecret(reader: StateReader, text: string): string {
  return hashesSecrets(reader) ? hashedSecret(text) : text;
}

/** The token of this text. */
export function tokenOfText(reader: StateReader, text: string): ApiToken | undefined {
  return reader.get('apiTokens', storedSecret(reader, text));
}

/** The token that a caller of the admin API names: by its text, or, where secrets are hashed, by the handle that lists show. */
export function findToken(reader: StateReader, named: string): ApiToken | undefined {
  return tokenOfText(reader, named) ?? (isHashed(named) ? reader.get('apiTokens', named) : undefined);
}

/** From now on only hashes are stored. What the log and earlier snapshots hold of secrets is for their keepers to erase. */
export function hashSecrets({ draft, emit }: CommandContext): Rejection | undefined {
  for (const token of [...draft.values('apiTokens')]) {
    if (token.secret.length > TOKEN_LENGTH_MAX) {
      return invalid(`The ${token.type} token ${token.tokenName} is too long to be hashed: ${TOO_LONG}`);
    }
    // Before the other is removed: whatever is kept for the token's scope stays.
    draft.put('apiTokens', { ...token, secret: hashedSecret(token.secret), alias: null });
    draft.remove('apiTokens', token.secret);
  }
  const setting = { name: SECRETS_SETTING, value: 'hashed' };
  draft.put('settings', setting);
  emit({ type: 'setting-updated', data: setting });
  return undefined;
}

export const CreateApiTokenInput = Type.Object({
  type: Type.Enum([...API_TOKEN_TYPES]),
  tokenName: TokenName,
  environment: NameReference,
  projects: Type.Array(NameReference, { maxItems: PROJECT_LIMITS.projects.max }),
  expiresAt: Nullable(DateTime),
  /** Made by the caller, because commands hold no randomness. */
  secret: Secret,
  isBackend: Type.Optional(Type.Boolean({ description: 'Of a client token: it is told as `backend`' })),
  alias: Type.Optional(Nullable(Type.String())),
});
export type CreateApiTokenInput = Static<typeof CreateApiTokenInput>;

/**
 * Creates a token. The answer holds what is stored of its secret. The secret is unique, its name need not be; its environment and projects
 * exist. Admin tokens are made by the service alone, from its environment: people have personal tokens, machines service accounts, and both
 * can do only what their roles allow.
 */
export const createApiToken = command({
  name: 'create-api-token',
  input: CreateApiTokenInput,
  decide({ draft, caller, now, emit }, input) {
    const scopeProblem =
      tokenProblem({ draft, caller }, 'CREATE', input) ?? adminProblem(caller, input) ?? checkScope(draft, input);
    if (scopeProblem) return scopeProblem;
    if (input.secret.length > TOKEN_LENGTH_MAX) return invalid(TOO_LONG);
    if (isHashed(input.secret)) return invalid('This is the handle of a token, not the text of one.');
    if (tokenOfText(draft, input.secret)) return conflict('A token with this secret exists already.');
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
  },
});

type OwnedToken = Pick<ApiToken, 'type' | 'projects'>;

/**
 * Why the caller may not do this to such a token: in every project that it reaches, or everywhere, they must be allowed to. Reading is doing:
 * whoever is told a token's secret may do what it may.
 */
export function tokenProblem(
  context: Asked,
  verb: 'READ' | 'CREATE' | 'UPDATE' | 'DELETE',
  { type, projects }: OwnedToken,
): Rejection | undefined {
  if (type === 'admin') return permissionProblem(context, ['ADMIN'], null);
  const anywhere = type === 'client' ? (`${verb}_CLIENT_API_TOKEN` as const) : (`${verb}_FRONTEND_API_TOKEN` as const);
  if (projects.includes(ALL) || verb === 'UPDATE') return permissionProblem(context, [anywhere], null);
  for (const project of projects) {
    const problem = permissionProblem(context, [anywhere, `${verb}_PROJECT_API_TOKEN`], project);
    if (problem) return problem;
  }
  return undefined;
}

function adminProblem({ kind }: Caller, { type }: OwnedToken): Rejection | undefined {
  if (type !== 'admin' || kind === 'system') return undefined;
  return invalid(
    'Admin tokens are not created over the API: create a personal access token, or a service account with a token. INIT_ADMIN_API_TOKENS makes them at start.',
    '/type',
  );
}

type NamedScope = Pick<CreateApiTokenInput, 'type' | 'tokenName' | 'environment'>;

/** Whether a token of the same type and environment has the name. */
export function nameTaken(reader: StateReader, { type, tokenName, environment }: NamedScope): boolean {
  for (const token of reader.lookup('tokensByName', tokenName)) {
    if (token.type === type && token.environment === environment) return true;
  }
  return false;
}

export function checkScope(
  reader: StateReader,
  { type, environment, projects }: CreateApiTokenInput,
): Rejection | undefined {
  if (type === 'admin') {
    if (environment !== ALL || !projects.includes(ALL))
      return invalid('An admin token reaches all projects and environments.', '/environment');
    return undefined;
  }
  if (environment === ALL)
    return invalid(`A ${type} token needs one environment; it cannot have all of them.`, '/environment');
  if (!reader.get('environments', environment))
    return invalid(`The environment ${environment} does not exist.`, '/environment');
  if (projects.length === 0) return invalid('A token needs at least one project, or * for all.', '/projects');
  for (const project of projects) {
    if (project !== ALL && reader.get('projects', project)?.archivedAt !== null)
      return invalid(`The project ${project} does not exist.`, '/projects');
  }
  return undefined;
}

/**
 * Of a token that does not exist: nothing is to be done, and that is no error, so that who removes tokens by a list may do so twice. Only whoever
 * may do this to tokens anywhere is told so.
 */
function unknownProblem(context: Asked, verb: 'UPDATE' | 'DELETE'): Rejection | undefined {
  return permissionProblem(context, [`${verb}_CLIENT_API_TOKEN`, `${verb}_FRONTEND_API_TOKEN`], null);
}

/** Moves the end of a token's life; null takes it away. */
export const updateApiToken = command({
  name: 'update-api-token',
  input: Type.Object({ secret: NamedSecret, expiresAt: Nullable(DateTime) }),
  decide(context, input) {
    const before = findToken(context.draft, input.secret);
    if (!before) return unknownProblem(context, 'UPDATE');
    const problem = tokenProblem(context, 'UPDATE', before);
    if (problem) return problem;
    return replace(context, before, { ...before, expiresAt: input.expiresAt });
  },
});

export const deleteApiToken = command({
  name: 'delete-api-token',
  /** With a project, only a token that was made for it is found. */
  input: Type.Object({ secret: NamedSecret, project: Type.Optional(NameReference) }),
  decide(context, { secret, project }) {
    const token = findToken(context.draft, secret);
    if (project !== undefined && !token?.projects.includes(project)) return notFound('The token does not exist.');
    if (!token) return unknownProblem(context, 'DELETE');
    const problem = tokenProblem(context, 'DELETE', token);
    if (problem) return problem;
    remove(context, token);
    return undefined;
  },
});

/** The tokens of an environment that is being deleted have nothing left to read. */
export function* removeTokensOfEnvironment(context: CommandContext, environment: string): Steps<void> {
  for (const token of [...context.draft.lookup('tokensByEnvironment', environment)]) {
    remove(context, token);
    yield;
  }
}

/** A project that is being deleted: no token may reach one that is created under its id later. */
export function* takeProjectFromTokens(context: CommandContext, project: string): Steps<void> {
  for (const token of [...context.draft.lookup('tokensByProject', project)]) {
    const projects = token.projects.filter((id) => id !== project);
    if (projects.length === 0) remove(context, token);
    else replace(context, token, { ...token, projects });
    yield;
  }
}

export const TokenUse = Type.Object(
  { secret: Type.String({ description: 'As it is stored' }), seenAt: DateTime },
  { description: 'When a token was last used' },
);
export type TokenUse = Static<typeof TokenUse>;

/** Notes when tokens were last used. Tokens that are gone meanwhile are left out; no audit events. */
export const markTokensSeen = command({
  name: 'mark-tokens-seen',
  input: Type.Object({ uses: Type.Array(TokenUse) }),
  decide({ draft }, { uses }) {
    for (const { secret, seenAt } of uses) {
      const token = draft.get('apiTokens', secret);
      // Another replica may have noted a later use.
      if (token && (token.seenAt === null || token.seenAt < seenAt)) draft.put('apiTokens', { ...token, seenAt });
    }
  },
});

function replace({ draft, emit }: CommandContext, before: ApiToken, after: ApiToken): ApiToken {
  draft.put('apiTokens', after);
  emit({
    type: 'api-token-updated',
    // Of what it was: a project that it loses stands in the event, which is not for everybody who may read the others.
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

/** Where people look for an event of this token. */
function eventScope({ environment, projects }: ApiToken): { environment: string; project: string } {
  return { environment, project: projects.join(',') };
}

/** Event data outlives the token and is read by more people. */
export function withoutSecret({ secret: _secret, alias: _alias, ...rest }: ApiToken) {
  return rest;
}

interface TokenText {
  readonly projects: string[];
  readonly environment: string;
}

/** The project, the shortest environment that it may be, and the rest. `*`, for all, is among the characters of names. */
const TOKEN_TEXT = new RegExp(`^(\\[\\]|[${URL_SAFE_CHARACTERS}]+):([${URL_SAFE_CHARACTERS}]+?)\\.(\\S+)$`);

/**
 * Reads a token text of the form `project:environment.secret`, as the INIT variables hold it. Environments may have dots in their names:
 * the longest one that exists counts. `[]` (several projects) does not say which, and guessing would give the token more than was meant: it
 * is refused. Rejections never hold the text.
 */
export function parseTokenText(text: string, environmentExists: (name: string) => boolean): TokenText | Rejection {
  const match = TOKEN_TEXT.exec(text);
  if (!match) return invalid('A token has the form project:environment.secret.');
  const [, project = '', shortest = ''] = match;
  if (project === '[]') {
    return invalid(
      'A token that begins with [] does not say which projects it is for. Name one project, or * for all, or create the token over the API.',
    );
  }
  const tail = text.slice(project.length + 1);
  let environment = shortest;
  for (let dot = tail.lastIndexOf('.'); dot > shortest.length; dot = tail.lastIndexOf('.', dot - 1)) {
    if (dot < tail.length - 1 && environmentExists(tail.slice(0, dot))) {
      environment = tail.slice(0, dot);
      break;
    }
  }
  return { projects: [project], environment };
}
