import { conflict, invalid, type Rejection } from '../../../base/rejection.ts';
import type { ApiToken } from '../../../model/api-token.ts';
import { normalProjects } from '../../../model/project-list.ts';
import { hashedSecret, isHashed } from '../../../model/token-secret.ts';
import { hashesSecrets } from '../../../state/dropped-secrets.ts';
import { scopeProblem, tokenOfText, withoutSecret } from '../../tokens/commands.ts';
import type { ImportRun } from './import-run.ts';
import type { Imported } from './input.ts';

/**
 * Imports a token with its secret, so that its clients can continue to use it. Admin tokens are imported, too, because scripts use them. This grants
 * nothing new: only an admin can call this import.
 */
export function importApiToken(run: ImportRun, imported: Imported<'apiTokens'>): Rejection | undefined {
  const { draft, now } = run.context;
  const { secret, tokenName, type, environment, createdAt, expiresAt, alias } = imported;
  const hashes = hashesSecrets(draft);
  if (isHashed(secret) && !hashes) {
    return invalid(
      'The source stores only a hash of its secret, but this instance stores secrets as text. Set API_TOKEN_SECRETS=hashed for this instance.',
    );
  }
  const problem = scopeProblem(draft, imported);
  if (problem) return problem;
  const stored = isHashed(secret) ? secret : hashes ? hashedSecret(secret) : secret;
  const before = isHashed(secret) ? draft.get('apiTokens', secret) : tokenOfText(draft, secret);
  if (before && before.type !== type)
    return conflict(`A token of the type ${before.type} with this secret exists already.`);
  const projects = normalProjects(imported.projects);
  const after: ApiToken = {
    secret: stored,
    tokenName,
    type,
    ...(type === 'client' && imported.isBackend === true && { isBackend: true as const }),
    environment,
    projects,
    createdAt: createdAt ?? before?.createdAt ?? now,
    expiresAt,
    seenAt: before?.seenAt ?? null,
    alias: hashes ? null : (alias ?? null),
    ...(before?.expiryWarning && { expiryWarning: before.expiryWarning }),
  };
  const name = `${tokenName} (${type}, ${environment})`;
  const at = { environment, project: projects.join(',') };
  run.put(
    { kind: 'apiTokens', name, collection: 'apiTokens', before, after },
    { ...at, type: before ? 'api-token-updated' : 'api-token-created', toEventData: withoutSecret },
  );
  return undefined;
}
