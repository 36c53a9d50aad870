import type { Rejection } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';
import type { Permission } from '../model/permission.ts';
import type { StateReader } from '../state/collections.ts';
import { forbidden, may } from './may.ts';
import { visibleProjects } from './visibility.ts';

/** A caller, and the state in which the permissions of the caller are checked: the current state, or the draft of a command. */
export interface CallerInState {
  readonly draft: StateReader;
  readonly caller: Caller;
}

/**
 * Returns a rejection if the caller has none of the permissions; otherwise undefined. Commands call this function if only the body or the stored
 * entity names the project or environment. The HTTP server cannot check such a permission, because it does not read the entity.
 */
export function permissionProblem(
  { draft, caller }: CallerInState,
  permissions: readonly Permission[],
  project: string | null,
  environment: string | null = null,
): Rejection | undefined {
  for (const permission of permissions) {
    if (may(draft, caller, permission, project, environment)) return undefined;
  }
  return forbidden(permissions, isHidden({ draft, caller }, project) ? null : project, environment);
}

/**
 * Whether the project and its content are hidden from the caller. If only the stored entity names the project, commands report a hidden entity as
 * missing, so that callers who may not see the project do not learn that the entity exists.
 */
export function isHidden({ draft, caller }: CallerInState, project: string | null): boolean {
  return project !== null && !visibleProjects(draft, caller).has(project);
}
