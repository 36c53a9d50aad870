import { isHashed } from '../model/token-secret.ts';
import type { StateReader } from './collections.ts';
import type { Commit } from './commit.ts';

/**
 * Whether the commit takes a token's secret out of the state. It is then still in the log, this commit included, and in snapshots of before:
 * those who keep them have to erase it there.
 */
export function dropsSecret({ changes }: Commit): boolean {
  for (const { collection, key, entity } of changes) {
    if (collection === 'apiTokens' && entity === undefined && !isHashed(key)) return true;
  }
  return false;
}

/** Its value is `hashed` where only hashes of token secrets are stored. */
export const SECRETS_SETTING = 'apiTokenSecrets';

/** Whether only hashes of secrets are stored. Once so, it stays so: the secrets are not known any more. */
export function hashesSecrets(reader: StateReader): boolean {
  return reader.get('settings', SECRETS_SETTING)?.value === 'hashed';
}
