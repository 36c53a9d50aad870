import { randomBytes } from 'node:crypto';
import type { Writer } from './actors/writer.ts';
import type { Logger } from './base/logger.ts';
import { Rejection } from './base/rejection.ts';
import { type CreateApiTokenInput, createApiToken, parseTokenText } from './commands/api-token.ts';
import { bootstrap } from './commands/bootstrap.ts';
import { type Config, ConfigError } from './config.ts';
import { ALL, type ApiTokenType } from './model/api-token.ts';
import { SYSTEM_USER_ID } from './model/primitives.ts';
import type { State } from './state/state.ts';

/** Secrets made at the first start. Shown once, on the terminal, and never logged. */
export interface FirstTokens {
  readonly admin: string;
  readonly client: string;
  readonly frontend: string;
}

const SYSTEM = { id: SYSTEM_USER_ID, name: 'burgee' };

/**
 * Gives an empty store its first content, and creates the tokens that the environment names where they are missing. Without any, an empty
 * store gets one of each kind, which are returned.
 * @throws ConfigError when a named token cannot be created: a service that starts without it would turn its clients away.
 */
export async function initialise(
  state: State,
  writer: Writer,
  config: Config,
  logger: Logger,
): Promise<FirstTokens | null> {
  const outcome = await writer.submit(bootstrap, undefined, SYSTEM);
  if (outcome instanceof Rejection) throw new Error(outcome.message);
  const named = [
    ...namedTokens('admin', config.initAdminTokens, 'INIT_ADMIN_API_TOKENS'),
    ...namedTokens('client', config.initClientTokens, 'INIT_CLIENT_API_TOKENS'),
    ...namedTokens('frontend', config.initFrontendTokens, 'INIT_FRONTEND_API_TOKENS'),
  ];
  for (const { variable, ...input } of named) {
    if (state.get('apiTokens', input.secret)) continue;
    await create(writer, input, variable);
    logger.info(
      { tokenName: input.tokenName, type: input.type, environment: input.environment },
      'created the token that the environment names',
    );
  }
  if (!outcome.value.created || named.length > 0) return null;
  const first = {
    admin: newSecret([ALL], ALL),
    client: newSecret([ALL], 'development'),
    frontend: newSecret([ALL], 'development'),
  };
  for (const type of ['admin', 'client', 'frontend'] as const) {
    const environment = type === 'admin' ? ALL : 'development';
    await create(
      writer,
      { type, tokenName: `first-${type}`, environment, projects: [ALL], expiresAt: null, secret: first[type] },
      'first start',
    );
  }
  return first;
}

function* namedTokens(type: ApiTokenType, texts: readonly string[], variable: string) {
  for (const [index, secret] of texts.entries()) {
    const parsed = parseTokenText(secret);
    if (parsed instanceof Rejection) throw new ConfigError(`${variable}, item ${index + 1}: ${parsed.message}`);
    yield { type, tokenName: `init-${type}-${index + 1}`, ...parsed, expiresAt: null, secret, variable };
  }
}

async function create(writer: Writer, input: CreateApiTokenInput, source: string): Promise<void> {
  const outcome = await writer.submit(createApiToken, input, SYSTEM);
  if (outcome instanceof Rejection) throw new ConfigError(`${source}, ${input.tokenName}: ${outcome.message}`);
}

/** `project:environment.secret`; several projects are written `[]`. */
export function newSecret(projects: readonly string[], environment: string): string {
  const [only = ''] = projects;
  return `${projects.length === 1 ? only : '[]'}:${environment}.${randomBytes(28).toString('hex')}`;
}
