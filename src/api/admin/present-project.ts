import { Slicer } from '../../base/yield-control.ts';
import type { Project } from '../../model/project.ts';
import type { State } from '../../state/state.ts';

/** Properties that every answer about a project has. */
export function projectFields({ id, name, description, mode, defaultStickiness, featureLimit }: Project) {
  return { id, name, description, mode, defaultStickiness, featureLimit };
}

/** A project as lists tell it. */
export function presentProject(project: Project, state: State, favorites: ReadonlySet<string>) {
  const { createdAt, updatedAt, archivedAt } = project;
  return {
    ...projectFields(project),
    featureCount: activeFlagCount(state, project.id),
    archivedFeatureCount: state.count('archivedByProject', project.id),
    memberCount: 0,
    favorite: favorites.has(project.id),
    createdAt,
    updatedAt,
    archivedAt,
  };
}

/** Flags of the project that are not archived. */
export function activeFlagCount(state: State, project: string): number {
  return state.count('featuresByProject', project) - state.count('archivedByProject', project);
}

/** A project with figures about its flags, which are looked at in slices. */
export async function presentProjectOverview(project: Project, state: State, favorites: ReadonlySet<string>) {
  const typeCounts = new Map<string, number>();
  let [active, stale] = [0, 0];
  const slicer = new Slicer();
  for (const feature of state.lookup('featuresByProject', project.id)) {
    if (slicer.spent) await slicer.pause();
    if (feature.archived) continue;
    active++;
    if (feature.stale) stale++;
    typeCounts.set(feature.type, (typeCounts.get(feature.type) ?? 0) + 1);
  }
  const { createdAt, updatedAt, archivedAt } = project;
  return {
    version: 1,
    ...projectFields(project),
    environments: sortedNames(project, state).map((environment) => ({ environment })),
    featureTypeCounts: [...typeCounts].map(([type, count]) => ({ type, count })),
    health: active === 0 ? 100 : Math.round((100 * (active - stale)) / active),
    members: 0,
    favorite: favorites.has(project.id),
    createdAt,
    updatedAt,
    archivedAt,
  };
}

/** Names of the project's environments in the order of environments. */
function sortedNames({ environments }: Project, state: State): string[] {
  const place = (name: string) => state.get('environments', name)?.sortOrder ?? 0;
  return [...environments].sort((left, right) => place(left) - place(right) || (left < right ? -1 : 1));
}
