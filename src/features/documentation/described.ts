import type { Glossary } from '../../http/described.ts';

/** What fields of this feature's requests and answers mean, where their schema does not say so. */
export const glossary: Glossary = {
  'getOpenApi.openapi': 'Version of OpenAPI',
};
