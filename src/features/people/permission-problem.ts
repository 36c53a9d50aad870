import { forbidden, may } from '../../access/may.ts';
import { visibleProjects } from '../../access/visibility.ts';
import type { Rejection } from '../../base/rejection.ts';
import type { Caller } from '../../model/caller.ts';
import type { Permission } from '../../model/permission.ts';
import type { StateReader } from '../../state/collections.ts';

/** The caller, and the state in which the permission is checked. */
export interface Asked {
  readonly draft: StateReader;
  readonly caller: Caller;
}

/**
 * Why the caller may not do this, or undefined. One of the permissions is sufficient. Commands call it if their project or environment is named only
 * in the body or in the stored entity: the HTTP server cannot check those before the command runs, and the draft has the entity that is changed.
 */
export function permissionProblem(
  { draft, caller }: Asked,
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
 * Whether the caller may not see the project and what is in it. If only the stored entity names the project, the entity is then reported as missing,
 * so that a caller who may not change it learns of it only if they may see it.
 */
export function isHidden({ draft, caller }: Asked, project: string | null): boolean {
  return project !== null && !visibleProjects(draft, caller).has(project);
}
