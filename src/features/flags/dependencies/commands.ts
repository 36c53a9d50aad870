import Type from 'typebox';
import { invalid, notAllowed, notFound, Rejection } from '../../../base/rejection.ts';
import { command } from '../../../engine/command.ts';
import type { Feature, FeatureDependency } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { findFeature } from '../../shared/lookup.ts';
import { FLAG_LIMITS } from '../limits.ts';

const ChildLocation = { project: NameReference, child: NameReference };

const AddDependencyInput = Type.Object({
  ...ChildLocation,
  parent: NameReference,
  enabled: Type.Boolean({ description: 'false: the parent must be off' }),
  variants: Type.Array(Type.String(), {
    maxItems: FLAG_LIMITS.dependencyVariants.max,
    description: 'Variants of the parent, one of which must be selected; empty: any',
  }),
});

/**
 * Makes a flag depend on another flag, or changes an existing dependency. A parent cannot have parents, and a child cannot have children. So there
 * are no cycles.
 */
export const addDependency = command({
  name: 'add-dependency',
  input: AddDependencyInput,
  decide({ draft, emit }, input) {
    const child = findFeature(draft, input.project, input.child);
    if (child instanceof Rejection) return child;
    const dependency = { feature: input.parent, enabled: input.enabled, variants: [...new Set(input.variants)] };
    const problem = dependencyProblem(draft, child, dependency);
    if (problem) return problem;
    const before = child.dependencies.find(({ feature }) => feature === input.parent);
    const others = child.dependencies.filter(({ feature }) => feature !== input.parent);
    draft.put('features', { ...child, dependencies: [...others, dependency] });
    const { project, name: featureName } = child;
    emit({ type: 'feature-dependency-added', project, featureName, data: dependency, preData: before });
    return dependency;
  },
});

/** Removes one dependency of a flag. */
export const removeDependency = command({
  name: 'remove-dependency',
  input: Type.Object({ ...ChildLocation, parent: NameReference }),
  decide({ draft, emit }, input) {
    const child = findFeature(draft, input.project, input.child);
    if (child instanceof Rejection) return child;
    const dependency = child.dependencies.find(({ feature }) => feature === input.parent);
    if (!dependency) return notFound(`The feature ${input.child} does not depend on ${input.parent}.`);
    draft.put('features', { ...child, dependencies: child.dependencies.filter((other) => other !== dependency) });
    const { project, name: featureName } = child;
    emit({ type: 'feature-dependency-removed', project, featureName, preData: dependency });
    return undefined;
  },
});

/** Removes all dependencies of a flag. */
export const removeDependencies = command({
  name: 'remove-dependencies',
  input: Type.Object(ChildLocation),
  decide({ draft, emit }, input) {
    const child = findFeature(draft, input.project, input.child);
    if (child instanceof Rejection) return child;
    const { dependencies, project, name: featureName } = child;
    if (dependencies.length === 0) return undefined;
    draft.put('features', { ...child, dependencies: [] });
    emit({ type: 'feature-dependencies-removed', project, featureName, preData: { dependencies } });
    return undefined;
  },
});

/** The reasons why a flag cannot depend on another flag, as texts for people. Each text follows "cannot depend on …:". */
export const PARENT_OBSTACLES = {
  itself: 'a feature cannot depend on itself',
  missing: 'there is no active feature of that name in the project',
  'has-parents': 'that feature depends on another feature itself',
  'variants-of-off': 'variants can be expected of a parent that is on, not of one that is off',
} as const;
type ParentObstacle = keyof typeof PARENT_OBSTACLES;

/** The fields of a flag that decide whether another flag may depend on it. */
export type Parent = Pick<Feature, 'project' | 'archived' | 'dependencies'>;

/**
 * Returns the reason why the flag may not have this dependency, or undefined. Does not check whether the flag itself is a parent. `parentOf` returns
 * a flag in the state that it will have when the dependency is added.
 */
export function parentObstacle(
  parentOf: (name: string) => Parent | undefined,
  { name, project }: Pick<Feature, 'name' | 'project'>,
  { feature, enabled, variants }: FeatureDependency,
): ParentObstacle | undefined {
  if (feature === name) return 'itself';
  return flagObstacle(parentOf(feature), project) ?? (!enabled && variants.length > 0 ? 'variants-of-off' : undefined);
}

/** Whether other flags of the project may depend on `parent`. The dependent flag itself is not checked. */
export function canBeParent(parent: Parent | undefined, project: string): boolean {
  return flagObstacle(parent, project) === undefined;
}

/** Returns the reason why no flag of the project may depend on `parent`, or undefined. */
function flagObstacle(parent: Parent | undefined, project: string): 'missing' | 'has-parents' | undefined {
  if (parent?.project !== project || parent.archived) return 'missing';
  return parent.dependencies.length > 0 ? 'has-parents' : undefined;
}

function dependencyProblem(reader: StateReader, child: Feature, dependency: FeatureDependency): Rejection | undefined {
  const obstacle = parentObstacle((name) => reader.get('features', name), child, dependency);
  if (obstacle) {
    const message = `${child.name} cannot depend on ${dependency.feature}: ${PARENT_OBSTACLES[obstacle]}.`;
    return obstacle === 'variants-of-off' ? invalid(message, '/variants') : notAllowed(message, '/feature');
  }
  // Names no child: which one an index returns first depends on the order of earlier changes, so a preview and a save could name different ones.
  return reader.count('featuresByParent', child.name) > 0
    ? notAllowed(`${child.name} cannot depend on a feature: it is itself the parent of another one.`, '/feature')
    : undefined;
}
