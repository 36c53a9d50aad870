import type { Caller } from '../../model/caller.ts';
import type { StateReader } from '../../state/collections.ts';

/** Ids of the projects in which the caller has a role, of their own or of a group. */
export function projectsOf({ user }: Caller, reader: StateReader): string[] {
  if (user === null) return [];
  const projects = new Set<string>();
  for (const { project } of reader.lookup('projectsByUser', user)) projects.add(project);
  for (const { groupId } of reader.lookup('membershipsByUser', user))
    for (const { project } of reader.lookup('projectsByGroup', String(groupId))) projects.add(project);
  return [...projects].sort();
}
