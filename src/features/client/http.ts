import type { FeatureHttp } from '../feature-module.ts';
import { deltaEndpoints } from './delta-routes.ts';
import { clientFeatureEndpoints } from './list-routes.ts';
import { streamingEndpoints } from './streaming-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...deltaEndpoints, ...clientFeatureEndpoints, ...streamingEndpoints],
  glossary: {
    'clientFeature.parameters': 'Deprecated: parameters of the first strategy',
    'clientFeature.strategies.variants': 'Variants of the strategy; they replace those of the flag',
    'clientFeature.dependencies.enabled': 'Whether the other flag has to be on, or off',
    'clientFeature.dependencies.variants': 'Variants of the other flag, one of which must be selected; empty: any',
    'clientFeature.type': 'What the flag is for',
    'clientFeatures.features': 'The flags that the token may see',
    'clientFeatures.segments': 'Segments that the flags use',
    'clientFeatures.meta.revisionId': 'Revision of this state',
    'clientFeatures.meta.etag': 'The answer’s ETag',
    'clientFeatures.meta.queryHash': 'Hash of the query',
  },
};
