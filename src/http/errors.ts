import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import type { ErrorName, Rejection } from '../base/rejection.ts';

/** Every error a caller can be told, once: its status and when it is told. The documentation and the tests are checked against this. */
export const ERRORS = {
  ValidationError: { status: 400, meaning: 'The request data does not conform to the schema or breaks a rule.' },
  AuthenticationRequired: { status: 401, meaning: 'Authorization is missing or invalid.' },
  NoAccessError: { status: 403, meaning: 'Valid credentials but insufficient permission.' },
  InvalidOperationError: {
    status: 403,
    meaning: 'Nobody may do this to the thing as it is, whatever their permissions.',
  },
  NotFoundError: { status: 404, meaning: 'The requested resource was not found.' },
  RequestTimeoutError: { status: 408, meaning: 'The body did not arrive in time.' },
  NameExistsError: {
    status: 409,
    meaning: 'The request conflicts with what exists: a name is taken, or a thing is in use.',
  },
  PayloadTooLargeError: { status: 413, meaning: 'The body is larger than the service accepts.' },
  ContentTypeerror: { status: 415, meaning: 'The payload type is not supported; send application/json.' },
  TooManyRequestsError: { status: 429, meaning: 'Too many requests wait; try again after Retry-After seconds.' },
  InternalError: { status: 500, meaning: 'A defect of the service; the id is in its log.' },
  ServiceUnavailableError: { status: 503, meaning: 'Not possible at the moment; try again after Retry-After seconds.' },
} as const satisfies Record<ErrorName, { status: number; meaning: string }>;

/** Error body (contract: Error body), with the single problems in `details`. */
export const ErrorBody = Type.Object(
  {
    id: Type.String({ description: 'Id of this very error' }),
    name: Type.String({ description: 'Kind of error' }),
    message: Type.String(),
    details: Type.Array(Type.Object({ message: Type.String(), path: Type.Optional(Type.String()) })),
  },
  { $id: 'error', description: 'Every error has this body' },
);

export function errorBody(rejection: Rejection): { id: string; name: string; message: string; details: unknown } {
  return { id: randomUUID(), name: rejection.name, message: rejection.message, details: rejection.details };
}

export function errorNameOfStatus(status: number): ErrorName | undefined {
  return (Object.keys(ERRORS) as ErrorName[]).find((name) => ERRORS[name].status === status);
}
