import { wholeOf } from '../../access/effective-permissions.ts';
import { may } from '../../access/may.ts';
import type { Caller } from '../../model/caller.ts';
import { DEFAULT_PROJECT } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';

/**
 * Ids of the projects on the caller's dashboard. They are the projects in which the caller has a role, for editors also the default project, and for
 * admins all projects.
 */
export function projectsOfDashboard(caller: Caller, reader: StateReader): string[] {
  const own = projectsOf(caller, reader);
  if (caller.user === null) return own;
  if (may(reader, caller, 'ADMIN', null, null)) return [...reader.values('projects')].map(({ id }) => id).sort();
  const isEditor = !own.includes(DEFAULT_PROJECT) && may(reader, caller, 'UPDATE_FEATURE', DEFAULT_PROJECT, null);
  return isEditor ? [DEFAULT_PROJECT, ...own] : own;
}

/** Ids of the projects in which the caller has a role, directly or through a group. */
export function projectsOf({ user }: Caller, reader: StateReader): string[] {
  const whole = user === null ? undefined : wholeOf(reader, user);
  return whole ? [...whole.inProjects.keys()].sort() : [];
}
