import type { FeatureHttp } from '../feature-module.ts';
import { environmentEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: environmentEndpoints,
  examples: {
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
  },
};
