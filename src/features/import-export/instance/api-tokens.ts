import { conflict, invalid, type Rejection } from '../../../base/rejection.ts';
import type { ApiToken } from '../../../model/api-token.ts';
import { normalProjects } from '../../../model/project-list.ts';
import { hashedSecret, isHashed } from '../../../model/token-secret.ts';
import { hashesSecrets } from '../../../state/dropped-secrets.ts';
import { checkScope, tokenOfText, withoutSecret } from '../../tokens/commands.ts';
import type { ImportRun } from './import-run.ts';
import type { Imported } from './input.ts';

/**
 * Imports a token with its secret, so that its clients can continue to use it. Admin tokens are imported too: the caller is an admin, and scripts use
 * these tokens.
 */
export function takeApiToken(run: ImportRun, taken: Imported<'apiTokens'>): Rejection | undefined {
  const { draft, now } = run.context;
  const { secret, tokenName, type, environment, createdAt, expiresAt, alias } = taken;
  const hashes = hashesSecrets(draft);
  if (isHashed(secret) && !hashes) {
    return invalid(
      'Its secret is a hash at the source, but this instance stores secrets as text: set API_TOKEN_SECRETS=hashed here too.',
    );
  }
  const problem = checkScope(draft, taken);
  if (problem) return problem;
  const stored = isHashed(secret) ? secret : hashes ? hashedSecret(secret) : secret;
  const before = isHashed(secret) ? draft.get('apiTokens', secret) : tokenOfText(draft, secret);
  if (before && before.type !== type)
    return conflict(`A token of the type ${before.type} with this secret is here already.`);
  const projects = normalProjects(taken.projects);
  const after: ApiToken = {
    ...{ secret: stored, tokenName, type },
    ...(type === 'client' && taken.isBackend === true && { isBackend: true as const }),
    ...{ environment, projects, createdAt: createdAt ?? before?.createdAt ?? now, expiresAt },
    seenAt: before?.seenAt ?? null,
    alias: hashes ? null : (alias ?? null),
  };
  const name = `${tokenName} (${type}, ${environment})`;
  const at = { environment, project: projects.join(',') };
  run.put(
    { kind: 'apiTokens', name, collection: 'apiTokens', before, after },
    { ...at, type: before ? 'api-token-updated' : 'api-token-created', presented: withoutSecret },
  );
  return undefined;
}
