import { once } from '../../base/once.ts';
import { invalid, type Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Transition } from '../../engine/guard.ts';
import { allLimits, type LimitName, type Limits, limitEntries } from '../../model/limits.ts';
import type { CollectionName, Collections } from '../../state/collections.ts';

/** Limit → the measured value. */
export type Measures = { readonly [Name in LimitName]?: number };

/** An entity that a command changes. */
export interface ChangedEntity<E> {
  readonly entity: E;
  /** The entity before the command; undefined if the command creates it. */
  readonly previous: E | undefined;
}

/** How the entities of a collection are measured. A feature states it for its collections (`limited` in its module). */
export interface Limited<E> {
  /** Whether all parts that limits measure are unchanged. The entity is then not measured again. */
  hasSameMeasures?(previous: E, entity: E): boolean;
  /** Returns a rejection if the entity exceeds a limit and has grown. */
  problem(changed: ChangedEntity<E>, transition: Transition, limits: Limits): Steps<Rejection | undefined>;
  /** Returns a rejection if the changed entities of a command exceed a limit together. Called after `problem` of all changed entities. */
  problemTogether?(
    changed: readonly ChangedEntity<E>[],
    transition: Transition,
    limits: Limits,
  ): Steps<Rejection | undefined>;
}

/** Collection → how its entities are measured. */
export type LimitedCollections = { readonly [C in CollectionName]?: Limited<Collections[C]> };

/** The limits of entities that are measured one by one, at once. `subject`: the start of a sentence about the entity. */
export function measuredBy<E>(subject: (entity: E) => string, measure: (entity: E) => Measures): Limited<E> {
  return {
    *problem({ entity, previous }, _transition, limits) {
      return growthProblem(subject(entity), measure(entity), () => previous && measure(previous), limits);
    },
  };
}

/** Returns a rejection if `count` exceeds the limit; otherwise undefined. Commands can call it with the new count before they create anything. */
export function countProblem(name: LimitName, count: number, limits: Limits): Rejection | undefined {
  return count > limits[name] ? limitRejection('', name, count, limits) : undefined;
}

const limitNames = once(() => limitEntries().map(([name]) => name));

/** Returns a rejection if a measure exceeds its limit and is greater than before. `measureBefore` is called only if a limit is exceeded. */
export function growthProblem(
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
