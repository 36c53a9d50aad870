import type { Caller } from '../model/caller.ts';
import type { StateReader } from '../state/collections.ts';
import { may } from './may.ts';
import { userSeesAll } from './standing.ts';

/** The projects that a caller may see: all but the private ones in which they have no role. */
export interface VisibleProjects {
  /** Nothing needs to be left out. */
  readonly isAll: boolean;
  /** Whether they may see this one, and everything in it. What is in a project that does not exist is shown to callers that see all. */
  has(project: string): boolean;
}

/** For callers that may see everything. */
export const ALL_PROJECTS: VisibleProjects = { isAll: true, has: () => true };

/**
 * What every list that reaches over projects is filtered through. Costs nothing for admins, and for all others a look-up or two an item.
 * A request that names its project in path or query is decided by `may` at the front of the server: `READ` there is refused as if the
 * project did not exist.
 */
export function visibleProjects(reader: StateReader, caller: Caller): VisibleProjects {
  const { kind, user } = caller;
  if (kind !== 'user' || user === null || userSeesAll(reader, user)) return ALL_PROJECTS;
  return { isAll: false, has: (project) => may(reader, caller, 'READ', project, null) };
}

/** Their ids, to be listed once; null for all there are. */
export function readableProjects(reader: StateReader, caller: Caller): ReadonlySet<string> | null {
  const visible = visibleProjects(reader, caller);
  if (visible.isAll) return null;
  const ids = new Set<string>();
  for (const { id } of reader.values('projects')) if (visible.has(id)) ids.add(id);
  return ids;
}
