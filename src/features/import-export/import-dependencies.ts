import type { Steps } from '../../base/yield-control.ts';
import type { Feature, FeatureDependency } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import { hasChildren } from '../flags/archive/commands.ts';
import { PARENT_OBSTACLES, type Parent, parentObstacle } from '../flags/dependencies/commands.ts';
import type { ImportedFlag, ImportInput } from './import-input.ts';
import type { FlagProblems, ImportProblems } from './import-problems.ts';

/** Each flag's dependencies after the import. */
type Dependencies = ReadonlyMap<string, readonly FeatureDependency[]>;

const MESSAGE = 'These dependencies cannot be used:';

interface DependencyNotes {
  readonly problems: FlagProblems;
  readonly warnings: ImportProblems;
}

/**
 * The dependencies of the flags after the import: the current dependencies, and the dependencies in the export. A dependency on an archived flag is
 * left out, with a warning. Any other dependency that cannot be used is a problem of its flag: without it, the flag would be on for more users. Call it before
 * the draft has flags of the import.
 */
export function* importDependencies(
  reader: StateReader,
  { project, flags }: Pick<ImportInput, 'project' | 'flags'>,
  { problems, warnings }: DependencyNotes,
): Steps<Dependencies> {
  const merged = new Map<string, readonly FeatureDependency[]>();
  const parents = new Set<string>();
  for (const flag of flags) {
    const dependencies = merge(
      reader.get('features', flag.name),
      yield* withoutArchived(reader, project, flag, warnings),
    );
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
      if (isArchivedIn(reader, project, dependency.feature)) continue;
      const obstacle = parentObstacle(parentOf, { name, project }, dependency);
      if (obstacle) problems.add(name, MESSAGE, `${name} on ${dependency.feature} (${PARENT_OBSTACLES[obstacle]})`);
      yield;
    }
    if ((merged.get(name)?.length ?? 0) > 0 && (parents.has(name) || hasChildren(reader, name))) {
      problems.add(name, MESSAGE, `${name} (it is itself the parent of a feature)`);
    }
    yield;
  }
  return merged;
}

/** The dependencies of the export on flags that are not archived. */
function* withoutArchived(
  reader: StateReader,
  project: string,
  { name, dependencies }: ImportedFlag,
  warnings: ImportProblems,
): Steps<FeatureDependency[]> {
  const active: FeatureDependency[] = [];
  for (const dependency of dependencies) {
    const { feature } = dependency;
    if (isArchivedIn(reader, project, feature))
      warnings.add('These dependencies are left out, because the parent is archived:', `${name} on ${feature}`);
    else active.push(dependency);
    yield;
  }
  return active;
}

/** Whether the project has an archived flag of this name. */
export function isArchivedIn(reader: StateReader, project: string, name: string): boolean {
  const feature = reader.get('features', name);
  return feature?.archived === true && feature.project === project;
}

/** Reports the flags that depend on a new flag that is left out: their parent would be missing. */
export function* reportOrphans(
  reader: StateReader,
  { flags }: Pick<ImportInput, 'flags'>,
  problems: FlagProblems,
): Steps<void> {
  for (const { name, dependencies } of flags) {
    for (const { feature } of dependencies) {
      if (problems.has(feature) && !reader.get('features', feature) && !problems.has(name))
        problems.add(name, MESSAGE, `${name} on ${feature} (that feature is left out)`);
    }
    yield;
  }
}

/** Merges the dependencies by parent: if a parent has several entries, the last entry counts. */
function merge(before: Feature | undefined, dependencies: readonly FeatureDependency[]): readonly FeatureDependency[] {
  if (dependencies.length === 0) return before?.dependencies ?? [];
  const byParent = new Map<string, FeatureDependency>();
  for (const dependency of [...(before?.dependencies ?? []), ...dependencies]) {
    byParent.delete(dependency.feature);
    byParent.set(dependency.feature, dependency);
  }
  return [...byParent.values()];
}
