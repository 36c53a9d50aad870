import type { FeatureHttp } from '../feature-module.ts';
import { deltaEndpoints } from './delta-routes.ts';
import { clientFeatureEndpoints } from './list-routes.ts';
import { streamingEndpoints } from './streaming-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...deltaEndpoints, ...clientFeatureEndpoints, ...streamingEndpoints],
  glossary: {
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
  },
};
