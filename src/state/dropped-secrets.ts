import { isHashed } from '../model/token-secret.ts';
import type { StateReader } from './collections.ts';
import type { Commit } from './commit.ts';

/**
 * Whether the commit removes a token's secret from the state. The secret is then still in the log, including this commit, and in earlier snapshots:
 * the store must erase it there.
 */
export function dropsSecret({ changes }: Commit): boolean {
  for (const { collection, key, entity } of changes) {
    if (collection === 'apiTokens' && entity === undefined && !isHashed(key)) return true;
  }
  return false;
}

/** Name of a setting. Its value is `hashed` if only hashes of token secrets are stored. */
export const SECRETS_SETTING = 'apiTokenSecrets';

/** Whether only hashes of token secrets are stored. Once this is set, it stays set: the secrets are not known any more. */
export function hashesSecrets(reader: StateReader): boolean {
  return reader.get('settings', SECRETS_SETTING)?.value === 'hashed';
}
