import type { FeatureHttp } from '../feature-module.ts';
import { examples } from './described.ts';
import { changeRequestListEndpoints } from './list-routes.ts';
import { changeRequestEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...changeRequestListEndpoints, ...changeRequestEndpoints],
  examples,
};
