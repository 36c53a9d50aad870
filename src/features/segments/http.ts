import type { FeatureHttp } from '../feature-module.ts';
import { segmentEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...segmentEndpoints],
  glossary: { 'segmentStrategies.strategies': 'Strategies that use the segment' },
  examples: {
    createSegment: {
      name: 'norwegians',
      description: 'Customers in Norway',
      constraints: [{ contextName: 'country', operator: 'IN', values: ['NO'] }],
    },
    updateFeatureStrategySegments: {
      projectId: 'default',
      environmentId: 'development',
      strategyId: '7b1f7d5e-0f0a-4d53-9a59-0f3f1b3ad1b1',
      segmentIds: [1],
    },
    updateSegment: { name: 'swedes', constraints: [{ contextName: 'country', operator: 'IN', values: ['SE'] }] },
    validateSegment: { name: 'danes' },
  },
};
