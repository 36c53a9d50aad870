import { scimSettings, scimTokens } from '../../model/scim.ts';
import { feature } from '../feature-module.ts';
import { SCIM_LIMITS } from './limits.ts';

export const scimFeature = feature({
  name: 'scim',
  collections: { scimSettings, scimTokens },
  shown: {
    scimSettings: null,
    scimTokens: null,
  },
  events: {
    'scim-token-created': ['SCIM token created', 'created the token with which an identity provider manages users'],
    'scim-token-deleted': ['SCIM token deleted', 'deleted the token with which an identity provider manages users'],
  },
  limits: SCIM_LIMITS,
  http: async () => (await import('./http.ts')).http,
});
