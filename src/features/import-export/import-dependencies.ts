import type { Steps } from '../../base/yield-control.ts';
import type { Feature, FeatureDependency } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import { hasChildren } from '../flags/archive/commands.ts';
import { PARENT_OBSTACLES, type Parent, parentObstacle } from '../flags/dependencies/commands.ts';
import type { ImportedFlag, ImportInput } from './import-input.ts';
import type { ImportProblems } from './import-problems.ts';

/** Each flag's dependencies after the import. */
type Dependencies = ReadonlyMap<string, readonly FeatureDependency[]>;

const MESSAGE = 'These dependencies cannot be used:';

/**
 * The dependencies of the flags after the import: the current dependencies, and the dependencies in the export. Call it before the draft has flags of
 * the import.
 */
export function* importDependencies(
  reader: StateReader,
  { project, flags }: Pick<ImportInput, 'project' | 'flags'>,
  errors: ImportProblems,
): Steps<Dependencies> {
  const merged = new Map<string, readonly FeatureDependency[]>();
  const parents = new Set<string>();
  for (const flag of flags) {
    const dependencies = merge(reader.get('features', flag.name), flag);
    merged.set(flag.name, dependencies);
    for (const { feature } of dependencies) parents.add(feature);
    yield;
  }
  const parentOf = (name: string): Parent | undefined => {
    const dependencies = merged.get(name);
    return dependencies ? { project, archived: false, dependencies } : reader.get('features', name);
  };
  for (const { name, dependencies } of flags) {
    if (dependencies.length === 0) continue;
    for (const dependency of dependencies) {
      const obstacle = parentObstacle(parentOf, { name, project }, dependency);
      if (obstacle) errors.add(MESSAGE, `${name} on ${dependency.feature} (${PARENT_OBSTACLES[obstacle]})`);
      yield;
    }
    if (parents.has(name) || hasChildren(reader, name)) {
      errors.add(MESSAGE, `${name} (it is itself the parent of a feature)`);
    }
    yield;
  }
  return merged;
}

/** Merges the dependencies by parent: if a parent has several entries, the last entry counts. */
function merge(before: Feature | undefined, { dependencies }: ImportedFlag): readonly FeatureDependency[] {
  if (dependencies.length === 0) return before?.dependencies ?? [];
  const byParent = new Map<string, FeatureDependency>();
  for (const dependency of [...(before?.dependencies ?? []), ...dependencies]) {
    byParent.delete(dependency.feature);
    byParent.set(dependency.feature, dependency);
  }
  return [...byParent.values()];
}
