import type { Examples } from '../../http/examples.ts';
import type { Glossary } from '../../http/field-descriptions.ts';

/** Meaning of the fields in this feature's requests and answers, if their schemas do not state it. */
export const glossary: Glossary = {
  'apiToken.createdAt': 'When the token was created',
  'apiToken.type':
    'Kind of clients that use the token: `client` (servers), `frontend` (browsers and apps) or `admin` (tools)',
};

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  createApiToken: { tokenName: 'web-shop-backend', type: 'client', environment: 'development', projects: ['default'] },
  createProjectApiToken: {
    tokenName: 'web-shop-ci',
    type: 'client',
    environment: 'development',
    projects: ['default'],
  },
  updateApiToken: { expiresAt: '2099-01-01T00:00:00Z' },
};
