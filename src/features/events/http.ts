import type { FeatureHttp } from '../feature-module.ts';
import { glossary } from './described.ts';
import { eventEndpoints } from './routes.ts';
import { eventSearchEndpoints } from './search-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...eventEndpoints, ...eventSearchEndpoints],
  glossary,
};
