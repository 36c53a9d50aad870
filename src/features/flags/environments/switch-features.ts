import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { type CommandContext, longCommand } from '../../../engine/command.ts';
import type { Feature } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import { withStrategies } from '../../../model/release-plan.ts';
import { findProjectEnvironment } from '../../shared/lookup.ts';
import { continuePlan } from '../plans/starting.ts';
import { firstStrategy } from '../strategies/default-strategies.ts';
import { type FoundLocation, findFeatureLocation, nextSortOrder, switchOff, withEnvironment } from './settings.ts';

const SwitchInput = Type.Object({
  project: NameReference,
  names: Type.Array(NameReference),
  environment: NameReference,
  enabled: Type.Boolean(),
  activateDisabledStrategies: Type.Boolean({
    description:
      'When flags are switched on: true enables their disabled strategies; false adds a strategy to a flag whose strategies are all disabled',
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
