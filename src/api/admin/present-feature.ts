import { favoriteNames } from '../../commands/favorite.ts';
import type { Caller } from '../../model/caller.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { StateReader } from '../../state/collections.ts';

/** The names of the flags that the caller marked. */
export function favoriteFeatures(state: StateReader, { user }: Caller): ReadonlySet<string> {
  return favoriteNames(state, user, 'feature');
}

/**
 * The flag as the admin API answers it (contract: Feature): with one entry for each environment of its project, in their order. `favorites` are
 * the names of the caller's (`favoriteNames`), gathered once for an answer.
 */
export function presentFeature(feature: Feature, state: StateReader, favorites: ReadonlySet<string>) {
  const environments = presentEnvironments(feature, state);
  return {
    name: feature.name,
    type: feature.type,
    description: feature.description,
    archived: feature.archived,
    project: feature.project,
    enabled: environments.some((environment) => environment.enabled),
    stale: feature.stale,
    favorite: favorites.has(feature.name),
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
    strategies: strategies.map((strategy) => presentStrategy(strategy, feature.name)),
    variants,
    lastSeenAt: null,
    hasStrategies: strategies.length > 0,
    hasEnabledStrategies: strategies.some((strategy) => !strategy.disabled),
  };
}

/** Contract: Feature strategy. */
export function presentStrategy(strategy: Strategy, featureName: string) {
  return { ...strategy, featureName };
}

/** Names of the project's environments in their order. */
export function environmentNames(project: string, state: StateReader): string[] {
  const place = (name: string) => state.get('environments', name)?.sortOrder ?? 0;
  const names = state.get('projects', project)?.environments ?? [];
  return [...names].sort((left, right) => place(left) - place(right) || (left < right ? -1 : 1));
}

function presentEnvironments(feature: Feature, state: StateReader) {
  return environmentNames(feature.project, state).map((name) => presentEnvironment(feature, name, state));
}
