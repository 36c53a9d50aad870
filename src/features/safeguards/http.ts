import type { FeatureHttp } from '../feature-module.ts';
import { safeguardEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: safeguardEndpoints,
  examples: {
    changeFeatureEnvironmentSafeguard: {
      metricName: 'checkout_errors',
      aggregation: 'count',
      operator: '>',
      threshold: 20,
      windowMinutes: 10,
      labels: { service: ['checkout'] },
    },
  },
};
