/** The kinds of errors that a caller can get, with the names from the table of the contract; `http/errors.ts` defines the status of each. */
export type ErrorName =
  | 'ValidationError'
  | 'AuthenticationRequired'
  | 'NoAccessError'
  | 'NotFoundError'
  | 'MethodNotAllowedError'
  | 'NameExistsError'
  | 'PreconditionFailed'
  | 'ContentTypeerror'
  | 'PayloadTooLargeError'
  | 'RequestTimeoutError'
  | 'TooManyRequestsError'
  | 'InternalError'
  | 'ServiceUnavailableError'
  | 'NetworkAuthenticationRequired';

export interface ErrorDetail {
  readonly message: string;
  /** The position of the problem in the request, as a JSON pointer: `/constraints/0/operator`. */
  readonly path?: string;
  /** For a password: every rule that it breaks. Unleash's pages read them from this field. */
  readonly validationErrors?: readonly string[];
  /** For 412: the object as it is now, and who changed it last and when. Null: not known. */
  readonly current?: unknown;
  readonly changedBy?: string | null;
  readonly changedAt?: string | null;
  /** The change has to be reviewed first: where a change request for it belongs. */
  readonly review?: ReviewPlace;
}

/** An environment of a project whose changes have to be reviewed. */
export interface ReviewPlace {
  readonly project: string;
  readonly environment: string;
}

/** Says that a request breaks a rule of the domain or of the interface. It is a value, and is never thrown out of a command. Nothing was changed. */
export class Rejection {
  readonly name: ErrorName;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
  /** Number of seconds after which the caller may try again; undefined if the same request cannot succeed later. */
  readonly retryAfterS: number | undefined;

  constructor(name: ErrorName, message: string, details: readonly ErrorDetail[] = [], retryAfterS?: number) {
    this.name = name;
    this.message = message;
    this.details = details.length > 0 ? details : [{ message }];
    this.retryAfterS = retryAfterS;
  }
}

/** Returns the rejection with `prefix`, a JSON pointer, before each path: for a request that contains the rejected value at `prefix`. */
export function withPathPrefix({ name, message, details, retryAfterS }: Rejection, prefix: string): Rejection {
  const prefixed = details.map((detail) =>
    detail.path === undefined ? detail : { ...detail, path: prefix + detail.path },
  );
  return new Rejection(name, message, prefixed, retryAfterS);
}

/** The request breaks a rule; `path` is the JSON pointer of the offending part. */
export function invalid(message: string, path?: string): Rejection {
  return new Rejection('ValidationError', message, [path === undefined ? { message } : { message, path }]);
}

export function notFound(message: string): Rejection {
  return new Rejection('NotFoundError', message);
}

/** The request conflicts with the current state: a name already exists, or the object is in use. */
export function conflict(message: string): Rejection {
  return new Rejection('NameExistsError', message);
}

/** An action that no caller may do while the object is in its current state, whatever permissions they have: 403, as in Unleash. */
export function notAllowed(message: string, path?: string): Rejection {
  return new Rejection('NoAccessError', message, [path === undefined ? { message } : { message, path }]);
}

export function unavailable(message: string, retryAfterS: number): Rejection {
  return new Rejection('ServiceUnavailableError', message, [], retryAfterS);
}

/** A rejection as an error, for code that cannot return it: an iteration, for example. */
export class RejectionError extends Error {
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}
