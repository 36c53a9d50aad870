import type { ApiToken } from '../../model/api-token.ts';
import { isHashed } from '../../model/token-secret.ts';

/** The token as the admin API answers it, with its secret: what is stored of it, unless it is just being told (contract: API token). */
export function presentApiToken(token: ApiToken, secret = token.secret) {
  const { tokenName, environment, projects, expiresAt, createdAt, seenAt, alias } = token;
  return {
    secret,
    username: tokenName,
    tokenName,
    type: token.isBackend ? ('backend' as const) : token.type,
    environment,
    project: projects.join(','),
    projects,
    expiresAt,
    createdAt,
    seenAt,
    alias,
    secure: isHashed(token.secret),
  };
}
