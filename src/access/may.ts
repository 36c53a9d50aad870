import { notFound, Rejection } from '../base/rejection.ts';
import { type Caller, covers, type Grant } from '../model/caller.ts';
import type { Requirement } from '../model/permission.ts';
import type { StateReader } from '../state/collections.ts';
import { isUser, userMay, userMaySomewhere, userSees } from './effective-permissions.ts';

/**
 * Whether the caller has the permission in the project and the environment; null means more than one. Only this function decides it: `Admission`
 * calls it before the body is read; commands call it on their draft if only the entity contains the project. `reader` contains the users and
 * roles. Called for every request: it needs a few look-ups, independent of the number of users.
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
    case 'READ':
      return isOfAdminSide(caller) || (caller.user !== null && maySee(reader, caller.user, project));
    default:
      return (
        isOfAdminSide(caller) || (caller.user !== null && userMay(reader, caller.user, required, project, environment))
      );
  }
}

/**
 * Same as `may`, while the project or the environment is not yet known: whether the caller may do this in at least one of them. Code that
 * calls this must call `may` as soon as both are known.
 */
export function mayAnywhere(
  reader: StateReader,
  caller: Caller,
  required: Requirement,
  project?: string | undefined,
): boolean {
  if (caller.kind !== 'user' || required === 'READ') return may(reader, caller, required, project ?? null, null);
  if (required === 'NONE' || required === 'CLIENT' || required === 'FRONTEND') return required === 'NONE';
  return caller.user !== null && userMaySomewhere(reader, caller.user, required, project);
}

/** Why the caller may not do what a request asks for, or undefined. The front of the server calls it directly after authentication. */
export function refusal(
  reader: StateReader,
  caller: Caller,
  { required, project, environment }: Grant,
): Rejection | undefined {
  const isKnown = project !== undefined && environment !== undefined;
  for (const one of required) {
    const isAllowed = isKnown
      ? may(reader, caller, one, project, environment)
      : mayAnywhere(reader, caller, one, project ?? undefined);
    if (isAllowed) return undefined;
  }
  if (typeof project === 'string' && required.every((one) => may(reader, caller, one, null, null)))
    return hidden(project);
  return forbidden(required, project ?? null, environment ?? null);
}

/** The answer about a private project for callers who are not in it: the same as for a project that does not exist. */
function hidden(project: string): Rejection {
  return notFound(`The project ${project} does not exist.`);
}

function maySee(reader: StateReader, user: string, project: string | null): boolean {
  return project === null ? isUser(reader, user) : userSees(reader, user, project);
}

/**
 * Why the caller may no longer do what the front of the server allowed, or undefined. Checked on the draft of each command of the request: a
 * permission or credential that was withdrawn in between must not be used.
 */
export function lostRightOf(reader: StateReader, caller: Caller): Rejection | undefined {
  if (caller.proof && !reader.get(caller.proof.collection, caller.proof.key)) return ENDED;
  return caller.grant ? refusal(reader, caller, caller.grant) : undefined;
}

/** The answer if the credential was withdrawn while its request was in progress. */
const ENDED = new Rejection('AuthenticationRequired', 'What you signed on with has ended. Nothing was changed.');

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

/** Whether the caller needs no role. */
function isOfAdminSide({ kind }: Caller): boolean {
  return kind === 'admin' || kind === 'system';
}

function reaches({ scope }: Caller, project: string | null, environment: string | null): boolean {
  return (project === null || covers(scope, project)) && (environment === null || scope.environment === environment);
}
