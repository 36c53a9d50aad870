import type { FeatureHttp } from '../feature-module.ts';
import { examples, glossary } from './described.ts';
import { apiTokenEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...apiTokenEndpoints],
  glossary,
  examples,
};
