import type { FeatureHttp } from '../feature-module.ts';
import { edgeTokenEndpoints } from './edge-routes.ts';
import { expiringTokenEndpoints } from './expiry/routes.ts';
import { apiTokenEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...apiTokenEndpoints, ...expiringTokenEndpoints, ...edgeTokenEndpoints],
  glossary: {
    'apiToken.createdAt': 'When the token was created',
    'apiToken.type':
      'Kind of clients that use the token: `client` (servers), `frontend` (browsers and apps) or `admin` (tools)',
  },
  examples: {
    createApiToken: {
      tokenName: 'web-shop-backend',
      type: 'client',
      environment: 'development',
      projects: ['default'],
    },
    createProjectApiToken: {
      tokenName: 'web-shop-ci',
      type: 'client',
      environment: 'development',
      projects: ['default'],
    },
    issueEdgeTokens: { tokens: [{ environment: 'development', projects: ['default'] }] },
    updateApiToken: { expiresAt: '2099-01-01T00:00:00Z' },
  },
};
