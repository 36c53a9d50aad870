import { notFound, Rejection } from '../base/rejection.ts';
import { type Caller, covers, type Grant } from '../model/caller.ts';
import type { Requirement } from '../model/permission.ts';
import type { StateReader } from '../state/collections.ts';
import { isUser, userMay, userMaySomewhere, userSees } from './standing.ts';

/**
 * Whether the caller may do this in the project and the environment; null for what reaches further than one. The only place that decides it:
 * the front of the server asks before it takes a body, and commands ask on their draft where only the entity says the project. `reader` is
 * where users and roles stand. Asked for every request: it costs a few look-ups, however many users there are.
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
 * As `may`, where the project, or only the environment, is not known yet: whether there can be one in which the caller may do this. Code that
 * asks this asks `may` as soon as both are known.
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

/** Why the caller may not do what a request asks for, or undefined. Asked by the front of the server, of a caller who was just let in. */
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

/** The answer about a private project to callers who are not in it: the same as if there were none. */
function hidden(project: string): Rejection {
  return notFound(`The project ${project} does not exist.`);
}

function maySee(reader: StateReader, user: string, project: string | null): boolean {
  return project === null ? isUser(reader, user) : userSees(reader, user, project);
}

/**
 * Why the caller may no longer do what the front let their request do, or undefined. Asked of the draft on which each of its commands is
 * decided, whichever it is: a right, or a credential, that was taken away in between is gone.
 */
export function lostRightOf(reader: StateReader, caller: Caller): Rejection | undefined {
  if (caller.proof && !reader.get(caller.proof.collection, caller.proof.key)) return ENDED;
  return caller.grant ? refusal(reader, caller, caller.grant) : undefined;
}

/** Of a credential that was withdrawn while its request was under way. */
const ENDED = new Rejection('AuthenticationRequired', 'What you signed on with has ended. Nothing was changed.');

/** The answer to callers who lack a permission; one of these would be enough. */
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

/** Callers that need no role. */
function isOfAdminSide({ kind }: Caller): boolean {
  return kind === 'admin' || kind === 'system';
}

function reaches({ scope }: Caller, project: string | null, environment: string | null): boolean {
  return (project === null || covers(scope, project)) && (environment === null || scope.environment === environment);
}
