import { type ApiToken, shownType } from '../../model/api-token.ts';
import { isHashed } from '../../model/token-secret.ts';

/**
 * Returns the token for answers of the admin API (contract: API token). `secret` is the stored form by default; only the answer to the creation has
 * the text of the token instead.
 */
export function presentApiToken(token: ApiToken, secret = token.secret) {
  const { tokenName, environment, projects, expiresAt, createdAt, seenAt, alias } = token;
  return {
    secret,
    username: tokenName,
    tokenName,
    type: shownType(token),
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
