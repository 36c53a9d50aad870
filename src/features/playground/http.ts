import type { FeatureHttp } from '../feature-module.ts';
import { advancedPlaygroundEndpoints } from './advanced-routes.ts';
import { glossary } from './described.ts';
import { playgroundEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...advancedPlaygroundEndpoints, ...playgroundEndpoints],
  glossary,
};
