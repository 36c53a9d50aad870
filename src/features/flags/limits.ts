import { fixed, limit } from '../../model/limits.ts';

export const FLAG_LIMITS = {
  featureFlags: limit('feature flags that are not archived', 100_000, 1_000_000, 'UNLEASH_FEATURE_FLAGS_LIMIT'),
  featureEnvironmentStrategies: limit(
    'strategies of a flag in one environment',
    30,
    100,
    'UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT',
  ),
  featureBytes: limit(
    'bytes of a flag in one environment, including its segments, as SDKs get it',
    250_000,
    1_000_000,
    'FEATURE_BYTES_LIMIT',
  ),
  storedFeatureBytes: limit(
    'bytes of a flag in all its environments',
    500_000,
    2_000_000,
    'STORED_FEATURE_BYTES_LIMIT',
  ),
  featureTags: limit('tags of a flag', 100, 1_000, 'FEATURE_TAGS_LIMIT'),
  featureLinks: limit('links of a flag', 10, 100, 'FEATURE_LINKS_LIMIT'),
  overrideFields: fixed('context fields that the overrides of a flag use in one environment', 50),
  featureDependencies: limit('flags that a flag depends on', 5, 10, 'FEATURE_DEPENDENCIES_LIMIT'),
  dependencyVariants: limit('variants in one dependency of a flag', 100, 1_000, 'DEPENDENCY_VARIANTS_LIMIT'),
  tags: limit('tags that were created without a flag', 10_000, 100_000, 'TAGS_LIMIT', { counts: 'tags' }),
  tagTypes: limit('tag types', 500, 5_000, 'TAG_TYPES_LIMIT', { counts: 'tagTypes' }),
  strategyTypes: limit('strategy types', 500, 5_000, 'STRATEGY_TYPES_LIMIT', { counts: 'strategyTypes' }),
  favorites: limit('flags and projects that users marked as favourites', 100_000, 1_000_000, 'FAVORITES_LIMIT', {
    counts: 'favorites',
  }),
  expressionCost: fixed('units (0.1 µs each) of time to compile the conditions of a flag in one environment', 100_000),
  evaluationCost: fixed('µs of time to evaluate a flag in one environment, for the slowest possible context', 1_000),
  linkLength: fixed('characters of the URL of a link', 2_000),
  favoritesOfUser: fixed('flags and projects that one user marked as favourites', 1_000, {
    counts: 'favorites',
    ofUser: 'favoritesByUser',
  }),
  batch: fixed('flags that one request changes', 100),
};
