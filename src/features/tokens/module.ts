import { apiTokens } from '../../model/api-token.ts';
import { feature } from '../feature-module.ts';
import { TOKEN_EVENTS } from './events.ts';
import { TOKEN_LIMITS } from './limits.ts';

export const tokensFeature = feature({
  name: 'tokens',
  exports: ['commands.ts'],
  collections: { apiTokens },
  events: TOKEN_EVENTS,
  limits: TOKEN_LIMITS,
  parts: async () => (await import('./parts.ts')).tokenParts,
  http: async () => (await import('./http.ts')).http,
});
