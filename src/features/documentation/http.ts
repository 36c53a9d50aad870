import type { FeatureHttp } from '../feature-module.ts';
import { documentationEndpoints } from './document.ts';
import { documentationPageEndpoints } from './page.ts';

export const http: FeatureHttp = {
  endpoints: [...documentationEndpoints, ...documentationPageEndpoints],
  glossary: { 'getOpenApi.openapi': 'Version of OpenAPI' },
};
