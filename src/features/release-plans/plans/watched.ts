import { Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { Feature } from '../../../model/feature.ts';
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

/** The plans that the service must look after, as they are when this is called. */
export function* watchedPlans(reader: StateReader): Steps<WatchedPlan[]> {
  const features = [...reader.lookup('watchedFeatures', '')];
  const found: WatchedPlan[] = [];
  for (const feature of features) {
    for (const watched of plansOf(feature))
      if (!(findProjectEnvironment(reader, feature.project, watched.environment) instanceof Rejection))
        found.push(watched);
    yield;
  }
  return found;
}

function* plansOf({ name, archived, environments }: Feature): Generator<WatchedPlan> {
  if (archived) return;
  for (const { environment, enabled, releasePlan } of environments)
    if (enabled && releasePlan && isWatched(releasePlan)) yield { featureName: name, environment, plan: releasePlan };
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
