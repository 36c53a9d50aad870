import { byText } from '../base/lists/sorted.ts';
import type { Caller } from '../model/caller.ts';
import type { StateReader } from '../state/collections.ts';
import { projectsWithRole, userSeesAll } from './effective-permissions.ts';
import { may } from './may.ts';

/** The projects that a caller may see: all projects except private projects in which the caller has no role. */
export interface VisibleProjects {
  /** Whether the caller sees all projects. */
  readonly isAll: boolean;
  /** Whether the caller may see the project and its content. For a project that does not exist: whether the caller sees all projects. */
  has(project: string): boolean;
}

/** For callers that may see everything. */
export const ALL_PROJECTS: VisibleProjects = { isAll: true, has: () => true };

/**
 * The filter for every list with items of several projects. It costs nothing for admins, and one or two look-ups per item for other callers.
 * If the path or query of a request contains the project, `may` decides before the handler runs: `READ` is refused as if the project did not exist.
 */
export function visibleProjects(reader: StateReader, caller: Caller): VisibleProjects {
  const { kind, user } = caller;
  if (kind !== 'user' || user === null || userSeesAll(reader, user)) return ALL_PROJECTS;
  return { isAll: false, has: (project) => may(reader, caller, 'READ', project, null) };
}

/** The projects that a caller saw at one moment. */
export interface Sight extends VisibleProjects {
  /** Equal for callers who see the same projects at the same moment of the state. */
  readonly key: string;
}

const SEES_ALL: Sight = { ...ALL_PROJECTS, key: 'all' };

/** Same as `visibleProjects`, but it does not follow later changes of the caller's rights, which other callers of a shared answer do not have. */
export function sightOf(reader: StateReader, caller: Caller): Sight {
  if (visibleProjects(reader, caller).isAll) return SEES_ALL;
  const isPublic = (project: string) => (reader.get('projects', project)?.mode ?? 'private') !== 'private';
  const own = caller.user === null ? [] : projectsWithRole(reader, caller.user).filter((project) => !isPublic(project));
  const ids = new Set(own.sort(byText));
  return { isAll: false, key: JSON.stringify([...ids]), has: (project) => ids.has(project) || isPublic(project) };
}

/** Ids of the projects that a caller may see, without duplicates; null means all. */
export type ReadableProjects = ReadonlySet<string> | null;

export function readableProjects(reader: StateReader, caller: Caller): ReadableProjects {
  return readableOf(reader, visibleProjects(reader, caller));
}

export function readableOf(reader: StateReader, visible: VisibleProjects): ReadableProjects {
  if (visible.isAll) return null;
  const ids = new Set<string>();
  for (const { id } of reader.values('projects')) if (visible.has(id)) ids.add(id);
  return ids;
}

/**
 * Whether a caller may see an event, or a change of an entity, that names these projects: only if the caller may see all of them. A project that was
 * deleted is seen by callers who see everything. Everybody who reads events passes this rule (`state/named-projects.ts` says what an event names).
 */
export function maySeeNamed(visible: Pick<VisibleProjects, 'has'> | null, named: Iterable<string>): boolean {
  if (visible) for (const project of named) if (!visible.has(project)) return false;
  return true;
}
