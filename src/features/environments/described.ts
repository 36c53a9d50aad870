import type { Examples } from '../../http/examples.ts';

/** Example values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  'getEnvironment.name': 'staging',
  'cloneEnvironment.name': 'staging',
  'toggleEnvironmentOff.name': 'staging',
  'toggleEnvironmentOn.name': 'staging',
  'updateEnvironment.name': 'staging',
  'removeEnvironment.name': 'staging',
  'validateEnvironmentName.name': 'qa',
  createEnvironment: { name: 'qa', type: 'test' },
  cloneEnvironment: { name: 'production-copy', type: 'production' },
  updateEnvironment: { type: 'production', sortOrder: 3 },
};
