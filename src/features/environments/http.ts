import type { FeatureHttp } from '../feature-module.ts';
import { environmentCloneEndpoints } from './clone-routes.ts';
import { examples } from './described.ts';
import { environmentEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...environmentCloneEndpoints, ...environmentEndpoints],
  examples,
};
