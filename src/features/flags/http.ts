import type { FeatureHttp } from '../feature-module.ts';
import { featureArchiveEndpoints } from './archive/routes.ts';
import { featuresBatchEndpoints } from './batch-routes.ts';
import { constraintEndpoints } from './constraints/routes.ts';
import { dependencyEndpoints } from './dependencies/routes.ts';
import { examples, glossary } from './described.ts';
import { featureEnvironmentEndpoints } from './environments/routes.ts';
import { favoriteEndpoints } from './favorites/routes.ts';
import { featureLinkEndpoints } from './links/routes.ts';
import { featureEndpoints } from './routes.ts';
import { featureSearchEndpoints } from './search/routes.ts';
import { strategyEndpoints } from './strategies/routes.ts';
import { strategyTypeEndpoints } from './strategies/type-routes.ts';
import { featureTagEndpoints } from './tags/routes.ts';
import { tagEndpoints } from './tags/tag-routes.ts';
import { tagTypeEndpoints } from './tags/tag-types.ts';
import { featureTypeEndpoints } from './types/routes.ts';
import { variantEndpoints } from './variants/routes.ts';

export const http: FeatureHttp = {
  endpoints: [
    ...featureArchiveEndpoints,
    ...featuresBatchEndpoints,
    ...constraintEndpoints,
    ...dependencyEndpoints,
    ...featureEnvironmentEndpoints,
    ...favoriteEndpoints,
    ...featureLinkEndpoints,
    ...featureEndpoints,
    ...featureSearchEndpoints,
    ...strategyEndpoints,
    ...strategyTypeEndpoints,
    ...featureTagEndpoints,
    ...tagEndpoints,
    ...tagTypeEndpoints,
    ...featureTypeEndpoints,
    ...variantEndpoints,
  ],
  glossary,
  examples,
};
