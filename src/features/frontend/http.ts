import type { FeatureHttp } from '../feature-module.ts';
import { glossary } from './described.ts';
import { frontendFeatureEndpoints } from './routes.ts';
import { frontendStreamingEndpoints } from './streaming-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...frontendFeatureEndpoints, ...frontendStreamingEndpoints],
  glossary,
};
