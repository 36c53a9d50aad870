import type { FeatureHttp } from '../feature-module.ts';
import { examples, glossary } from './described.ts';
import { instanceImportEndpoints } from './instance/routes.ts';

export const http: FeatureHttp = {
  endpoints: [...instanceImportEndpoints],
  glossary,
  examples,
};
