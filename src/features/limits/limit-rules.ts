import { invalid, type Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Guard, Transition } from '../../engine/guard.ts';
import type { Constraint } from '../../model/constraint.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import { allLimits, type Limit, type LimitName, type Limits, limitEntries } from '../../model/limits.ts';
import { SYSTEM_USER_ID } from '../../model/primitives.ts';
import type { Segment } from '../../model/segment.ts';
import type { CollectionName, IndexName, StateReader } from '../../state/collections.ts';
import type { Change } from '../../state/commit.ts';
import { type ChangeRequest, isOpen, requestBytes } from '../change-requests/change-request.ts';
import { type DefaultStrategy, defaultStrategyKey } from '../projects/stored-default-strategy.ts';
import {
  type Measures,
  measureChangeRequest,
  measureContextField,
  measureEnvironment,
  measureFlag,
  measureProject,
  measureSegment,
  measureWhole,
  prepareCosts,
  prepareMeasuring,
  prepareWhole,
} from './measures.ts';

/** Enforces the limits for every command. It does not limit the service itself, which creates the first content and the tokens of the environment. */
export const limitGuard: Guard = {
  name: 'limits',
  *beforeCommit({ before, after, changes, caller, limits }) {
    if (caller.kind === 'system' && caller.author.id === SYSTEM_USER_ID) return undefined;
    return yield* limitProblem({ before, after }, changes, limits);
  },
};

/**
 * Undefined if the changes of a command stay within the limits, otherwise a rejection that names the exceeded limit. Every command is checked once,
 * so that no command can bypass a limit. Only growth is refused: an entity that already exceeds a lowered limit stays, and may be changed if it does
 * not grow.
 */
export function* limitProblem(
  transition: Transition,
  changes: readonly Change[],
  limits: Limits,
): Steps<Rejection | undefined> {
  const added: CollectionName[] = [];
  let flagsCameToLife = false;
  for (const change of changes) {
    const { collection, key, entity } = change;
    if (entity === undefined) continue;
    const known = transition.before.get(collection, key);
    if (known === undefined && !added.includes(collection)) added.push(collection);
    if (collection === 'features') {
      if (known && isMeasuredAlike(known as Feature, entity as Feature)) {
        yield;
        continue;
      }
      flagsCameToLife ||= isLive(entity as Feature) && !isLive(known as Feature | undefined);
    }
    const problem = yield* entityProblem(transition, change, limits);
    if (problem) return problem;
    yield;
  }
  return (
    countProblem(transition, added, limits) ?? (flagsCameToLife ? liveFlagsProblem(transition, limits) : undefined)
  );
}

/** Whether all parts of a flag that limits count are unchanged. If only a toggle has changed, the flag needs no measurement. */
function isMeasuredAlike(known: Feature, feature: Feature): boolean {
  if (known.archived !== feature.archived || known.tags !== feature.tags) return false;
  if (known.dependencies !== feature.dependencies || known.links !== feature.links) return false;
  for (const location of feature.environments) {
    const was = known.environments.find(({ environment }) => environment === location.environment);
    if (!was || !isSameLocation(was, location)) return false;
  }
  return true;
}

function isSameLocation(was: FeatureEnvironment, location: FeatureEnvironment): boolean {
  return was.strategies === location.strategies && was.variants === location.variants;
}

/** Collection → its limit. `countLimits` has the limits on all entities of a collection, `userLimits` the limits on the entities of one user. */
const countLimits = once(
  (): ReadonlyMap<CollectionName, LimitName> => limitsThatCount(({ ofUser }) => ofUser === undefined),
);
const userLimits = once(
  (): ReadonlyMap<CollectionName, LimitName> => limitsThatCount(({ ofUser }) => ofUser !== undefined),
);

function limitsThatCount(isMeant: (limit: Limit) => boolean): ReadonlyMap<CollectionName, LimitName> {
  const counted = new Map<CollectionName, LimitName>();
  for (const [name, limit] of limitEntries()) {
    if (limit.counts && isMeant(limit)) counted.set(limit.counts, name);
  }
  return counted;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function countProblem({ after }: Transition, added: readonly CollectionName[], limits: Limits): Rejection | undefined {
  for (const name of added) {
    const limit = countLimits().get(name);
    const problem = limit && countOf(limit, after.size(name), limits);
    if (problem) return problem;
  }
  return undefined;
}

/** A rejection if `count` exceeds the limit; otherwise undefined. Commands that know the new count call it before they create anything. */
export function countOf(name: LimitName, count: number, limits: Limits): Rejection | undefined {
  return count > limits[name] ? exceeded('', name, count, limits) : undefined;
}

function liveFlagsProblem({ before, after }: Transition, limits: Limits): Rejection | undefined {
  const count = liveFlags(after);
  if (count <= limits.featureFlags || count <= liveFlags(before)) return undefined;
  return exceeded('', 'featureFlags', count, limits);
}

/** A rejection if `added` more live flags would exceed the limit. Undefined if they would not, or if `added` is 0. */
export function addedFlagsProblem(reader: StateReader, added: number, limits: Limits): Rejection | undefined {
  const count = liveFlags(reader) + added;
  return added > 0 && count > limits.featureFlags ? exceeded('', 'featureFlags', count, limits) : undefined;
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
      const known = before.get('projects', change.key);
      const subject = `The project ${change.key}`;
      return growth(subject, measureProject(change.entity), () => known && measureProject(known), limits);
    }
    case 'contextFields': {
      if (!change.entity) return undefined;
      const known = before.get('contextFields', change.key);
      const subject = `The context field ${change.key}`;
      return growth(subject, measureContextField(change.entity), () => known && measureContextField(known), limits);
    }
    case 'changeRequests':
      return change.entity && changeRequestProblem(transition, change.entity, limits);
    default:
      return change.entity && ofUserProblem(transition, change.collection, change.key, change.entity, limits);
  }
}

/** A rejection if a user would exceed a limit per user. */
function ofUserProblem(
  { before, after }: Transition,
  collection: CollectionName,
  key: string,
  entity: object,
  limits: Limits,
): Rejection | undefined {
  const name = userLimits().get(collection);
  if (!name || before.get(collection, key)) return undefined;
  const { ofUser } = allLimits()[name];
  return countOf(
    name,
    after.count(ofUser as IndexName, String((entity as { readonly userId: number }).userId)),
    limits,
  );
}

function changeRequestProblem({ before, after }: Transition, request: ChangeRequest, limits: Limits) {
  const known = before.get('changeRequests', String(request.id));
  const subject = `The change request ${request.id}`;
  const problem = growth(subject, measureChangeRequest(request), () => known && measureChangeRequest(known), limits);
  if (problem) return problem;
  if ((!known || !isOpen(known)) && isOpen(request)) {
    const count = after.count('openRequestsByProject', request.project);
    if (count > limits.openChangeRequests) return exceeded('', 'openChangeRequests', count, limits);
  }
  // If the request does not grow, the sums do not grow either. This check saves work, because one command may suspend many change requests.
  if (known && requestBytes(request) <= requestBytes(known)) return undefined;
  return changeRequestBytesProblem({ before, after }, request, limits);
}

/** Checks the sums of the sizes of change requests. `dropOldClosed` has already removed closed change requests to free capacity. */
function changeRequestBytesProblem({ before, after }: Transition, { project }: ChangeRequest, limits: Limits) {
  const bytesOf = (reader: StateReader) => reader.sum('openRequests', '') + reader.sum('closedRequests', '');
  const open = after.sum('openRequestsByProject', project);
  if (open > limits.openChangeRequestBytes && open > before.sum('openRequestsByProject', project)) {
    return exceeded(`The project ${project}`, 'openChangeRequestBytes', open, limits);
  }
  const all = bytesOf(after);
  if (all <= limits.changeRequestsBytes || all <= bytesOf(before)) return undefined;
  return exceeded('', 'changeRequestsBytes', all, limits);
}

/**
 * A rejection if the flag in `after` exceeds a limit and has grown. Environments with unchanged strategies and variants are skipped, unless a segment
 * has changed.
 */
export function* featureProblem(
  { before, after }: Transition,
  feature: Feature,
  limits: Limits,
  segmentsChanged = false,
): Steps<Rejection | undefined> {
  const subject = `The feature ${feature.name}`;
  const known = before.get('features', feature.name);
  const ofFlag = growth(subject, measureFlag(feature), () => known && measureFlag(known), limits);
  if (ofFlag) return ofFlag;
  let hasChanged = false;
  for (const location of feature.environments) {
    const was = known?.environments.find(({ environment }) => environment === location.environment);
    if (was && isSameLocation(was, location) && !segmentsChanged) continue;
    hasChanged = true;
    yield* prepareMeasuring(location, after);
    const measureBefore = () => was && measureEnvironment(was, before);
    const problem = growth(subject, measureEnvironment(location, after), measureBefore, limits);
    if (problem) return problem;
  }
  if (!hasChanged) return undefined;
  yield* prepareWhole(feature);
  return growth(subject, measureWhole(feature), () => known && measureWhole(known), limits);
}

/** Measures the default strategy as the only strategy of a flag, because every flag that gets this strategy must be within the limits. */
function* defaultStrategyProblem(
  { before, after }: Transition,
  stated: DefaultStrategy,
  limits: Limits,
): Steps<Rejection | undefined> {
  const { project, environment } = stated;
  const location = locationOf(stated);
  const known = before.get('defaultStrategies', defaultStrategyKey(project, environment));
  yield* prepareMeasuring(location, after);
  const measureBefore = () => known && measureEnvironment(locationOf(known), before);
  return growth('The default strategy', measureEnvironment(location, after), measureBefore, limits);
}

function locationOf({ environment, strategy }: DefaultStrategy): FeatureEnvironment {
  return { environment, enabled: true, strategies: [{ ...strategy, id: '', sortOrder: 0 }], variants: [] };
}

/** Checks a segment and all flags that use it: if a segment grows, these flags grow too. */
function* segmentProblem(transition: Transition, segment: Segment, limits: Limits): Steps<Rejection | undefined> {
  const { before, after } = transition;
  const known = before.get('segments', String(segment.id));
  yield* prepareCosts(segment.constraints);
  yield* prepareCosts(known?.constraints ?? []);
  const measures = measureSegment(segment);
  const own = growth(`The segment ${segment.name}`, measures, () => known && measureSegment(known), limits);
  if (own || !known || !outgrows(measures, measureSegment(known))) return own;
  for (const feature of after.lookup('featuresBySegment', String(segment.id))) {
    const problem = yield* featureProblem(transition, feature, limits, true);
    if (problem) return problem;
    yield;
  }
  return undefined;
}

/** A rejection if a constraint has more values than strategies and segments allow. It is for a constraint that is not part of either yet. */
export function constraintValuesProblem({ values = [] }: Constraint, limits: Limits): Rejection | undefined {
  const name = limits.segmentValues > limits.constraintValues ? 'segmentValues' : 'constraintValues';
  return values.length > limits[name] ? exceeded('', name, values.length, limits) : undefined;
}

const limitNames = once(() => limitEntries().map(([name]) => name));

function outgrows(after: Measures, before: Measures): boolean {
  return limitNames().some((name) => (after[name] ?? 0) > (before[name] ?? 0));
}

function growth(
  subject: string,
  after: Measures,
  measureBefore: () => Measures | undefined,
  limits: Limits,
): Rejection | undefined {
  for (const name of limitNames()) {
    const count = after[name];
    if (count === undefined || count <= limits[name] || count <= (measureBefore()?.[name] ?? 0)) continue;
    return exceeded(subject, name, count, limits);
  }
  return undefined;
}

/** The rejection for an exceeded limit. `subject` is the start of a sentence, or empty. */
export function exceeded(subject: string, name: LimitName, count: number, limits: Limits): Rejection {
  const { of, env } = allLimits()[name];
  const about = subject === '' ? '' : `${subject} goes beyond a limit. `;
  const option = env === null ? 'This limit is fixed.' : `The option ${env} sets this limit.`;
  return invalid(
    `${about}There may be at most ${limits[name]} ${of}, and this would be ${Math.ceil(count)}. ${option}`,
  );
}
