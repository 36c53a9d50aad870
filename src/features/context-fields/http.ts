import type { FeatureHttp } from '../feature-module.ts';
import { examples, glossary } from './described.ts';
import { projectContextFieldEndpoints } from './project-routes.ts';
import { contextFieldEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...projectContextFieldEndpoints, ...contextFieldEndpoints],
  glossary,
  examples,
};
