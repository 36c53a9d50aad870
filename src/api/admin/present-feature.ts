import { type Feature, featureEnvironment } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';

/** The flag as the admin API answers it (contract: Feature): with one entry for each environment of its project, in their order. */
export function presentFeature(feature: Feature, state: StateReader) {
  const environments = presentEnvironments(feature, state);
  return {
    name: feature.name,
    type: feature.type,
    description: feature.description,
    archived: feature.archived,
    project: feature.project,
    enabled: environments.some((environment) => environment.enabled),
    stale: feature.stale,
    favorite: false,
    impressionData: feature.impressionData,
    createdAt: feature.createdAt,
    createdBy: { ...feature.createdBy, imageUrl: '' },
    archivedAt: feature.archivedAt,
    lastSeenAt: null,
    environments,
    variants: [],
    strategies: [],
    tags: feature.tags,
    children: [...state.lookup('featuresByParent', feature.name)].map((child) => child.name).sort(),
    dependencies: feature.dependencies,
  };
}

/** The flag's configuration in one environment (contract: Feature environment). */
export function presentEnvironment(feature: Feature, environmentName: string, state: StateReader) {
  const environment = state.get('environments', environmentName);
  const { enabled, strategies, variants } = featureEnvironment(feature, environmentName);
  return {
    name: environmentName,
    featureName: feature.name,
    environment: environmentName,
    type: environment?.type ?? '',
    enabled,
    sortOrder: environment?.sortOrder ?? 0,
    variantCount: variants.length,
    strategies: strategies.map((strategy) => ({ ...strategy, featureName: feature.name })),
    variants,
    lastSeenAt: null,
    hasStrategies: strategies.length > 0,
    hasEnabledStrategies: strategies.some((strategy) => !strategy.disabled),
  };
}

function presentEnvironments(feature: Feature, state: StateReader) {
  const names = state.get('projects', feature.project)?.environments ?? [];
  return names
    .map((name) => presentEnvironment(feature, name, state))
    .sort((left, right) => left.sortOrder - right.sortOrder || (left.name < right.name ? -1 : 1));
}
