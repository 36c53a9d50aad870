import Type from 'typebox';
import { longCommand } from '../../../engine/command.ts';
import { eventScope, withoutSecret } from '../commands.ts';
import { dueDays } from './expiry.ts';

/** Maximum number of tokens in one command. */
export const WARNINGS_PER_COMMIT = 100;

/**
 * Records one event for each token that has reached warning days. The command checks the draft: if several replicas find the same token, only the
 * first replica records an event.
 */
export const warnOfTokenExpiry = longCommand({
  name: 'warn-of-token-expiry',
  input: Type.Object({
    secrets: Type.Array(Type.String({ description: 'Stored form of a secret' }), { maxItems: WARNINGS_PER_COMMIT }),
  }),
  *decide({ draft, now, emit }, { secrets }) {
    for (const secret of new Set(secrets)) {
      const token = draft.get('apiTokens', secret);
      const days = token && dueDays(token, Date.parse(now));
      if (token?.expiresAt && days !== undefined) {
        draft.put('apiTokens', { ...token, expiryWarning: { expiresAt: token.expiresAt, days } });
        emit({ type: 'api-token-expires-soon', ...eventScope(token), data: { ...withoutSecret(token), days } });
      }
      yield;
    }
    return undefined;
  },
});
