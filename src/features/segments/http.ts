import type { FeatureHttp } from '../feature-module.ts';
import { segmentEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...segmentEndpoints],
};
