import { invalid, type Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Guard, Transition } from '../../engine/guard.ts';
import { type ChangeRequest, isOpen, requestBytes } from '../../model/change-request.ts';
import type { Constraint } from '../../model/constraint.ts';
import { type DefaultStrategy, defaultStrategyKey } from '../../model/default-strategy.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import { allLimits, type Limit, type LimitName, type Limits, limitEntries } from '../../model/limits.ts';
import { SYSTEM_USER_ID } from '../../model/primitives.ts';
import type { Segment } from '../../model/segment.ts';
import type { CollectionName, IndexName, StateReader } from '../../state/collections.ts';
import type { Change } from '../../state/commit.ts';
import {
  type Measures,
  measureAllEnvironments,
  measureChangeRequest,
  measureContextField,
  measureEnvironment,
  measureFlag,
  measureProject,
  measureSegment,
  prepareAllEnvironments,
  prepareCosts,
  prepareMeasuring,
} from './measures.ts';

/** Enforces the limits for every command, except for commands of the service itself, such as the creation of the first content. */
export const limitGuard: Guard = {
  name: 'limits',
  *beforeCommit({ before, after, changes, caller, limits }) {
    if (caller.kind === 'system' && caller.author.id === SYSTEM_USER_ID) return undefined;
    return yield* limitProblem({ before, after }, changes, limits);
  },
};

/**
 * Returns undefined if the changes of a command stay within the limits, otherwise a rejection that names the exceeded limit. Every command is
 * checked, so that no command can bypass a limit. Only growth is refused: an entity that already exceeds a lowered limit stays, and may be changed
 * if it does not grow.
 */
export function* limitProblem(
  transition: Transition,
  changes: readonly Change[],
  limits: Limits,
): Steps<Rejection | undefined> {
  const grownCollections: CollectionName[] = [];
  let addsLiveFlags = false;
  let changesPlans = false;
  for (const change of changes) {
    const { collection, key, entity } = change;
    if (entity === undefined) continue;
    const previous = transition.before.get(collection, key);
    if (previous === undefined && !grownCollections.includes(collection)) grownCollections.push(collection);
    if (collection === 'features') {
      if (previous && hasSameMeasures(previous as Feature, entity as Feature)) {
        yield;
        continue;
      }
      addsLiveFlags ||= isLive(entity as Feature) && !isLive(previous as Feature | undefined);
      changesPlans ||= (entity as Feature).environments.some(
        ({ releasePlan, safeguards }) => releasePlan ?? safeguards,
      );
    }
    const problem = yield* entityProblem(transition, change, limits);
    if (problem) return problem;
    yield;
  }
  return (
    collectionSizesProblem(transition, grownCollections, limits) ??
    (addsLiveFlags ? liveFlagsProblem(transition, limits) : undefined) ??
    (changesPlans ? plansProblem(transition, limits) : undefined)
  );
}

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

/** Collection → its limit. `countLimits`: limits for all entities of a collection. `userLimits`: limits for the entities of one user. */
const countLimits = once(
  (): ReadonlyMap<CollectionName, LimitName> => limitsThatCount(({ ofUser }) => ofUser === undefined),
);
const userLimits = once(
  (): ReadonlyMap<CollectionName, LimitName> => limitsThatCount(({ ofUser }) => ofUser !== undefined),
);

function limitsThatCount(isIncluded: (limit: Limit) => boolean): ReadonlyMap<CollectionName, LimitName> {
  const limitOf = new Map<CollectionName, LimitName>();
  for (const [name, limit] of limitEntries()) {
    if (limit.counts && isIncluded(limit)) limitOf.set(limit.counts, name);
  }
  return limitOf;
}

/** Returns a function that calls `make` once and returns this result every time. */
function once<T>(make: () => T): () => T {
  let result: T | undefined;
  return () => {
    result ??= make();
    return result;
  };
}

function collectionSizesProblem(
  { after }: Transition,
  grown: readonly CollectionName[],
  limits: Limits,
): Rejection | undefined {
  for (const name of grown) {
    const limit = countLimits().get(name);
    const problem = limit && countProblem(limit, after.size(name), limits);
    if (problem) return problem;
  }
  return undefined;
}

/** Returns a rejection if `count` exceeds the limit; otherwise undefined. Commands can call it with the new count before they create anything. */
export function countProblem(name: LimitName, count: number, limits: Limits): Rejection | undefined {
  return count > limits[name] ? limitRejection('', name, count, limits) : undefined;
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

function* entityProblem(transition: Transition, change: Change, limits: Limits): Steps<Rejection | undefined> {
  const { before } = transition;
  switch (change.collection) {
    case 'features':
      return change.entity && (yield* featureProblem(transition, change.entity, limits));
    case 'segments':
      return change.entity && (yield* segmentProblem(transition, change.entity, limits));
    case 'defaultStrategies':
      return change.entity && (yield* defaultStrategyProblem(transition, change.entity, limits));
    case 'projects': {
      if (!change.entity) return undefined;
      const previous = before.get('projects', change.key);
      const subject = `The project ${change.key}`;
      return growthProblem(subject, measureProject(change.entity), () => previous && measureProject(previous), limits);
    }
    case 'contextFields': {
      if (!change.entity) return undefined;
      const previous = before.get('contextFields', change.key);
      const subject = `The context field ${change.key}`;
      return growthProblem(
        subject,
        measureContextField(change.entity),
        () => previous && measureContextField(previous),
        limits,
      );
    }
    case 'changeRequests':
      return change.entity && changeRequestProblem(transition, change.entity, limits);
    default:
      return change.entity && userLimitProblem(transition, change.collection, change.key, change.entity, limits);
  }
}

/** Returns a rejection if a new entity belongs to a user who then exceeds a limit for one user. */
function userLimitProblem(
  { before, after }: Transition,
  collection: CollectionName,
  key: string,
  entity: object,
  limits: Limits,
): Rejection | undefined {
  const name = userLimits().get(collection);
  if (!name || before.get(collection, key)) return undefined;
  const { ofUser } = allLimits()[name];
  return countProblem(
    name,
    after.count(ofUser as IndexName, String((entity as { readonly userId: number }).userId)),
    limits,
  );
}

function changeRequestProblem({ before, after }: Transition, request: ChangeRequest, limits: Limits) {
  const previous = before.get('changeRequests', String(request.id));
  const subject = `The change request ${request.id}`;
  const problem = growthProblem(
    subject,
    measureChangeRequest(request),
    () => previous && measureChangeRequest(previous),
    limits,
  );
  if (problem) return problem;
  if ((!previous || !isOpen(previous)) && isOpen(request)) {
    const count = after.count('openRequestsByProject', request.project);
    if (count > limits.openChangeRequests) return limitRejection('', 'openChangeRequests', count, limits);
  }
  // If the request does not grow, the sums do not grow either. This check saves time, because one command may suspend many change requests.
  if (previous && requestBytes(request) <= requestBytes(previous)) return undefined;
  return changeRequestBytesProblem({ before, after }, request, limits);
}

/** Checks the sums of the sizes of change requests. `dropOldClosed` has already removed closed change requests to free capacity. */
function changeRequestBytesProblem({ before, after }: Transition, { project }: ChangeRequest, limits: Limits) {
  const bytesOf = (reader: StateReader) => reader.sum('openRequests', '') + reader.sum('closedRequests', '');
  const open = after.sum('openRequestsByProject', project);
  if (open > limits.openChangeRequestBytes && open > before.sum('openRequestsByProject', project)) {
    return limitRejection(`The project ${project}`, 'openChangeRequestBytes', open, limits);
  }
  const all = bytesOf(after);
  if (all <= limits.changeRequestsBytes || all <= bytesOf(before)) return undefined;
  return limitRejection('', 'changeRequestsBytes', all, limits);
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
function* environmentProblem(
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

/** Checks the default strategy as the only strategy of a flag, because every flag that gets this strategy must be within the limits. */
function* defaultStrategyProblem(
  { before, after }: Transition,
  defaultStrategy: DefaultStrategy,
  limits: Limits,
): Steps<Rejection | undefined> {
  const { project, environment } = defaultStrategy;
  const config = configOf(defaultStrategy);
  const previous = before.get('defaultStrategies', defaultStrategyKey(project, environment));
  yield* prepareMeasuring(config, after);
  const measureBefore = () => previous && measureEnvironment(configOf(previous), before);
  return growthProblem('The default strategy', measureEnvironment(config, after), measureBefore, limits);
}

/** Returns the configuration of a flag whose only strategy is the default strategy. */
function configOf({ environment, strategy }: DefaultStrategy): FeatureEnvironment {
  return { environment, enabled: true, strategies: [{ ...strategy, id: '', sortOrder: 0 }], variants: [] };
}

/** Checks a segment and all flags that use it: if a segment grows, these flags grow too. */
function* segmentProblem(transition: Transition, segment: Segment, limits: Limits): Steps<Rejection | undefined> {
  const { before, after } = transition;
  const previous = before.get('segments', String(segment.id));
  yield* prepareCosts(segment.constraints);
  yield* prepareCosts(previous?.constraints ?? []);
  const measures = measureSegment(segment);
  const problem = growthProblem(
    `The segment ${segment.name}`,
    measures,
    () => previous && measureSegment(previous),
    limits,
  );
  if (problem || !previous || !outgrows(measures, measureSegment(previous))) return problem;
  for (const feature of after.lookup('featuresBySegment', String(segment.id))) {
    const environmentsBefore = before.get('features', feature.name)?.environments ?? [];
    // Of an unchanged flag, only the environments that use the segment have grown.
    for (const config of feature.environments) {
      if (!config.strategies.some(({ segments }) => segments.includes(segment.id))) continue;
      const previousConfig = environmentsBefore.find(({ environment }) => environment === config.environment);
      const subject = `The feature ${feature.name}`;
      const problem = yield* environmentProblem(transition, subject, config, previousConfig, limits);
      if (problem) return problem;
    }
    yield;
  }
  return undefined;
}

/** Returns a rejection if a constraint has more values than strategies and segments allow. It is for a constraint that belongs to neither yet. */
export function constraintValuesProblem({ values = [] }: Constraint, limits: Limits): Rejection | undefined {
  const name = limits.segmentValues > limits.constraintValues ? 'segmentValues' : 'constraintValues';
  return values.length > limits[name] ? limitRejection('', name, values.length, limits) : undefined;
}

const limitNames = once(() => limitEntries().map(([name]) => name));

/** Whether any measure is greater than before. */
function outgrows(after: Measures, before: Measures): boolean {
  for (const name in after) if ((after[name as LimitName] ?? 0) > (before[name as LimitName] ?? 0)) return true;
  return false;
}

/** Returns a rejection if a measure exceeds its limit and is greater than before. `measureBefore` is called only if a limit is exceeded. */
function growthProblem(
  subject: string,
  after: Measures,
  measureBefore: () => Measures | undefined,
  limits: Limits,
): Rejection | undefined {
  if (isWithin(after, limits)) return undefined;
  for (const name of limitNames()) {
    const count = after[name];
    if (count === undefined || count <= limits[name] || count <= (measureBefore()?.[name] ?? 0)) continue;
    return limitRejection(subject, name, count, limits);
  }
  return undefined;
}

/** Whether no measure exceeds its limit. There are many more limits than measures of one entity, so this check comes first. */
function isWithin(measures: Measures, limits: Limits): boolean {
  for (const name in measures) if ((measures[name as LimitName] ?? 0) > limits[name as LimitName]) return false;
  return true;
}

/** Returns the rejection for an exceeded limit. `subject` is the start of a sentence, or empty if the limit is not about one entity. */
export function limitRejection(subject: string, name: LimitName, count: number, limits: Limits): Rejection {
  const { of, env } = allLimits()[name];
  const about = subject === '' ? '' : `${subject} goes beyond a limit. `;
  const option = env === null ? 'This limit is fixed.' : `The option ${env} sets this limit.`;
  return invalid(
    `${about}There may be at most ${limits[name]} ${of}, and this would be ${Math.ceil(count)}. ${option}`,
  );
}
