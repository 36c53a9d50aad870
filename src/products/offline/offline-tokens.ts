import { ConfigError } from '../../base/options.ts';
import { Rejection } from '../../base/rejection.ts';
import { parseTokenText } from '../../features/tokens/commands.ts';
import { ALL } from '../../model/api-token.ts';
import { TOKEN_LENGTH_MAX } from '../../model/token-secret.ts';

/** The environment of tokens whose text contains no environment. */
const DEFAULT_ENVIRONMENT = 'development';

export interface OfflineToken {
  readonly secret: string;
  readonly type: 'client' | 'frontend';
  readonly environment: string;
  readonly projects: readonly string[];
}

interface TokenTexts {
  readonly clientTokens: readonly string[];
  readonly frontendTokens: readonly string[];
}

/**
 * The tokens from the options. A token may have any text: without the form `project:environment.secret` it gives access to all projects.
 * @throws ConfigError
 */
export function offlineTokens({ clientTokens, frontendTokens }: TokenTexts): OfflineToken[] {
  const indexInBoth = clientTokens.findIndex((text) => frontendTokens.includes(text));
  if (indexInBoth >= 0)
    throw new ConfigError(
      `CLIENT_TOKENS, item ${indexInBoth + 1}, is also in FRONTEND_TOKENS: a token is for one kind of SDK. Use different tokens`,
    );
  return [
    ...clientTokens.map((text, index) => offlineToken(text, 'client', `CLIENT_TOKENS, item ${index + 1}`)),
    ...frontendTokens.map((text, index) => offlineToken(text, 'frontend', `FRONTEND_TOKENS, item ${index + 1}`)),
  ];
}

function offlineToken(secret: string, type: OfflineToken['type'], where: string): OfflineToken {
  if (secret.length > TOKEN_LENGTH_MAX)
    throw new ConfigError(`${where}: a token has at most ${TOKEN_LENGTH_MAX} characters`);
  // `[]:` in a text means several projects, but does not name them. Nothing is secret here, so the token gives access to all projects.
  const parsed = parseTokenText(secret.replace(/^\[\]:/, `${ALL}:`), () => false);
  if (parsed instanceof Rejection) return { secret, type, environment: DEFAULT_ENVIRONMENT, projects: [ALL] };
  const { environment, projects } = parsed;
  if (environment === ALL) throw new ConfigError(`${where}: SDKs need a token of one environment, not of all of them`);
  return { secret, type, environment, projects };
}
