import { assert } from '../../base/assert.ts';
import { once } from '../../base/once.ts';
import type { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Guard, Transition } from '../../engine/guard.ts';
import { allLimits, type Limit, type LimitName, type Limits, limitEntries } from '../../model/limits.ts';
import { SYSTEM_USER_ID } from '../../model/primitives.ts';
import type { CollectionName, IndexName } from '../../state/collections.ts';
import type { Change } from '../../state/commit.ts';
import { type ChangedEntity, countProblem, type Limited, type LimitedCollections } from '../shared/limit-checks.ts';

let measured: Readonly<Record<string, Limited<object>>> | undefined;

/** Called by `features/guards.ts`, with the tables of all features. */
export function defineLimited(tables: readonly LimitedCollections[]): void {
  measured = Object.assign({}, ...tables);
}

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
  assert(measured, 'no measures are defined: call loadGuards of features/guards.ts first');
  const grownCollections: CollectionName[] = [];
  const together = new Map<Limited<object>, ChangedEntity<object>[]>();
  for (const { collection, key, entity } of changes) {
    if (entity === undefined) continue;
    const previous = transition.before.get(collection, key);
    if (previous === undefined && !grownCollections.includes(collection)) grownCollections.push(collection);
    const limited = measured[collection];
    const isSame = previous !== undefined && limited?.hasSameMeasures?.(previous, entity) === true;
    if (isSame) {
      yield;
      continue;
    }
    if (limited?.problemTogether) {
      if (!together.has(limited)) together.set(limited, []);
      together.get(limited)?.push({ entity, previous });
    }
    const problem = limited
      ? yield* limited.problem({ entity, previous }, transition, limits)
      : previous === undefined && userLimitProblem(transition, collection, entity, limits);
    if (problem) return problem;
    yield;
  }
  const problem = collectionSizesProblem(transition, grownCollections, limits);
  if (problem) return problem;
  for (const [limited, changed] of together) {
    const problem = limited.problemTogether && (yield* limited.problemTogether(changed, transition, limits));
    if (problem) return problem;
  }
  return undefined;
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

/** Returns a rejection if a new entity belongs to a user who then exceeds a limit for one user. */
function userLimitProblem(
  { after }: Transition,
  collection: CollectionName,
  entity: object,
  limits: Limits,
): Rejection | undefined {
  const name = userLimits().get(collection);
  if (!name) return undefined;
  const { userId } = entity as { readonly userId: number };
  return countProblem(name, after.count(allLimits()[name].ofUser as IndexName, String(userId)), limits);
}
