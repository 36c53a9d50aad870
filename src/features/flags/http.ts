import type { FeatureHttp } from '../feature-module.ts';
import { featureArchiveEndpoints } from './archive/routes.ts';
import { constraintEndpoints } from './constraints/routes.ts';
import { dependencyEndpoints } from './dependencies/routes.ts';
import { copyEndpoints } from './environments/copy-routes.ts';
import { featureEnvironmentEndpoints } from './environments/routes.ts';
import { favoriteEndpoints } from './favorites/routes.ts';
import { featureLinkEndpoints } from './links/routes.ts';
import { featureEndpoints } from './routes.ts';
import { featureSearchEndpoints } from './search/routes.ts';
import { strategyEndpoints } from './strategies/routes.ts';
import { strategyTypeEndpoints } from './strategies/strategy-types.ts';
import { featureTagEndpoints } from './tags/flag-tag-routes.ts';
import { tagEndpoints } from './tags/tag-routes.ts';
import { tagTypeEndpoints } from './tags/tag-types.ts';
import { featureTypeEndpoints } from './types/routes.ts';
import { variantEndpoints } from './variants/routes.ts';

export const http: FeatureHttp = {
  endpoints: [
    ...featureArchiveEndpoints,
    ...constraintEndpoints,
    ...dependencyEndpoints,
    ...featureEnvironmentEndpoints,
    ...copyEndpoints,
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
  glossary: {
    'batchFeatures.features': 'Names of the flags',
    'batchStale.features': 'Names of the flags',
    'createFeature.type': 'What the flag is for',
    'environmentCopy.enabled.before': 'Before the copy',
    'environmentCopy.enabled.after': 'After the copy',
    'environmentCopy.variants.before': 'The variants before the copy',
    'environmentCopy.variants.after': 'The variants after the copy',
    'environmentCopy.changedStrategies.before': 'The strategy of the target before the copy',
    'environmentCopy.changedStrategies.after': 'The strategy after the copy; its new id is not known in a preview',
    'createStrategyType.parameters': 'Parameters that strategies of the type have',
    'createStrategyType.type': 'Kind of the value',
    'feature.createdAt': 'When the flag was created',
    'feature.createdBy.name': 'Name of the user when the flag was created',
    'feature.type': 'What the flag is for',
    'feature.environments.type': 'Kind of the environment, for example `production`',
    'feature.environments.name': 'Name of the environment',
    'feature.strategies': 'Deprecated: each environment has its own strategies',
    'feature.variants': 'Deprecated: each environment has its own variants',
    'feature.lastSeenAt': 'Deprecated: each environment has its own `lastSeenAt`',
    'feature.dependencies': 'Flags that this flag depends on: its parents',
    'feature.dependencies.enabled': 'Whether the parent must be on (`true`) or off (`false`)',
    'feature.dependencies.variants': 'Variants of the parent, one of which must be selected; empty: any',
    'features.features': 'The flags',
    'getTag.tag': 'The tag',
    'strategyType.name': 'Name by which strategies refer to this type',
    'strategyType.parameters': 'Parameters that strategies of the type have',
    'strategyType.parameters.type': 'Kind of the value: string, percentage, list, number or boolean',
    'variantsBatch.environments': 'Names of the environments',
    'featureTypes.types': 'The types of flags',
    'setStrategySortOrder.id': 'Id of the strategy',
  },
  examples: {
    copyFeatureEnvironment: { targets: ['production'], parts: ['strategies'] },
    'getStrategy.name': 'byRegion',
    'updateStrategy.name': 'byRegion',
    'removeStrategy.name': 'byRegion',
    'deprecateStrategy.name': 'byRegion',
    'reactivateStrategy.name': 'byRegion',
    'getTagType.name': 'area',
    'updateTagType.name': 'area',
    'deleteTagType.name': 'area',
    'getTag.type': 'simple',
    'getTag.value': 'payments',
    'deleteTag.type': 'simple',
    'deleteTag.value': 'payments',
    'removeTag.type': 'simple',
    'removeTag.value': 'payments',
    'addFeatureDependency.feature': 'checkout.new',
    addFeatureStrategy: {
      name: 'flexibleRollout',
      title: 'A quarter of Norway',
      parameters: { rollout: '25', stickiness: 'default', groupId: 'checkout.new' },
      constraints: [{ contextName: 'country', operator: 'IN', values: ['NO'] }],
      segments: [],
    },
    addTag: { type: 'simple', value: 'payments' },
    addTagToFeatures: {
      features: ['checkout.new'],
      tags: { addedTags: [{ type: 'simple', value: 'payments' }], removedTags: [] },
    },
    cloneFeature: { name: 'checkout.newer', replaceGroupId: true },
    createFeature: { name: 'search.fast', type: 'release', description: 'The new search' },
    createStrategy: {
      name: 'byDepartment',
      description: 'On for some departments',
      parameters: [{ name: 'departments', type: 'list', required: true }],
    },
    createTag: { type: 'simple', value: 'growth' },
    createTagType: { name: 'team', description: 'Who owns the flag' },
    'deleteFeature.featureName': 'checkout.old',
    deleteFeatures: { features: ['checkout.old'] },
    'reviveFeature.featureName': 'checkout.old',
    reviveFeatures: { features: ['checkout.old'] },
    overwriteEnvironmentFeatureVariants: [
      { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' },
    ],
    overwriteFeatureVariants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
    overwriteFeatureVariantsOnEnvironments: {
      environments: ['development'],
      variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
    },
    patchEnvironmentsFeatureVariants: [
      { op: 'add', path: '/0', value: { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' } },
    ],
    patchFeature: [{ op: 'replace', path: '/description', value: 'The new checkout, for everybody' }],
    patchFeatureStrategy: [{ op: 'replace', path: '/title', value: 'Everybody in Norway' }],
    setStrategySortOrder: [{ id: '7b1f7d5e-0f0a-4d53-9a59-0f3f1b3ad1b1', sortOrder: 0 }],
    updateFeature: { description: 'The new checkout', type: 'release', impressionData: true },
    'updateFeatureTypeLifetime.id': 'release',
    updateFeatureTypeLifetime: { lifetimeDays: 60 },
    updateStrategy: { parameters: [{ name: 'departments', type: 'list', required: true }] },
    updateTagType: { description: 'Who owns the flag' },
    validateConstraint: { contextName: 'country', operator: 'IN', values: ['NO'] },
    'changeProject.featureName': 'checkout.banner',
  },
};
