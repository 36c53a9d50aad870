import type { FeatureHttp } from '../feature-module.ts';
import { addonEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: addonEndpoints,
  glossary: {},
  examples: {},
};
