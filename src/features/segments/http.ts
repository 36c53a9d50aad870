import type { FeatureHttp } from '../feature-module.ts';
import { examples, glossary } from './described.ts';
import { segmentEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...segmentEndpoints],
  glossary,
  examples,
};
