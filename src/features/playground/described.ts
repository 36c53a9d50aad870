import type { Glossary } from '../../http/field-descriptions.ts';

/** Meaning of the fields in this feature's requests and answers, if their schemas do not state it. */
export const glossary: Glossary = {
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
};
