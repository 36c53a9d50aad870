import { isHashed } from '../model/token-secret.ts';
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
