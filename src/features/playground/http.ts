import type { FeatureHttp } from '../feature-module.ts';
import { advancedPlaygroundEndpoints } from './advanced-routes.ts';
import { playgroundEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...advancedPlaygroundEndpoints, ...playgroundEndpoints],
  glossary: {
    'advancedPlaygroundRequest.environments': 'Names of the environments in which flags are evaluated',
    'playgroundFeature.strategies.data': 'The result of each strategy',
    'playgroundStrategy.result': 'Whether the strategy is met',
    'playgroundStrategy.result.enabled': 'Whether it is met; `unknown` if that cannot be decided',
    'playgroundStrategy.name': 'Name of the strategy type',
    'playgroundStrategy.disabled': 'Whether it was skipped because it is disabled',
    'playgroundStrategy.links': 'Links to its pages',
    'playgroundStrategy.id': 'Id of the strategy',
    'playgroundStrategy.segments': 'The result of each segment',
    'playgroundStrategy.constraints': 'The result of each condition',
  },
};
