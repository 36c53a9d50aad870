import { forbidden, may } from '../../access/may.ts';
import { visibleProjects } from '../../access/visibility.ts';
import type { Rejection } from '../../base/rejection.ts';
import type { Caller } from '../../model/caller.ts';
import type { Permission } from '../../model/permission.ts';
import type { StateReader } from '../../state/collections.ts';

/** Who asks, and of which state. */
export interface Asked {
  readonly draft: StateReader;
  readonly caller: Caller;
}

/**
 * Why the command's caller may not do this, or undefined; one of the permissions is enough. Asked by commands whose project, or environment,
 * is told by their input's body or only by the entity: the front of the server could not decide these, and the entity of the draft is the one
 * that is changed.
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
 * Whether the caller must not know of the project, nor of what is in it. Where the entity alone tells the project, it is not found then: whoever
 * may not change it learns that it is there only if they may see it.
 */
export function isHidden({ draft, caller }: Asked, project: string | null): boolean {
  return project !== null && !visibleProjects(draft, caller).has(project);
}
