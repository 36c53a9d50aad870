import type { FeatureHttp } from '../feature-module.ts';
import { deltaEndpoints } from './delta-routes.ts';
import { glossary } from './described.ts';
import { clientFeatureEndpoints } from './list-routes.ts';
import { streamingEndpoints } from './streaming-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...deltaEndpoints, ...clientFeatureEndpoints, ...streamingEndpoints],
  glossary,
};
