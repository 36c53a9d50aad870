import Type from 'typebox';
import { type ErrorName, Rejection } from '../../../base/rejection.ts';
import type { Answer } from '../../../http/answer.ts';
import type { Protocol } from '../../../http/endpoint.ts';
import { ERRORS } from '../../../http/errors.ts';

export const SCIM_TYPE = 'application/scim+json';

export const SCHEMA = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  search: 'urn:ietf:params:scim:api:messages:2.0:SearchRequest',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
  config: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
  resourceType: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
  schema: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
} as const;

/** Kinds of errors, by the names of RFC 7644, 3.12. */
type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** A rejection whose kind has a name in SCIM. */
export class ScimRejection extends Rejection {
  readonly scimType: ScimType;

  constructor(name: ErrorName, scimType: ScimType, message: string) {
    super(name, message);
    this.scimType = scimType;
  }
}

export function invalidScim(scimType: ScimType, message: string): ScimRejection {
  return new ScimRejection('ValidationError', scimType, message);
}

const ScimError = Type.Object(
  {
    schemas: Type.Array(Type.String(), { description: 'URN of the error messages of SCIM' }),
    status: Type.String({ description: 'Status of the answer' }),
    scimType: Type.Optional(Type.String({ description: 'Kind of the error, by the names of RFC 7644' })),
    detail: Type.String({ description: 'What is wrong, as a sentence' }),
  },
  { $id: 'scimError', description: 'The body of every error under `/scim/v2`' },
);

function scimTypeOf(rejection: Rejection): ScimType | undefined {
  if (rejection instanceof ScimRejection) return rejection.scimType;
  if (rejection.name === 'NameExistsError') return 'uniqueness';
  return rejection.name === 'ValidationError' ? 'invalidValue' : undefined;
}

export const SCIM: Protocol = {
  mediaType: SCIM_TYPE,
  below: '/scim/v2/',
  errorSchema: ScimError,
  errorBody(rejection) {
    const scimType = scimTypeOf(rejection);
    const status = String(ERRORS[rejection.name].status);
    return { schemas: [SCHEMA.error], status, ...(scimType && { scimType }), detail: rejection.message };
  },
  wrongMethodBody: (method) => ({
    schemas: [SCHEMA.error],
    status: '405',
    detail: `The path does not accept the method ${method}.`,
  }),
};

/** What all routes of SCIM have in common. */
export const SCIM_ROUTE = { access: { permission: 'SCIM' }, protocol: SCIM } as const;

/** An answer with the media type of SCIM. */
export function scimAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, body, headers: { 'content-type': SCIM_TYPE, ...headers } };
}
