import Type, { type Static } from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import type { CommandContext } from '../../../engine/command.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../../model/feature.ts';
import { NameReference, SORT_ORDER_MAX } from '../../../model/primitives.ts';
import type { Strategy } from '../../../model/strategy.ts';
import type { StateReader } from '../../../state/collections.ts';
import { findFeature, findProjectEnvironment } from '../../shared/lookup.ts';

/** One flag in one environment of its project. */
export const FeatureLocation = Type.Object({
  project: NameReference,
  featureName: NameReference,
  environment: NameReference,
});
export type FeatureLocation = Static<typeof FeatureLocation>;

export interface FoundLocation {
  readonly feature: Feature;
  readonly config: FeatureEnvironment;
}

/** Finds the flag and its configuration in the environment. The project must have both the flag and the environment. */
export function findFeatureLocation(
  reader: StateReader,
  { project, featureName, environment }: FeatureLocation,
  archived: 'active' | 'any' = 'active',
): FoundLocation | Rejection {
  const feature = findFeature(reader, project, featureName, archived);
  if (feature instanceof Rejection) return feature;
  const found = findProjectEnvironment(reader, project, environment);
  if (found instanceof Rejection) return found;
  return { feature, config: featureEnvironment(feature, environment) };
}

/** Returns the flag with `config` in place of its earlier configuration for the same environment. The order of the environments stays. */
export function withEnvironment(feature: Feature, config: FeatureEnvironment): Feature {
  const at = feature.environments.findIndex(({ environment }) => environment === config.environment);
  const environments = at < 0 ? [...feature.environments, config] : feature.environments.with(at, config);
  return { ...feature, environments };
}

/** Switches the flag off in the environment and keeps its strategies. Does nothing if the flag is already off. */
export function switchOff({ draft, emit }: CommandContext, { feature, config }: FoundLocation): void {
  if (!config.enabled) return;
  draft.put('features', withEnvironment(feature, { ...config, enabled: false }));
  emit({
    type: 'feature-environment-disabled',
    project: feature.project,
    featureName: feature.name,
    environment: config.environment,
    data: { enabled: false },
    preData: { enabled: true },
  });
}

/** Returns the sort order that puts a new strategy after the existing strategies. */
export function nextSortOrder(strategies: readonly Strategy[]): number {
  const last = strategies.reduce((highest, strategy) => Math.max(highest, strategy.sortOrder), -1);
  return Math.min(last + 1, SORT_ORDER_MAX);
}
