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
  demandsReview: true,
  *beforeCommit({ before, after, changes, caller, command }) {
    return command.isReviewed ? undefined : yield* protectionProblem({ before, after }, changes, caller);
  },
};

/**
 * Returns undefined if the caller may make these changes without a review, otherwise a rejection that names an environment whose changes must be
 * reviewed. The changes of every command are checked, so that no command (import, clone, batch, patch) bypasses a review
 * (docs/decisions/change-requests.md). `reviewedProject` is the project whose change request is being applied.
 */
export function* protectionProblem(
  transition: Transition,
  changes: readonly Change[],
  caller: Caller,
  reviewedProject: string | null = null,
): Steps<Rejection | undefined> {
  if (transition.before.count('protectedEnvironments', '') === 0 || caller.kind === 'system') return undefined;
  const check = new ProtectionCheck(transition, caller, reviewedProject);
  for (const change of changes) {
    const problem = yield* check.problemOf(change);
    if (problem) return problem;
    yield;
  }
  return undefined;
}

class ProtectionCheck {
  readonly #before: StateReader;
  readonly #after: StateReader;
  readonly #caller: Caller;
  readonly #reviewedProject: string | null;

  constructor({ before, after }: Transition, caller: Caller, reviewedProject: string | null) {
    this.#before = before;
    this.#after = after;
    this.#caller = caller;
    this.#reviewedProject = reviewedProject;
  }

  *problemOf({ collection, key, entity }: Change): Steps<Rejection | undefined> {
    if (collection === 'features') return this.#featureProblem(this.#before.get('features', key), entity);
    if (collection === 'projects') return this.#projectProblem(this.#before.get('projects', key), entity);
    return collection === 'segments' ? yield* this.#segmentProblem(key) : undefined;
  }

  #featureProblem(before: Feature | undefined, after: Feature | undefined): Rejection | undefined {
    const leavesProject = before !== undefined && !before.archived && after?.project !== before.project;
    const problem = leavesProject ? this.#anyEnvironmentProblem(before.project) : undefined;
    if (problem || after === undefined) return problem;
    /** The flag before the change, if it was in the same project. */
    const sameProject = before?.project === after.project ? before : undefined;
    const isWide =
      sameProject !== undefined &&
      ((!sameProject.archived && after.archived) || !isEqualJson(sameProject.dependencies, after.dependencies));
    for (const { environment } of protectedEnvironments(this.#before, after.project)) {
      const differs = isWide || isConfigChanged(sameProject, after, environment);
      const rejection = differs ? this.#reviewProblem(after.project, environment) : undefined;
      if (rejection) return rejection;
    }
    return undefined;
  }

  /** A project that loses an environment loses the configuration of its flags in that environment. A deleted project has no active flags. */
  #projectProblem(before: Project | undefined, after: Project | undefined): Rejection | undefined {
    if (!before || !after || before.environments === after.environments) return undefined;
    for (const { environment } of protectedEnvironments(this.#before, before.id)) {
      if (after.environments.includes(environment) || !before.environments.includes(environment)) continue;
      const problem = this.#reviewProblem(before.id, environment);
      if (problem) return problem;
    }
    return undefined;
  }

  /** A change of a segment changes every flag that uses the segment. */
  *#segmentProblem(key: string): Steps<Rejection | undefined> {
    const before = this.#before.get('segments', key);
    const after = this.#after.get('segments', key);
    if (!before || (after && after.project === before.project && isEqualJson(before.constraints, after.constraints)))
      return undefined;
    const ownProjectProblem = before.project === null ? undefined : this.#anyEnvironmentProblem(before.project);
    if (ownProjectProblem) return ownProjectProblem;
    for (const feature of this.#before.lookup('featuresBySegment', key)) {
      yield;
      for (const { environment } of this.#protected(feature.project)) {
        const { strategies } = featureEnvironment(feature, environment);
        const uses = strategies.some(({ segments }) => segments.includes(before.id));
        const problem = uses ? this.#reviewProblem(feature.project, environment) : undefined;
        if (problem) return problem;
      }
    }
    return undefined;
  }

  /** A rejection if changes in any environment of the project must be reviewed and the caller may not skip the review. */
  #anyEnvironmentProblem(project: string): Rejection | undefined {
    for (const { environment } of this.#protected(project)) {
      const problem = this.#reviewProblem(project, environment);
      if (problem) return problem;
    }
    return undefined;
  }

  /** The environments whose changes must be reviewed. Empty for a project that is being deleted: it has no active flags and no reviewers. */
  *#protected(project: string): Generator<{ readonly environment: string }> {
    if (this.#after.get('projects', project)) yield* protectedEnvironments(this.#before, project);
  }

  #reviewProblem(project: string, environment: string): Rejection | undefined {
    if (project === this.#reviewedProject) return undefined;
    if (may(this.#before, this.#caller, 'SKIP_CHANGE_REQUEST', project, environment)) return undefined;
    return new Rejection(
      'NoAccessError',
      `Changes in the environment ${environment} of the project ${project} have to be reviewed: request them with ` +
        `POST /api/admin/projects/${project}/environments/${environment}/change-requests, and send the change request to review. ` +
        'Callers with the permission SKIP_CHANGE_REQUEST in this environment need no review.',
    );
  }
}

/** Whether the configuration of the flag in the environment differs between `before` and `after`. */
function isConfigChanged(before: Feature | undefined, after: Feature, environment: string): boolean {
  const [one, other] = [before && configOf(before, environment), configOf(after, environment)];
  if (one === other) return false;
  if (!one) return isConfigured(other);
  if (!other) return isConfigured(one);
  return (
    one.enabled !== other.enabled ||
    !isEqualJson(one.strategies, other.strategies) ||
    !isEqualJson(one.variants, other.variants)
  );
}

function configOf(feature: Feature, environment: string): FeatureEnvironment | undefined {
  return feature.environments.find((entry) => entry.environment === environment);
}

function isConfigured(config: FeatureEnvironment | undefined): boolean {
  return config !== undefined && (config.enabled || config.strategies.length > 0 || config.variants.length > 0);
}

function isEqualJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
