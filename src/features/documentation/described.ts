import type { Glossary } from '../../http/field-descriptions.ts';

/** Descriptions of request and response fields of this feature whose schema has none. */
export const glossary: Glossary = {
  'getOpenApi.openapi': 'Version of OpenAPI',
};
