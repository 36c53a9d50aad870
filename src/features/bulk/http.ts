import type { FeatureHttp } from '../feature-module.ts';
import { evaluateEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...evaluateEndpoints],
  examples: {
    evaluateContexts: { contexts: [{ userId: '1', properties: { country: 'NO' } }, { userId: '2' }] },
    'evaluateContexts.text': '{"userId":"1","properties":{"country":"NO"}}\n{"userId":"2"}\n',
  },
};
