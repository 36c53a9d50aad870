import { may } from '../../access/may.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Guard, Transition } from '../../engine/guard.ts';
import type { Caller } from '../../model/caller.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../model/feature.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';
import type { Change } from '../../state/commit.ts';
import { protectedEnvironments } from './config.ts';

/** Refuses changes that must be reviewed by another user first. */
export const protectionGuard: Guard = {
  name: 'protection',
  *beforeCommit({ before, after, changes, caller, command }) {
    return command.isReviewed ? undefined : yield* protectionProblem({ before, after }, changes, caller);
  },
};

/**
 * Returns undefined if the caller may make these changes without a review, otherwise a rejection that names an environment whose changes must be
 * reviewed. The changes of every command are checked, so that no command (import, clone, batch, patch) bypasses a review
 * (docs/decisions/change-requests.md). `reviewed` is the project whose change request is being applied.
 */
export function* protectionProblem(
  transition: Transition,
  changes: readonly Change[],
  caller: Caller,
  reviewed: string | null = null,
): Steps<Rejection | undefined> {
  if (transition.before.count('protectedEnvironments', '') === 0 || caller.kind === 'system') return undefined;
  const rules = new Rules(transition, caller, reviewed);
  for (const change of changes) {
    const problem = yield* rules.problemOf(change);
    if (problem) return problem;
    yield;
  }
  return undefined;
}

class Rules {
  readonly #before: StateReader;
  readonly #after: StateReader;
  readonly #caller: Caller;
  readonly #reviewed: string | null;

  constructor({ before, after }: Transition, caller: Caller, reviewed: string | null) {
    this.#before = before;
    this.#after = after;
    this.#caller = caller;
    this.#reviewed = reviewed;
  }

  *problemOf({ collection, key, entity }: Change): Steps<Rejection | undefined> {
    if (collection === 'features') return this.#feature(this.#before.get('features', key), entity);
    if (collection === 'projects') return this.#project(this.#before.get('projects', key), entity);
    return collection === 'segments' ? yield* this.#segment(key) : undefined;
  }

  #feature(was: Feature | undefined, is: Feature | undefined): Rejection | undefined {
    const leaves = was !== undefined && !was.archived && is?.project !== was.project;
    const problem = leaves ? this.#everywhere(was.project) : undefined;
    if (problem || is === undefined) return problem;
    const known = was?.project === is.project ? was : undefined;
    const isWide =
      known !== undefined && ((!known.archived && is.archived) || !isAlike(known.dependencies, is.dependencies));
    for (const { environment } of protectedEnvironments(this.#before, is.project)) {
      const differs = isWide || isOtherwise(known, is, environment);
      const one = differs ? this.#need(is.project, environment) : undefined;
      if (one) return one;
    }
    return undefined;
  }

  /** A project that loses an environment loses the configuration of its flags in that environment. A deleted project has no active flags. */
  #project(was: Project | undefined, is: Project | undefined): Rejection | undefined {
    if (!was || !is || was.environments === is.environments) return undefined;
    for (const { environment } of protectedEnvironments(this.#before, was.id)) {
      if (is.environments.includes(environment) || !was.environments.includes(environment)) continue;
      const problem = this.#need(was.id, environment);
      if (problem) return problem;
    }
    return undefined;
  }

  /** A change of a segment changes every flag that uses the segment. */
  *#segment(key: string): Steps<Rejection | undefined> {
    const was = this.#before.get('segments', key);
    const is = this.#after.get('segments', key);
    if (!was || (is && is.project === was.project && isAlike(was.constraints, is.constraints))) return undefined;
    const own = was.project === null ? undefined : this.#everywhere(was.project);
    if (own) return own;
    for (const feature of this.#before.lookup('featuresBySegment', key)) {
      yield;
      for (const { environment } of this.#protected(feature.project)) {
        const { strategies } = featureEnvironment(feature, environment);
        const uses = strategies.some(({ segments }) => segments.includes(was.id));
        const problem = uses ? this.#need(feature.project, environment) : undefined;
        if (problem) return problem;
      }
    }
    return undefined;
  }

  #everywhere(project: string): Rejection | undefined {
    for (const { environment } of this.#protected(project)) {
      const problem = this.#need(project, environment);
      if (problem) return problem;
    }
    return undefined;
  }

  /** The environments whose changes must be reviewed. Empty for a project that is being deleted: it has no active flags and no reviewers. */
  *#protected(project: string): Generator<{ readonly environment: string }> {
    if (this.#after.get('projects', project)) yield* protectedEnvironments(this.#before, project);
  }

  #need(project: string, environment: string): Rejection | undefined {
    if (project === this.#reviewed) return undefined;
    if (may(this.#before, this.#caller, 'SKIP_CHANGE_REQUEST', project, environment)) return undefined;
    return new Rejection(
      'NoAccessError',
      `Changes in the environment ${environment} of the project ${project} have to be reviewed: request them with ` +
        `POST /api/admin/projects/${project}/environments/${environment}/change-requests, and send the change request to review. ` +
        'Callers with the permission SKIP_CHANGE_REQUEST there need no review.',
    );
  }
}

/** Whether the configuration of the flag in the environment differs between `was` and `is`. */
function isOtherwise(was: Feature | undefined, is: Feature, environment: string): boolean {
  const [one, other] = [was && configured(was, environment), configured(is, environment)];
  if (one === other) return false;
  if (!one) return isConfigured(other);
  if (!other) return isConfigured(one);
  return (
    one.enabled !== other.enabled ||
    !isAlike(one.strategies, other.strategies) ||
    !isAlike(one.variants, other.variants)
  );
}

function configured(feature: Feature, environment: string): FeatureEnvironment | undefined {
  return feature.environments.find((entry) => entry.environment === environment);
}

function isConfigured(config: FeatureEnvironment | undefined): boolean {
  return config !== undefined && (config.enabled || config.strategies.length > 0 || config.variants.length > 0);
}

function isAlike(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
