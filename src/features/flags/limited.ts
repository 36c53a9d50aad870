import type { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Transition } from '../../engine/guard.ts';
import type { Constraint } from '../../model/constraint.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import type { Limits } from '../../model/limits.ts';
import type { StateReader } from '../../state/collections.ts';
import { growthProblem, type LimitedCollections, limitRejection, type Measures } from '../shared/limit-checks.ts';
import {
  maximum,
  measureAllEnvironments,
  measureEnvironment,
  prepareAllEnvironments,
  prepareMeasuring,
} from './rule-costs.ts';

/** Number of flags that are looked at in one step. */
const STEP_FLAGS = 64;

/** How flags are measured. */
export const limited: LimitedCollections = {
  features: {
    hasSameMeasures,
    problem: ({ entity }, transition, limits) => featureProblem(transition, entity, limits),
    *problemTogether(changed, transition, limits) {
      let addsLiveFlags = false;
      let changesPlans = false;
      for (const [index, { entity, previous }] of changed.entries()) {
        addsLiveFlags ||= isLive(entity) && !isLive(previous);
        changesPlans ||= entity.environments.some(({ releasePlan, safeguards }) => releasePlan ?? safeguards);
        if (index % STEP_FLAGS === STEP_FLAGS - 1) yield;
      }
      return (
        (addsLiveFlags ? liveFlagsProblem(transition, limits) : undefined) ??
        (changesPlans ? plansProblem(transition, limits) : undefined)
      );
    },
  },
};

/** Whether all parts of a flag that limits measure are unchanged. If a flag was only switched on or off, it is not measured again. */
function hasSameMeasures(previous: Feature, feature: Feature): boolean {
  if (previous.archived !== feature.archived || previous.tags !== feature.tags) return false;
  if (previous.dependencies !== feature.dependencies || previous.links !== feature.links) return false;
  for (const config of feature.environments) {
    const previousConfig = previous.environments.find(({ environment }) => environment === config.environment);
    if (!previousConfig || !hasSameContent(previousConfig, config)) return false;
  }
  return true;
}

function hasSameContent(previousConfig: FeatureEnvironment, config: FeatureEnvironment): boolean {
  if (previousConfig.releasePlan !== config.releasePlan || previousConfig.safeguards !== config.safeguards)
    return false;
  return previousConfig.strategies === config.strategies && previousConfig.variants === config.variants;
}

function liveFlagsProblem({ before, after }: Transition, limits: Limits): Rejection | undefined {
  const count = liveFlags(after);
  if (count <= limits.featureFlags || count <= liveFlags(before)) return undefined;
  return limitRejection('', 'featureFlags', count, limits);
}

/** Checks the numbers of plans and safeguards of all flags. A flag may have them in each environment. */
function plansProblem({ before, after }: Transition, limits: Limits): Rejection | undefined {
  for (const [name, index] of [
    ['releasePlans', 'plannedFeatures'],
    ['guardedReleasePlans', 'guardedFeatures'],
    ['querySafeguards', 'queryingFeatures'],
  ] as const) {
    const count = after.sum(index, '');
    if (count > limits[name] && count > before.sum(index, '')) return limitRejection('', name, count, limits);
  }
  return undefined;
}

/** Returns a rejection if `added` more live flags would exceed the limit; undefined if they would not, or if `added` is 0. */
export function addedFlagsProblem(reader: StateReader, added: number, limits: Limits): Rejection | undefined {
  const count = liveFlags(reader) + added;
  return added > 0 && count > limits.featureFlags ? limitRejection('', 'featureFlags', count, limits) : undefined;
}

function isLive(feature: Feature | undefined): boolean {
  return feature !== undefined && !feature.archived;
}

function liveFlags(reader: StateReader): number {
  return reader.size('features') - reader.count('archivedFeatures', '');
}

/** Measures of a flag that do not depend on the environment. */
function measureFlag({ tags, dependencies, links }: Feature): Measures {
  return {
    featureTags: tags.length,
    featureLinks: links?.length ?? 0,
    featureDependencies: dependencies.length,
    dependencyVariants: maximum(dependencies, ({ variants }) => variants.length),
  };
}

/** Returns a rejection if the flag exceeds a limit and has grown. Environments with unchanged strategies and variants are skipped. */
export function* featureProblem(
  transition: Transition,
  feature: Feature,
  limits: Limits,
): Steps<Rejection | undefined> {
  const { before } = transition;
  const subject = `The feature ${feature.name}`;
  const previous = before.get('features', feature.name);
  const flagProblem = growthProblem(subject, measureFlag(feature), () => previous && measureFlag(previous), limits);
  if (flagProblem) return flagProblem;
  let hasChanged = false;
  for (const config of feature.environments) {
    const previousConfig = previous?.environments.find(({ environment }) => environment === config.environment);
    if (previousConfig && hasSameContent(previousConfig, config)) continue;
    hasChanged = true;
    const problem = yield* environmentProblem(transition, subject, config, previousConfig, limits);
    if (problem) return problem;
  }
  if (!hasChanged) return undefined;
  yield* prepareAllEnvironments(feature);
  return growthProblem(
    subject,
    measureAllEnvironments(feature),
    () => previous && measureAllEnvironments(previous),
    limits,
  );
}

/** Returns a rejection if the configuration in one environment exceeds a limit and has grown, by itself or by its segments. */
export function* environmentProblem(
  { before, after }: Transition,
  subject: string,
  config: FeatureEnvironment,
  previous: FeatureEnvironment | undefined,
  limits: Limits,
): Steps<Rejection | undefined> {
  yield* prepareMeasuring(config, after);
  return growthProblem(
    subject,
    measureEnvironment(config, after),
    () => previous && measureEnvironment(previous, before),
    limits,
  );
}

/** Returns a rejection if a constraint has more values than strategies and segments allow. It is for a constraint that belongs to neither yet. */
export function constraintValuesProblem({ values = [] }: Constraint, limits: Limits): Rejection | undefined {
  const name = limits.segmentValues > limits.constraintValues ? 'segmentValues' : 'constraintValues';
  return values.length > limits[name] ? limitRejection('', name, values.length, limits) : undefined;
}
