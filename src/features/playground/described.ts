import type { Glossary } from '../../http/described.ts';

/** What fields of this feature's requests and answers mean, where their schema does not say so. */
export const glossary: Glossary = {
  'advancedPlaygroundRequest.environments': 'Names of the environments to evaluate in',
  'playgroundFeature.strategies.data': 'What came out of each strategy',
  'playgroundStrategy.result': 'Whether the strategy is met',
  'playgroundStrategy.result.enabled': 'Whether it is met; `unknown` when that cannot be said',
  'playgroundStrategy.name': 'Name of the strategy type',
  'playgroundStrategy.disabled': 'Whether it was left out because it is disabled',
  'playgroundStrategy.links': 'Where to find it',
  'playgroundStrategy.id': 'Id of the strategy',
  'playgroundStrategy.segments': 'What came out of each segment',
  'playgroundStrategy.constraints': 'What came out of each condition',
};
