import type { FeatureHttp } from '../feature-module.ts';
import { safeguardEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: safeguardEndpoints,
  examples: {
    changeFeatureEnvironmentSafeguard: {
      query:
        'sum(rate(http_requests_total{job="checkout",code=~"5.."}[5m])) / sum(rate(http_requests_total{job="checkout"}[5m]))',
      ...{ operator: '>', threshold: 0.05, windowMinutes: 5 },
    },
  },
};
