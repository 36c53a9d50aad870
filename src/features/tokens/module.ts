import { apiTokens } from '../../model/api-token.ts';
import { fixed, limit } from '../../model/limits.ts';
import { feature } from '../feature-module.ts';
import { SEEN, TOKENS } from '../shared/never-undone.ts';
import { isSameBut } from '../shared/shown-entity.ts';
import { adoptedTokens } from './adopted-token.ts';

export const tokensFeature = feature({
  name: 'tokens',
  exports: ['commands.ts'],
  collections: { apiTokens, adoptedTokens },
  shown: {
    apiTokens: {
      type: 'api-token',
      named: ({ tokenName }) => ({ id: tokenName }),
      isForAdmins: true,
      isHidden: (before, after) => isSameBut({ seenAt: null, expiryWarning: undefined }, before, after),
    },
    adoptedTokens: null,
  },
  events: {
    'api-token-created': ['API token created', 'created the API token {what}{on}', TOKENS],
    'api-token-updated': ['API token changed', 'changed the API token {what}{on}', TOKENS],
    'api-token-expires-soon': ['API token expires soon', 'noticed that the API token {what}{on} expires soon', SEEN],
    'api-token-deleted': ['API token deleted', 'deleted the API token {what}{on}', TOKENS],
  },
  limits: {
    apiTokens: limit('API tokens', 2_000, 100_000, 'UNLEASH_API_TOKENS_LIMIT', { counts: 'apiTokens' }),
    adoptedTokens: fixed('tokens that were ever adopted from an Unleash', 100_000, { counts: 'adoptedTokens' }),
  },
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  parts: async () => (await import('./parts.ts')).tokenParts,
  gauges: async () => (await import('./gauges.ts')).gauges,
  http: async () => (await import('./http.ts')).http,
});
