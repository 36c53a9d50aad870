import Type, { type Static } from 'typebox';
import { invalid, notAllowed, notFound, Rejection } from '../base/rejection.ts';
import type { Feature } from '../model/feature.ts';
import { LIMITS } from '../model/limits.ts';
import { NameReference } from '../model/primitives.ts';
import type { StateReader } from '../state/collections.ts';
import { command } from './command.ts';
import { findFeature } from './lookup.ts';

const ChildPlace = { project: NameReference, child: NameReference };

const AddDependencyInput = Type.Object({
  ...ChildPlace,
  parent: NameReference,
  enabled: Type.Boolean({ description: 'false: the parent must be off' }),
  variants: Type.Array(Type.String(), {
    maxItems: LIMITS.dependencyVariants.max,
    description: 'Of the parent; empty means any',
  }),
});
type AddDependencyInput = Static<typeof AddDependencyInput>;

/**
 * Makes a flag depend on another, or changes what it expects of it. Parents have no parents and children have no children, which rules out
 * cycles.
 */
export const addDependency = command({
  name: 'add-dependency',
  input: AddDependencyInput,
  decide({ draft, emit }, input) {
    const child = findFeature(draft, input.project, input.child);
    if (child instanceof Rejection) return child;
    const problem = parentProblem(draft, child, input.parent) ?? variantsProblem(input);
    if (problem) return problem;
    const dependency = { feature: input.parent, enabled: input.enabled, variants: [...new Set(input.variants)] };
    const before = child.dependencies.find(({ feature }) => feature === input.parent);
    const others = child.dependencies.filter(({ feature }) => feature !== input.parent);
    draft.put('features', { ...child, dependencies: [...others, dependency] });
    const { project, name: featureName } = child;
    emit({ type: 'feature-dependency-added', project, featureName, data: dependency, preData: before });
    return dependency;
  },
});

/** Frees a flag from one parent. */
export const removeDependency = command({
  name: 'remove-dependency',
  input: Type.Object({ ...ChildPlace, parent: NameReference }),
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

/** Frees a flag from all its parents. */
export const removeDependencies = command({
  name: 'remove-dependencies',
  input: Type.Object(ChildPlace),
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

/** Whether a flag can be a parent at all; the child's own standing is another matter. */
export function canBeParent(feature: Feature | undefined, project: string): feature is Feature {
  return feature?.project === project && !feature.archived && feature.dependencies.length === 0;
}

function parentProblem(reader: StateReader, child: Feature, parentName: string): Rejection | undefined {
  const path = '/feature';
  if (parentName === child.name) return notAllowed('A feature cannot depend on itself.', path);
  const parent = reader.get('features', parentName);
  if (!parent || parent.project !== child.project || parent.archived) {
    return notAllowed(`There is no active feature ${parentName} in the project ${child.project} to depend on.`, path);
  }
  if (parent.dependencies.length > 0) {
    return notAllowed(`${parentName} cannot be a parent: it depends on a feature itself.`, path);
  }
  for (const grandchild of reader.lookup('featuresByParent', child.name)) {
    return notAllowed(`${child.name} cannot depend on a feature: it is itself the parent of ${grandchild.name}.`, path);
  }
  return undefined;
}

function variantsProblem({ enabled, variants }: AddDependencyInput): Rejection | undefined {
  if (enabled || variants.length === 0) return undefined;
  return invalid('Variants can be expected of a parent that is on, not of one that is off.', '/variants');
}
