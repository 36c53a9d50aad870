import Type, { type Static } from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { type CommandContext, longCommand } from '../../../engine/command.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../../model/feature.ts';
import { NameReference, SORT_ORDER_MAX } from '../../../model/primitives.ts';
import { withStrategies } from '../../../model/release-plan.ts';
import type { Strategy } from '../../../model/strategy.ts';
import type { StateReader } from '../../../state/collections.ts';
import { continuePlan } from '../../release-plans/plans/starting.ts';
import { findFeature, findProjectEnvironment } from '../../shared/lookup.ts';
import { firstStrategy } from '../strategies/default-strategies.ts';

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

const SwitchInput = Type.Object({
  project: NameReference,
  names: Type.Array(NameReference),
  environment: NameReference,
  enabled: Type.Boolean(),
  activateDisabledStrategies: Type.Boolean({
    description:
      'When flags are switchedFeatures on: true enables their disabled strategies; false adds a strategy to a flag whose strategies are all disabled',
  }),
});

/** Switches flags on or off in one environment, all or none. Returns the flags as they are afterwards. */
export const switchFeatures = longCommand({
  name: 'switch-features',
  input: SwitchInput,
  *decide(context, input) {
    const environment = findProjectEnvironment(context.draft, input.project, input.environment);
    if (environment instanceof Rejection) return environment;
    const switchedFeatures: Feature[] = [];
    for (const featureName of new Set(input.names)) {
      const location = { project: input.project, featureName, environment: input.environment };
      const found = findFeatureLocation(context.draft, location);
      if (found instanceof Rejection) return found;
      if (input.enabled) switchOn(context, found, input.activateDisabledStrategies);
      else switchOff(context, found);
      switchedFeatures.push(context.draft.get('features', featureName) ?? found.feature);
      yield;
    }
    return switchedFeatures;
  },
});

/**
 * Switches the flag on in the environment. The flag must then be on for some users, so a flag without an active strategy gets `firstStrategy`. SDKs
 * would treat a flag without strategies as on, but a flag with only disabled strategies as off. A release plan that waited starts its first milestone.
 */
function switchOn(context: CommandContext, found: FoundLocation, activateDisabled: boolean): void {
  const { draft, emit } = context;
  const { feature, config } = found.config.enabled ? found : continuePlan(context, found.feature, found.config);
  const location = { project: feature.project, featureName: feature.name, environment: config.environment };
  let { strategies } = config;
  if (activateDisabled) {
    strategies = strategies.map((strategy) => {
      if (!strategy.disabled) return strategy;
      const active = { ...strategy, disabled: false };
      emit({ ...location, type: 'feature-strategy-update', data: active, preData: strategy });
      return active;
    });
  }
  if (strategies.every((strategy) => strategy.disabled)) {
    const strategy = {
      ...firstStrategy(draft, feature, config.environment),
      id: context.newId(),
      sortOrder: nextSortOrder(strategies),
    };
    strategies = [...strategies, strategy];
    emit({ ...location, type: 'feature-strategy-add', data: strategy });
  }
  if (config.enabled && strategies.every((strategy, index) => strategy === config.strategies[index])) return;
  const firstEnabledAt = config.firstEnabledAt ?? context.now;
  const settings = withStrategies({ ...config, enabled: true, firstEnabledAt }, strategies);
  draft.put('features', withEnvironment(feature, settings));
  if (!config.enabled) {
    emit({ ...location, type: 'feature-environment-enabled', data: { enabled: true }, preData: { enabled: false } });
  }
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
