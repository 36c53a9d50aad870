import Type, { type Static } from 'typebox';
import { conflict, invalid, notFound, type Rejection } from '../base/rejection.ts';
import { ALL, API_TOKEN_TYPES, type ApiToken } from '../model/api-token.ts';
import { DateTime, NAME_LENGTH_MAX, NameReference, Nullable } from '../model/primitives.ts';
import type { StateReader } from '../state/collections.ts';
import { type CommandContext, command } from './command.ts';

export const TokenName = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S' });

const Secret = Type.String({ description: 'The whole text of the token' });

export const CreateApiTokenInput = Type.Object({
  type: Type.Enum([...API_TOKEN_TYPES]),
  tokenName: TokenName,
  environment: NameReference,
  projects: Type.Array(NameReference, { maxItems: 10_000 }),
  expiresAt: Nullable(DateTime),
  /** Made by the caller, because commands hold no randomness. */
  secret: Secret,
  alias: Type.Optional(Nullable(Type.String())),
});
export type CreateApiTokenInput = Static<typeof CreateApiTokenInput>;

/** Creates a token. Its secret is unique, its name among tokens of its type and environment; its environment and projects exist. */
export const createApiToken = command({
  name: 'create-api-token',
  input: CreateApiTokenInput,
  decide({ draft, now, emit }, input) {
    const scopeProblem = checkScope(draft, input);
    if (scopeProblem) return scopeProblem;
    if (draft.get('apiTokens', input.secret)) return conflict('A token with this secret exists already.');
    if (nameTaken(draft, input))
      return conflict(`A ${input.type} token with the name ${input.tokenName} exists already.`);
    const token: ApiToken = {
      secret: input.secret,
      tokenName: input.tokenName,
      type: input.type,
      environment: input.environment,
      projects: input.projects.includes(ALL) ? [ALL] : [...new Set(input.projects)].sort(),
      createdAt: now,
      expiresAt: input.expiresAt,
      seenAt: null,
      alias: input.alias ?? null,
    };
    draft.put('apiTokens', token);
    emit({ type: 'api-token-created', ...eventScope(token), data: withoutSecret(token) });
    return token;
  },
});

type NamedScope = Pick<CreateApiTokenInput, 'type' | 'tokenName' | 'environment'>;

/** Whether a token of the same type and environment has the name. */
export function nameTaken(reader: StateReader, { type, tokenName, environment }: NamedScope): boolean {
  for (const token of reader.values('apiTokens')) {
    if (token.tokenName === tokenName && token.type === type && token.environment === environment) return true;
  }
  return false;
}

function checkScope(reader: StateReader, { type, environment, projects }: CreateApiTokenInput): Rejection | undefined {
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

/** Moves the end of a token's life; null takes it away. */
export const updateApiToken = command({
  name: 'update-api-token',
  input: Type.Object({ secret: Secret, expiresAt: Nullable(DateTime) }),
  decide(context, input) {
    const before = context.draft.get('apiTokens', input.secret);
    if (!before) return notFound('The token does not exist.');
    return replace(context, before, { ...before, expiresAt: input.expiresAt });
  },
});

export const deleteApiToken = command({
  name: 'delete-api-token',
  input: Type.Object({ secret: Secret }),
  decide(context, { secret }) {
    const token = context.draft.get('apiTokens', secret);
    if (!token) return notFound('The token does not exist.');
    remove(context, token);
    return undefined;
  },
});

/** The tokens of an environment that is being deleted have nothing left to read. */
export function removeTokensOfEnvironment(context: CommandContext, environment: string): void {
  for (const token of [...context.draft.values('apiTokens')]) {
    if (token.environment === environment) remove(context, token);
  }
}

/** A project that is being deleted: no token may reach one that is created under its id later. */
export function takeProjectFromTokens(context: CommandContext, project: string): void {
  for (const token of [...context.draft.values('apiTokens')]) {
    if (!token.projects.includes(project)) continue;
    const projects = token.projects.filter((id) => id !== project);
    if (projects.length === 0) remove(context, token);
    else replace(context, token, { ...token, projects });
  }
}

const TokenUse = Type.Object({ secret: Secret, seenAt: DateTime }, { description: 'When a token was last used' });
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
    ...eventScope(after),
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
function withoutSecret({ secret: _secret, alias: _alias, ...rest }: ApiToken) {
  return rest;
}

export interface TokenText {
  readonly projects: string[];
  readonly environment: string;
}

/**
 * Reads a token text of the form `project:environment.secret`, as the INIT variables hold it. Environments may have dots in their names:
 * the longest one that exists counts. `[]` (several projects) does not say which, and guessing would give the token more than was meant: it
 * is refused. Rejections never hold the text.
 */
export function parseTokenText(text: string, environmentExists: (name: string) => boolean): TokenText | Rejection {
  const match = /^(\*|\[\]|[A-Za-z0-9_.~-]+):(\*|[A-Za-z0-9_.~-]+?)\.(\S+)$/.exec(text);
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
