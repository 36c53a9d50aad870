import type { FeatureHttp } from '../feature-module.ts';
import { examples } from './described.ts';
import { evaluateEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...evaluateEndpoints],
  examples,
};
