import type { Glossary } from '../../http/described.ts';

/** Meaning of the fields in this feature's requests and answers, if their schemas do not state it. */
export const glossary: Glossary = {
  'getOpenApi.openapi': 'Version of OpenAPI',
};
