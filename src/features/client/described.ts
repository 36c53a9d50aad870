import type { Glossary } from '../../http/field-descriptions.ts';

/** Meaning of the fields in this feature's requests and answers, if their schemas do not state it. */
export const glossary: Glossary = {
  'clientFeature.parameters': 'Deprecated: parameters of the first strategy',
  'clientFeature.strategies.variants': 'Variants of the strategy; they replace the variants of the flag',
  'clientFeature.dependencies.enabled': 'Whether the parent flag must be on (`true`) or off (`false`)',
  'clientFeature.dependencies.variants':
    'Variants of the parent flag, one of which must be selected; empty for any variant',
  'clientFeature.type': 'Type of the flag, for example `release`',
  'clientFeatures.features': 'The flags that the token may see',
  'clientFeatures.segments': 'Segments that the flags use',
  'clientFeatures.meta.revisionId': 'Revision of this state',
  'clientFeatures.meta.etag': 'ETag of the answer',
  'clientFeatures.meta.queryHash': 'Hash of the filters in the query',
};
