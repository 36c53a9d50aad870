import type { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Transition } from '../../engine/guard.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../model/feature.ts';
import type { Project } from '../../model/project.ts';
import { reviewedPlan, usableStrategies } from '../../model/release-plan.ts';
import { reviewedSafeguards } from '../../model/safeguard.ts';
import type { StateReader } from '../../state/collections.ts';
import type { Change } from '../../state/commit.ts';

/** The environments to which a rule applies, and the rule. */
interface EnvironmentRule {
  /** The environments of the project to which the rule applies. */
  environmentsOf(project: string): Iterable<{ readonly environment: string }>;
  /** Why the caller may not change the configuration of flags of the project in the environment. */
  problemOf(project: string, environment: string): Rejection | undefined;
}

/**
 * Returns the problem of the first environment with a problem in which the changes change the configuration of a flag. The changes of every command are
 * checked, so that no command (import, clone, batch, patch) bypasses the rule.
 */
export function* environmentRuleProblem(
  transition: Transition,
  changes: readonly Change[],
  rule: EnvironmentRule,
): Steps<Rejection | undefined> {
  const check = new RuleCheck(transition, rule);
  for (const change of changes) {
    const problem = yield* check.problemOf(change);
    if (problem) return problem;
    yield;
  }
  return undefined;
}

class RuleCheck {
  readonly #before: StateReader;
  readonly #after: StateReader;
  readonly #rule: EnvironmentRule;

  constructor({ before, after }: Transition, rule: EnvironmentRule) {
    this.#before = before;
    this.#after = after;
    this.#rule = rule;
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
    for (const { environment } of this.#rule.environmentsOf(after.project)) {
      const differs = isWide || isConfigChanged(sameProject, after, environment);
      const rejection = differs ? this.#rule.problemOf(after.project, environment) : undefined;
      if (rejection) return rejection;
    }
    return undefined;
  }

  /** A project that loses an environment loses the configuration of its flags in that environment. A deleted project has no active flags. */
  #projectProblem(before: Project | undefined, after: Project | undefined): Rejection | undefined {
    if (!before || !after || before.environments === after.environments) return undefined;
    for (const { environment } of this.#rule.environmentsOf(before.id)) {
      if (after.environments.includes(environment) || !before.environments.includes(environment)) continue;
      const problem = this.#rule.problemOf(before.id, environment);
      if (problem) return problem;
    }
    return undefined;
  }

  /** A change of a segment changes every flag that uses the segment, and what reviewed plans will put in use. */
  *#segmentProblem(key: string): Steps<Rejection | undefined> {
    const before = this.#before.get('segments', key);
    const after = this.#after.get('segments', key);
    if (!before || (after && after.project === before.project && isEqualJson(before.constraints, after.constraints)))
      return undefined;
    const ownProjectProblem = before.project === null ? undefined : this.#anyEnvironmentProblem(before.project);
    if (ownProjectProblem) return ownProjectProblem;
    for (const feature of this.#before.lookup('featuresBySegment', key)) {
      yield;
      for (const { environment } of this.#ruled(feature.project)) {
        const strategies = usableStrategies(featureEnvironment(feature, environment));
        const uses = strategies.some(({ segments }) => segments.includes(before.id));
        const problem = uses ? this.#rule.problemOf(feature.project, environment) : undefined;
        if (problem) return problem;
      }
    }
    return undefined;
  }

  /** The problem of any environment of the project. */
  #anyEnvironmentProblem(project: string): Rejection | undefined {
    for (const { environment } of this.#ruled(project)) {
      const problem = this.#rule.problemOf(project, environment);
      if (problem) return problem;
    }
    return undefined;
  }

  /** The environments to which the rule applies. Empty for a project that is being deleted: it has no active flags and no reviewers. */
  *#ruled(project: string): Generator<{ readonly environment: string }> {
    if (this.#after.get('projects', project)) yield* this.#rule.environmentsOf(project);
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
    !isEqualJson(one.variants, other.variants) ||
    (one.releasePlan !== other.releasePlan &&
      !isEqualJson(reviewedPlan(one.releasePlan), reviewedPlan(other.releasePlan))) ||
    (one.safeguards !== other.safeguards &&
      !isEqualJson(reviewedSafeguards(one.safeguards ?? []), reviewedSafeguards(other.safeguards ?? [])))
  );
}

function configOf(feature: Feature, environment: string): FeatureEnvironment | undefined {
  return feature.environments.find((entry) => entry.environment === environment);
}

function isConfigured(config: FeatureEnvironment | undefined): boolean {
  if (config === undefined) return false;
  const { enabled, strategies, variants, releasePlan, safeguards } = config;
  return enabled || strategies.length > 0 || variants.length > 0 || (releasePlan ?? safeguards) !== undefined;
}

function isEqualJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
