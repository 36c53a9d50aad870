import type { FeatureHttp } from '../feature-module.ts';
import { apiTokenEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...apiTokenEndpoints],
};
