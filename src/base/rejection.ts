/** The kinds of error a caller can get, by the names of the contract's table; `http/errors.ts` gives each its status. */
export type ErrorName =
  | 'ValidationError'
  | 'AuthenticationRequired'
  | 'NoAccessError'
  | 'NotFoundError'
  | 'NameExistsError'
  | 'ContentTypeerror'
  | 'PayloadTooLargeError'
  | 'RequestTimeoutError'
  | 'TooManyRequestsError'
  | 'InternalError'
  | 'ServiceUnavailableError'
  | 'NetworkAuthenticationRequired';

export interface ErrorDetail {
  readonly message: string;
  /** Where in the request, as a JSON pointer: `/constraints/0/operator`. */
  readonly path?: string;
  /** Of a password: every rule that it breaks, where Unleash's pages look for them. */
  readonly validationErrors?: readonly string[];
}

/** "No", as a value: a rule of the domain or of the interface was not met. Nothing was changed. */
export class Rejection {
  readonly name: ErrorName;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
  /** Seconds after which trying again makes sense, where it does. */
  readonly retryAfterS: number | undefined;

  constructor(name: ErrorName, message: string, details: readonly ErrorDetail[] = [], retryAfterS?: number) {
    this.name = name;
    this.message = message;
    this.details = details.length > 0 ? details : [{ message }];
    this.retryAfterS = retryAfterS;
  }
}

/** The same, for a request in which what was judged lies at `prefix`, a JSON pointer. */
export function relocated({ name, message, details, retryAfterS }: Rejection, prefix: string): Rejection {
  const moved = details.map((detail) =>
    detail.path === undefined ? detail : { ...detail, path: prefix + detail.path },
  );
  return new Rejection(name, message, moved, retryAfterS);
}

/** The request breaks a rule; `path` is the JSON pointer of the offending part. */
export function invalid(message: string, path?: string): Rejection {
  return new Rejection('ValidationError', message, [path === undefined ? { message } : { message, path }]);
}

export function notFound(message: string): Rejection {
  return new Rejection('NotFoundError', message);
}

/** The request clashes with what exists: a name that is taken, a thing that is in use. */
export function conflict(message: string): Rejection {
  return new Rejection('NameExistsError', message);
}

/** What no caller may do to the thing as it is, whatever their permissions: 403, as Unleash answers. */
export function notAllowed(message: string, path?: string): Rejection {
  return new Rejection('NoAccessError', message, [path === undefined ? { message } : { message, path }]);
}

export function unavailable(message: string, retryAfterS: number): Rejection {
  return new Rejection('ServiceUnavailableError', message, [], retryAfterS);
}
