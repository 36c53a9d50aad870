import { conflict, invalid, notFound, type Rejection } from '../base/rejection.ts';
import { ALL, type ApiToken, type ApiTokenType } from '../model/api-token.ts';
import type { StateReader } from '../state/collections.ts';
import type { Command } from './command.ts';

export interface CreateApiTokenInput {
  readonly type: ApiTokenType;
  readonly tokenName: string;
  readonly environment: string;
  readonly projects: readonly string[];
  readonly expiresAt: string | null;
  /** The whole text of the token. Made by the caller, because commands hold no randomness. */
  readonly secret: string;
  readonly alias?: string | null;
}

/** Creates a token. Its secret and its name are unique; its environment and projects exist. */
export const createApiToken: Command<CreateApiTokenInput, ApiToken> = ({ draft, now, emit }, input) => {
  const scopeProblem = checkScope(draft, input);
  if (scopeProblem) return scopeProblem;
  if (draft.get('apiTokens', input.secret)) return conflict('A token with this secret exists already.');
  for (const token of draft.values('apiTokens')) {
    if (token.tokenName === input.tokenName && token.type === input.type && token.environment === input.environment) {
      return conflict(`A token with the name ${input.tokenName} exists already.`);
    }
  }
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
  emit({ type: 'api-token-created', environment: token.environment, data: withoutSecret(token) });
  return token;
};

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
    if (project !== ALL && !reader.get('projects', project))
      return invalid(`The project ${project} does not exist.`, '/projects');
  }
  return undefined;
}

/** Moves the end of a token's life. */
export const updateApiToken: Command<{ secret: string; expiresAt: string | null }, ApiToken> = (
  { draft, emit },
  input,
) => {
  const before = draft.get('apiTokens', input.secret);
  if (!before) return notFound('The token does not exist.');
  const after = { ...before, expiresAt: input.expiresAt };
  draft.put('apiTokens', after);
  emit({
    type: 'api-token-updated',
    environment: after.environment,
    data: withoutSecret(after),
    preData: withoutSecret(before),
  });
  return after;
};

export const deleteApiToken: Command<{ secret: string }, void> = ({ draft, emit }, { secret }) => {
  const token = draft.get('apiTokens', secret);
  if (!token) return notFound('The token does not exist.');
  draft.remove('apiTokens', secret);
  emit({ type: 'api-token-deleted', environment: token.environment, preData: withoutSecret(token) });
  return undefined;
};

/** Notes when tokens were last used. Tokens that are gone meanwhile are left out; no audit events. */
export const markTokensSeen: Command<{ secrets: readonly string[]; seenAt: string }, void> = (
  { draft },
  { secrets, seenAt },
) => {
  for (const secret of secrets) {
    const token = draft.get('apiTokens', secret);
    if (token) draft.put('apiTokens', { ...token, seenAt });
  }
};

/** Event data outlives the token and is read by more people. */
function withoutSecret({ secret: _secret, alias: _alias, ...rest }: ApiToken) {
  return rest;
}

/** Reads a token text of the form `project:environment.secret`, as the INIT variables hold it. */
export function parseTokenText(text: string): { projects: readonly string[]; environment: string } | Rejection {
  const match = /^(\*|\[\]|[A-Za-z0-9_.~-]+):(\*|[A-Za-z0-9_~-]+)\.(\S+)$/.exec(text);
  if (!match) return invalid('A token has the form project:environment.secret.');
  const [, project = '', environment = ''] = match;
  return { projects: [project === '[]' ? ALL : project], environment };
}
