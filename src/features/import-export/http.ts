import type { FeatureHttp } from '../feature-module.ts';
import { examples, glossary } from './described.ts';
import { takeOverEndpoints } from './instance/routes.ts';

export const http: FeatureHttp = {
  endpoints: [...takeOverEndpoints],
  glossary,
  examples,
};
