import { Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { Feature, FeatureEnvironment } from '../../../model/feature.ts';
import { isWatched, type ReleasePlan } from '../../../model/release-plan.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { AppliedCommit } from '../../../state/state.ts';
import { findProjectEnvironment } from '../../shared/lookup.ts';

/** A plan that the service must look after. */
export interface WatchedPlan {
  readonly featureName: string;
  readonly environment: string;
  readonly plan: ReleasePlan;
}

/** The settings of a flag that is on in an environment. */
interface WatchedSettings {
  readonly featureName: string;
  readonly config: FeatureEnvironment;
}

/** The settings with a plan or with safeguards that the service must look after, as they are when this is called. */
export function* watchedSettings(reader: StateReader): Steps<WatchedSettings[]> {
  const features = [...reader.lookup('watchedFeatures', '')];
  const found: WatchedSettings[] = [];
  for (const { name, project, archived, environments } of features) {
    for (const config of archived ? [] : environments) {
      const isWatchedHere = config.safeguards !== undefined || (config.releasePlan && isWatched(config.releasePlan));
      if (!config.enabled || !isWatchedHere) continue;
      if (!(findProjectEnvironment(reader, project, config.environment) instanceof Rejection))
        found.push({ featureName: name, config });
    }
    yield;
  }
  return found;
}

/** The plans that the service must look after. */
export function* watchedPlans(reader: StateReader): Steps<WatchedPlan[]> {
  const settings = yield* watchedSettings(reader);
  return settings.flatMap(({ featureName, config: { environment, releasePlan } }) =>
    releasePlan && isWatched(releasePlan) ? [{ featureName, environment, plan: releasePlan }] : [],
  );
}

/** Whether the commit may change what the service must look after, or the setting that states whether the service is in maintenance mode. */
export function concernsPlans({ changes, bulk }: AppliedCommit): boolean {
  if (bulk) return true;
  for (const { collection, before, after } of changes) {
    if (collection === 'settings') return true;
    if (collection === 'features' && (hasPlan(before) || hasPlan(after))) return true;
  }
  return false;
}

function hasPlan(feature: Feature | undefined): boolean {
  return feature?.environments.some(({ releasePlan }) => releasePlan !== undefined) === true;
}
