import type { FeatureHttp } from '../feature-module.ts';
import { changeStreamEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: changeStreamEndpoints,
  examples: { 'reportPresence.id': 'checkout.new' },
};
