import type { FeatureHttp } from '../feature-module.ts';
import { previewEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: previewEndpoints,
  glossary: {},
  examples: {
    previewChanges: {
      project: 'default',
      environment: 'development',
      changes: [{ action: 'updateEnabled', feature: 'checkout.new', payload: { enabled: true } }],
      contexts: { madeUp: { count: 100 } },
      examples: 1,
    },
  },
};
