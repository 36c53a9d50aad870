import type { Glossary } from '../../http/described.ts';

/** What fields of this feature's requests and answers mean, where their schema does not say so. */
export const glossary: Glossary = {
  'clientFeature.parameters': 'Deprecated: parameters of the first strategy',
  'clientFeature.strategies.variants': 'Variants of the strategy; they take the place of the flag’s',
  'clientFeature.dependencies.enabled': 'Whether the other flag has to be on, or off',
  'clientFeature.dependencies.variants': 'Variants of the other flag, one of which has to be chosen; none for any',
  'clientFeature.type': 'What the flag is for',
  'clientFeatures.features': 'The flags that the token may see',
  'clientFeatures.segments': 'Segments that the flags use',
  'clientFeatures.meta.revisionId': 'Number of the change that this state is of',
  'clientFeatures.meta.etag': 'The answer’s ETag',
  'clientFeatures.meta.queryHash': 'Stands for what was asked for',
};
