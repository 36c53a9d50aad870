import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import type { ErrorName, Rejection } from '../base/rejection.ts';

/**
 * Every error that a caller can get: its status, its meaning, and when it is sent. docs/errors.md is generated from this table, the OpenAPI document lists
 * the errors of each operation, and test/http/every-error.test.ts tests each of them over HTTP.
 */
export const ERRORS = {
  ValidationError: {
    status: 400,
    meaning: 'The request data does not conform to the schema or breaks a rule.',
    when: 'Path, query or body are not what the operation takes; a limit is reached; a rule of the domain says no.',
  },
  AuthenticationRequired: {
    status: 401,
    meaning: 'Authorization is missing or invalid.',
    when: 'No credential, one that is not known or has ended, a wrong password.',
  },
  NoAccessError: {
    status: 403,
    meaning: 'Valid credentials but insufficient permission.',
    when: 'The token is of another kind or scope, or the roles of the user do not allow it there.',
  },
  NotFoundError: {
    status: 404,
    meaning: 'The requested resource was not found.',
    when: 'There is nothing at the path, or nothing of that name or id, or not in that project.',
  },
  RequestTimeoutError: {
    status: 408,
    meaning: 'The body did not arrive in time.',
    when: 'A body is not complete after `HANDLER_DEADLINE_MS`.',
  },
  NameExistsError: {
    status: 409,
    meaning: 'The request conflicts with what exists: a name is taken, or a thing is in use.',
    when: 'Something of that name exists; what should go is used; a change was overtaken by another one.',
  },
  PayloadTooLargeError: {
    status: 413,
    meaning: 'The body is larger than the service accepts.',
    when: 'It has more than `BODY_LIMIT_BYTES`, or on import paths `IMPORT_BODY_LIMIT_BYTES`.',
  },
  ContentTypeerror: {
    status: 415,
    meaning: 'The payload type is not supported; send application/json.',
    when: 'A body whose `content-type` is another one or missing, or that has a `content-encoding`.',
  },
  TooManyRequestsError: {
    status: 429,
    meaning: 'Too many requests wait; try again after Retry-After seconds.',
    when: 'Repeated wrong passwords, or more concurrent expensive requests than the quota of the caller.',
  },
  InternalError: {
    status: 500,
    meaning: 'A defect of the service; the id is in its log.',
    when: 'Never, as far as we know. The answer contains only the id.',
  },
  ServiceUnavailableError: {
    status: 503,
    meaning: 'Not possible at the moment; try again after Retry-After seconds.',
    when: 'The service is starting or stopping, its store cannot be reached or written, or an answer took longer than `HANDLER_DEADLINE_MS`.',
  },
  NetworkAuthenticationRequired: {
    status: 511,
    meaning: 'A relay has no client token that sees what the caller asks for.',
    when: 'Of a relay alone: a frontend token, and no client token whose environment and projects hold those of the token.',
  },
} as const satisfies Record<ErrorName, ErrorRow>;

interface ErrorRow {
  readonly status: number;
  readonly meaning: string;
  /** What the caller did or met. */
  readonly when: string;
}

/** Error body (contract: Error body), with the single problems in `details`. */
export const ErrorBody = Type.Object(
  {
    id: Type.String({ description: 'Id of this very error' }),
    name: Type.String({ description: 'Kind of error' }),
    message: Type.String(),
    details: Type.Array(
      Type.Object({
        message: Type.String(),
        path: Type.Optional(Type.String()),
        validationErrors: Type.Optional(
          Type.Array(Type.String(), { description: 'Of a password: every rule that it breaks; in the first detail' }),
        ),
      }),
    ),
    path: Type.Optional(Type.String({ description: 'Of a 401: where passwords are sent' })),
    type: Type.Optional(Type.String({ description: 'Of a 401: how people sign on there' })),
    defaultHidden: Type.Optional(Type.Boolean({ description: 'Of a 401: whether pages hide that way at first' })),
    key: Type.Optional(Type.String({ description: 'The flag that was asked for; only under `/ofrep`' })),
    errorCode: Type.Optional(Type.String({ description: 'Kind of error in OpenFeature’s words; only under `/ofrep`' })),
    errorDetails: Type.Optional(Type.String({ description: 'The message once more; only under `/ofrep`' })),
  },
  { $id: 'error', description: 'Every error has this body' },
);

/** How people sign on. Unleash's own pages show the form that this names. */
const SIGN_ON = { path: '/auth/simple/login', type: 'password', defaultHidden: false };

export function errorBody({ name, message, details }: Rejection) {
  const body = { id: randomUUID(), name, message, details };
  return name === 'AuthenticationRequired' ? { ...body, ...SIGN_ON } : body;
}

export function errorNameOfStatus(status: number): ErrorName | undefined {
  return (Object.keys(ERRORS) as ErrorName[]).find((name) => ERRORS[name].status === status);
}
