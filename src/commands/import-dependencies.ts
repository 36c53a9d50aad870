import type { Steps } from '../base/yield-control.ts';
import type { Feature, FeatureDependency } from '../model/feature.ts';
import type { StateReader } from '../state/collections.ts';
import { hasChildren } from './feature-archive.ts';
import type { ImportedFlag, ImportInput } from './import-input.ts';
import type { ImportProblems } from './import-problems.ts';

/** Each flag's dependencies after the import. */
type Dependencies = ReadonlyMap<string, readonly FeatureDependency[]>;

const MESSAGE = 'These dependencies cannot be used:';

/** What the flags would depend on: what they do now, and what the export says. Looks at the draft before any flag of the import is in it. */
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
  for (const { name, dependencies } of flags) {
    if (dependencies.length === 0) continue;
    for (const dependency of dependencies) {
      const problem = parentProblem(reader, { project, name, dependency, merged });
      if (problem) errors.add(MESSAGE, `${name} on ${dependency.feature} (${problem})`);
      yield;
    }
    if (parents.has(name) || hasChildren(reader, name)) {
      errors.add(MESSAGE, `${name} (it is itself the parent of a feature)`);
    }
    yield;
  }
  return merged;
}

/** Each parent once: as it is named last. */
function merge(before: Feature | undefined, { dependencies }: ImportedFlag): readonly FeatureDependency[] {
  if (dependencies.length === 0) return before?.dependencies ?? [];
  const byParent = new Map<string, FeatureDependency>();
  for (const dependency of [...(before?.dependencies ?? []), ...dependencies]) {
    byParent.delete(dependency.feature);
    byParent.set(dependency.feature, dependency);
  }
  return [...byParent.values()];
}

interface Link {
  readonly project: string;
  readonly name: string;
  readonly dependency: FeatureDependency;
  readonly merged: Dependencies;
}

function parentProblem(reader: StateReader, { project, name, dependency, merged }: Link): string | undefined {
  const { feature: parentName, enabled, variants } = dependency;
  if (parentName === name) return 'a feature cannot depend on itself';
  if (!enabled && variants.length > 0) return 'variants can be expected of a parent that is on, not of one that is off';
  const imported = merged.get(parentName);
  const parent = reader.get('features', parentName);
  if (!imported && (!parent || parent.archived || parent.project !== project)) {
    return `there is no active feature of that name in the project ${project}`;
  }
  return (imported ?? parent?.dependencies ?? []).length > 0 ? 'it depends on a feature itself' : undefined;
}
