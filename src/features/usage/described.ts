import type { Examples } from '../../http/examples.ts';

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
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
};
