import type { Examples } from '../../http/examples.ts';
import type { Glossary } from '../../http/field-descriptions.ts';

/** Meaning of the fields in this feature's requests and answers, if their schemas do not state it. */
export const glossary: Glossary = {
  'segmentStrategies.strategies': 'Strategies that use the segment',
};

/** Example values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
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
};
