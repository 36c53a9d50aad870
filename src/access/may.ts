import { notFound, Rejection } from '../base/rejection.ts';
import { type Caller, covers, type Grant } from '../model/caller.ts';
import type { Requirement } from '../model/permission.ts';
import type { StateReader } from '../state/collections.ts';
import { isUser, userMay, userMaySomewhere, userSees } from './effective-permissions.ts';
import { isScimOn } from './scim.ts';

/**
 * Whether the caller has the permission in the project and the environment. Null: in more than one project or environment. No other function decides
 * this. `Admission` calls it before the body is read. Commands call it on their draft if only the stored entity names its project. `reader` contains
 * the users and roles. The function is called for every request: it needs a few look-ups, independent of the number of users.
 */
export function may(
  reader: StateReader,
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
    case 'SCIM':
      return caller.kind === 'scim' && isScimOn(reader);
    case 'READ':
      return isOfAdminSide(caller) || (caller.user !== null && maySee(reader, caller.user, project));
    default:
      return (
        isOfAdminSide(caller) || (caller.user !== null && userMay(reader, caller.user, required, project, environment))
      );
  }
}

/**
 * Same as `may`, while the project or the environment is not yet known: whether the caller has the permission in at least one project and
 * environment. Code that calls this must call `may` as soon as both are known.
 */
export function mayAnywhere(
  reader: StateReader,
  caller: Caller,
  required: Requirement,
  project?: string | undefined,
): boolean {
  if (caller.kind !== 'user' || required === 'READ') return may(reader, caller, required, project ?? null, null);
  if (required === 'NONE' || required === 'CLIENT' || required === 'FRONTEND' || required === 'SCIM')
    return required === 'NONE';
  return caller.user !== null && userMaySomewhere(reader, caller.user, required, project);
}

/** Returns why the caller may not do what a request asks for; undefined if the caller may. The HTTP front calls it directly after authentication. */
export function accessProblem(
  reader: StateReader,
  caller: Caller,
  { required, project, environment }: Grant,
): Rejection | undefined {
  const isKnown = project !== undefined && environment !== undefined;
  for (const requirement of required) {
    const isAllowed = isKnown
      ? may(reader, caller, requirement, project, environment)
      : mayAnywhere(reader, caller, requirement, project ?? undefined);
    if (isAllowed) return undefined;
  }
  if (typeof project === 'string' && required.every((requirement) => may(reader, caller, requirement, null, null)))
    return missingProject(project);
  return forbidden(required, project ?? null, environment ?? null);
}

/** The answer to callers who may not see a private project: the same as for a project that does not exist. */
function missingProject(project: string): Rejection {
  return notFound(`The project ${project} does not exist.`);
}

function maySee(reader: StateReader, user: string, project: string | null): boolean {
  return project === null ? isUser(reader, user) : userSees(reader, user, project);
}

/**
 * Returns why the caller may no longer do what the HTTP front allowed; undefined if the caller still may. Called with the draft of each command of
 * the request: a permission or credential that was withdrawn after the HTTP front had checked it must not be used.
 */
export function lostPermissionProblem(reader: StateReader, caller: Caller): Rejection | undefined {
  if (caller.proof && !reader.get(caller.proof.collection, caller.proof.key)) return CREDENTIAL_REMOVED;
  return caller.grant ? accessProblem(reader, caller, caller.grant) : undefined;
}

/** The answer if the credential was removed while its request was in progress. */
const CREDENTIAL_REMOVED = new Rejection(
  'AuthenticationRequired',
  'Your token or session was removed while the request was in progress. Nothing was changed. Sign on again, or use another token.',
);

/** The answer to callers without the permission; one of `required` is enough. */
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

/** Whether the caller is an admin token or the service itself: these need no role. */
function isOfAdminSide({ kind }: Caller): boolean {
  return kind === 'admin' || kind === 'system';
}

function reaches({ scope }: Caller, project: string | null, environment: string | null): boolean {
  return (project === null || covers(scope, project)) && (environment === null || scope.environment === environment);
}
