import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import type { ErrorName, Rejection } from '../base/rejection.ts';

/**
 * Every error that a caller can get: its status, its meaning, and when it is sent. docs/reference/errors.md is generated from this table, the OpenAPI document
 * lists the errors of each operation, and test/http/walks/every-error.test.ts tests each of them over HTTP.
 */
export const ERRORS = {
  ValidationError: {
    status: 400,
    meaning: 'The request data does not conform to the schema or breaks a rule.',
    when: 'The path, the query or the body does not match what the operation accepts, or the request exceeds a limit or breaks another rule.',
  },
  AuthenticationRequired: {
    status: 401,
    meaning: 'Authorization is missing or invalid.',
    when: 'The request has no credential, the credential is unknown or has expired, or the password is wrong.',
  },
  NoAccessError: {
    status: 403,
    meaning: 'Valid credentials but insufficient permission.',
    when:
      'The token has another type or scope, the roles of the user do not allow the operation in this project or environment, ' +
      'or no caller may do it in the current state.',
  },
  NotFoundError: {
    status: 404,
    meaning: 'The requested resource was not found.',
    when: 'The path does not exist, no object has this name or id, or the object is in another project.',
  },
  MethodNotAllowedError: {
    status: 405,
    meaning: 'The path does not accept this method.',
    when: 'Only for `GET /mcp`: its clients expect this status if a server has no stream. Other paths answer 404.',
  },
  RequestTimeoutError: {
    status: 408,
    meaning: 'The body did not arrive in time.',
    when: 'The body is not complete after `HANDLER_DEADLINE_MS`.',
  },
  NameExistsError: {
    status: 409,
    meaning: 'The request conflicts with the current state: a name is taken, or an object is in use.',
    when: 'The name exists already, the object to delete is in use, or another change was made first.',
  },
  PreconditionFailed: {
    status: 412,
    meaning: 'The object has changed since the caller read it; nothing was changed.',
    when: 'The request has an `If-Match` header, and the object that it changes has none of the ETags in it.',
  },
  PayloadTooLargeError: {
    status: 413,
    meaning: 'The body is larger than the service accepts.',
    when: 'The body has more bytes than `BODY_LIMIT_BYTES`, or on import paths more than `IMPORT_BODY_LIMIT_BYTES`, as it was sent or after decompression.',
  },
  ContentTypeerror: {
    status: 415,
    meaning: 'The payload type is not supported; send application/json.',
    when: 'The body has another `content-type` or none, or a `content-encoding` other than gzip and deflate.',
  },
  TooManyRequestsError: {
    status: 429,
    meaning: 'Too many requests wait; try again after Retry-After seconds.',
    when: 'Wrong passwords were sent repeatedly, or the caller has more concurrent expensive requests than its quota allows.',
  },
  InternalError: {
    status: 500,
    meaning: 'A defect of the service; the id is in its log.',
    when: 'The cause is a defect; no request is known that triggers it. The response contains the id, but not the cause.',
  },
  ServiceUnavailableError: {
    status: 503,
    meaning: 'Not possible at the moment; try again after Retry-After seconds.',
    when:
      'The service starts, stops or is in maintenance, its store cannot be reached or written, or the response took longer than ' +
      '`HANDLER_DEADLINE_MS`.',
  },
  NetworkAuthenticationRequired: {
    status: 511,
    meaning: 'A relay has no client token for the data that the caller requests.',
    when: 'Only relays send it: the token is a frontend token, and no client token covers its environment and all its projects.',
  },
} as const satisfies Record<ErrorName, ErrorRow>;

interface ErrorRow {
  readonly status: number;
  readonly meaning: string;
  /** The cause of the error: an action of the caller, or a state of the service. */
  readonly when: string;
}

/** Error body (contract: Error body). `details` contains one entry per problem. */
export const ErrorBody = Type.Object(
  {
    id: Type.String({ description: 'Unique id of this error' }),
    name: Type.String({ description: 'Kind of error' }),
    message: Type.String(),
    details: Type.Array(
      Type.Object({
        message: Type.String(),
        path: Type.Optional(Type.String()),
        validationErrors: Type.Optional(
          Type.Array(Type.String(), {
            description: 'Only for a password, in the first detail: every rule that the password breaks',
          }),
        ),
        current: Type.Optional(
          Type.Unknown({
            description:
              'Only for 412: the object as it is now, as its GET answers it to the caller; null if it is large',
          }),
        ),
        changedBy: Type.Optional(
          Type.Unknown({
            description: 'Only for 412: name of the user who last changed the object; null if not known',
          }),
        ),
        changedAt: Type.Optional(
          Type.Unknown({ description: 'Only for 412: when the object was last changed; null if not known' }),
        ),
        review: Type.Optional(
          Type.Object(
            { project: Type.String(), environment: Type.String() },
            { description: 'Only if the change has to be reviewed first: where a change request for it belongs' },
          ),
        ),
      }),
    ),
    path: Type.Optional(Type.String({ description: 'Only for 401: the path to which passwords are sent' })),
    type: Type.Optional(Type.String({ description: 'Only for 401: how people sign on at `path`' })),
    defaultHidden: Type.Optional(
      Type.Boolean({ description: 'Only for 401: whether pages at first hide this way to sign on' }),
    ),
    key: Type.Optional(Type.String({ description: 'The requested flag; only under `/ofrep`' })),
    errorCode: Type.Optional(Type.String({ description: 'Kind of error in OpenFeature’s words; only under `/ofrep`' })),
    errorDetails: Type.Optional(Type.String({ description: 'Same as `message`; only under `/ofrep`' })),
  },
  { $id: 'error', description: 'The body of every error' },
);

/** Describes how users sign on. The pages of Unleash show the sign-on form that this names. */
const SIGN_ON = { path: '/auth/simple/login', type: 'password', defaultHidden: false };

export function errorBody({ name, message, details }: Rejection) {
  const body = { id: randomUUID(), name, message, details };
  return name === 'AuthenticationRequired' ? { ...body, ...SIGN_ON } : body;
}

export function errorNameOfStatus(status: number): ErrorName | undefined {
  return (Object.keys(ERRORS) as ErrorName[]).find((name) => ERRORS[name].status === status);
}
