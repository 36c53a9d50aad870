import { Rejection } from '../base/rejection.ts';
import { type Caller, covers } from '../model/caller.ts';
import type { Requirement } from '../model/permission.ts';
import type { StateReader } from '../state/collections.ts';

/**
 * Whether the caller may do this in the project and the environment; null for what reaches further than one. The only place that decides it:
 * the front of the server asks before it takes a body, and commands ask on their draft where only the entity tells the project. Called for
 * every request, so it allocates nothing. `reader` is where users and roles stand.
 */
export function may(
  _reader: StateReader,
  caller: Caller,
  required: Requirement,
  project: string | null,
  environment: string | null,
): boolean {
  switch (required) {
    case 'NONE':
      return true;
    case 'CLIENT':
      return caller.kind === 'client' && reaches(caller, project, environment);
    case 'FRONTEND':
      return caller.kind === 'frontend' && reaches(caller, project, environment);
    default:
      return caller.kind === 'admin' || caller.kind === 'system';
  }
}

/**
 * As `may`, where the project is not known yet: whether there can be one in which the caller may do this. Whoever asks this asks `may` as
 * soon as the project is known.
 */
export function mayAnywhere(reader: StateReader, caller: Caller, required: Requirement): boolean {
  return may(reader, caller, required, null, null);
}

function reaches({ scope }: Caller, project: string | null, environment: string | null): boolean {
  return (project === null || covers(scope, project)) && (environment === null || scope.environment === environment);
}

/** What is told to callers who lack a permission; one of these would be enough. */
export function forbidden(
  required: readonly Requirement[],
  project: string | null,
  environment: string | null,
): Rejection {
  const inProject = project === null ? '' : ` in the project ${project}`;
  const inEnvironment = environment === null ? '' : ` for the environment ${environment}`;
  return new Rejection(
    'NoAccessError',
    `You need the permission ${required.join(' or ')}${inProject}${inEnvironment}.`,
  );
}
