import Type from 'typebox';
import { createdResponses } from '../../http/endpoint.ts';
import { PROPERTIES_MAX } from './protocol/values.ts';

const Schemas = Type.Array(Type.String(), { description: 'URNs of the schemas' });

const Meta = Type.Object({
  resourceType: Type.Optional(Type.String({ description: 'Kind of the resource' })),
  created: Type.Optional(Type.String({ description: 'When the resource was created' })),
  location: Type.Optional(Type.String({ description: 'Address of the resource' })),
  version: Type.Optional(Type.String({ description: 'Tag of the resource, for `If-Match`' })),
});

/** Also has `$ref`, the address of the resource, which OpenAPI would read as a reference of its own. */
const Reference = Type.Object({
  value: Type.Optional(Type.String({ description: 'Id of the resource' })),
  display: Type.Optional(Type.String({ description: 'Name of the resource' })),
  type: Type.Optional(Type.String({ description: 'Kind of the resource' })),
});

const IDS = {
  schemas: Schemas,
  id: Type.String({ description: 'Id of the resource, which no later resource gets' }),
  externalId: Type.Optional(Type.String({ description: 'Id at the identity provider' })),
  meta: Type.Optional(Meta),
};

const text = (description: string) => Type.Optional(Type.String({ description }));

export const ScimUser = Type.Object(
  {
    ...IDS,
    userName: text('The name with which the user signs on'),
    displayName: text('The name that Burgee shows'),
    active: Type.Optional(Type.Boolean({ description: 'Whether the user may sign on' })),
    name: Type.Optional(
      Type.Object({
        formatted: text('The full name'),
        givenName: text('The given name'),
        familyName: text('The family name'),
      }),
    ),
    emails: Type.Optional(
      Type.Array(
        Type.Object({
          value: text('The address'),
          type: text('What the address is for'),
          primary: Type.Optional(Type.Boolean({ description: 'Whether this is the main address' })),
        }),
        { description: 'Email addresses of the user' },
      ),
    ),
    groups: Type.Optional(Type.Array(Reference, { description: 'The groups that the identity provider manages' })),
  },
  {
    $id: 'scimUser',
    description: 'Without `attributes` and `excludedAttributes`, a user has all attributes with a value',
  },
);

export const ScimGroup = Type.Object(
  {
    ...IDS,
    displayName: text('The name of the group'),
    members: Type.Optional(Type.Array(Reference)),
  },
  { $id: 'scimGroup' },
);

/** A list of resources, or of descriptions of the service. */
export function listSchema($id: string, item: Parameters<typeof Type.Array>[0]) {
  return Type.Object(
    {
      schemas: Schemas,
      totalResults: Type.Integer({ description: 'Number of resources on all pages' }),
      startIndex: Type.Integer({ description: 'Number of the first resource of the page' }),
      itemsPerPage: Type.Integer({ description: 'Number of resources of the page' }),
      Resources: Type.Array(item, { description: 'The resources of the page' }),
    },
    { $id },
  );
}

/**
 * A sent resource. Identity providers write names in any letter case, booleans as texts and attributes that Burgee does not have, so the handler reads
 * the attributes.
 */
export const SentResource = Type.Record(Type.String(), Type.Unknown(), {
  $id: 'scimResource',
  maxProperties: PROPERTIES_MAX,
  description: 'The attributes of the schema. Others are ignored',
});

export const ResourceParams = { id: Type.String({ minLength: 1, maxLength: 200, description: 'Id of the resource' }) };

const ETAG = { etag: 'Tag of the resource, for `If-Match`' };

export function shownResponses(description: string, schema: typeof ScimUser | typeof ScimGroup) {
  return { 200: { description, schema, headers: ETAG }, 304: { description: 'The client already has this answer' } };
}

export function changedResponses(description: string, schema: typeof ScimUser | typeof ScimGroup) {
  return { 200: { description, schema, headers: ETAG } };
}

export function madeResponses(description: string, schema: typeof ScimUser | typeof ScimGroup) {
  const { 201: made } = createdResponses(description, schema);
  return { 201: { ...made, headers: { ...made.headers, ...ETAG } } };
}
