import type { Caller } from '../model/caller.ts';
import type { StateReader } from '../state/collections.ts';
import { userSeesAll } from './effective-permissions.ts';
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

/** Ids of the visible projects, without duplicates; null means all. */
export function readableProjects(reader: StateReader, caller: Caller): ReadonlySet<string> | null {
  const visible = visibleProjects(reader, caller);
  if (visible.isAll) return null;
  const ids = new Set<string>();
  for (const { id } of reader.values('projects')) if (visible.has(id)) ids.add(id);
  return ids;
}
