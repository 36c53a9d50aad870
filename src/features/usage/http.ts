import type { FeatureHttp } from '../feature-module.ts';
import { applicationEndpoints } from './applications/routes.ts';
import { lifecycleEndpoints } from './lifecycle-routes.ts';
import { clientMetricsEndpoints } from './metrics-routes.ts';
import { frontendReportEndpoints } from './reports/frontend-routes.ts';
import { reportEndpoints } from './reports/routes.ts';
import { unknownFlagEndpoints } from './unknown-flag-routes.ts';

export const http: FeatureHttp = {
  endpoints: [
    ...applicationEndpoints,
    ...lifecycleEndpoints,
    ...clientMetricsEndpoints,
    ...frontendReportEndpoints,
    ...reportEndpoints,
    ...unknownFlagEndpoints,
  ],
  examples: {
    edgeBulkMetrics: {
      applications: [],
      metrics: [
        {
          featureName: 'checkout.new',
          appName: 'web-shop',
          environment: 'development',
          timestamp: '2026-01-01T00:00:00Z',
          yes: 5,
          no: 2,
        },
      ],
    },
  },
};
