import type { ApiToken } from '../../model/api-token.ts';

/** The token as the admin API answers it, with its secret (contract: API token). */
export function presentApiToken(token: ApiToken) {
  const { secret, tokenName, type, environment, projects, expiresAt, createdAt, seenAt, alias } = token;
  return {
    secret,
    username: tokenName,
    tokenName,
    type,
    environment,
    project: projects.join(','),
    projects,
    expiresAt,
    createdAt,
    seenAt,
    alias,
  };
}
