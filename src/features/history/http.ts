import type { FeatureHttp } from '../feature-module.ts';
import { historyEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: historyEndpoints,
  glossary: {},
};
