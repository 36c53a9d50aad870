import { SCIM_LIMITS } from './limits.ts';
import { GROUP_ATTRIBUTES, USER_ATTRIBUTES } from './protocol/attributes.ts';
import { SCHEMA } from './protocol/protocol.ts';

/** What the service supports (RFC 7643, 5). */
export function serviceProviderConfig(baseUrl: string) {
  return {
    schemas: [SCHEMA.config],
    documentationUri: 'https://datatracker.ietf.org/doc/html/rfc7644',
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: SCIM_LIMITS.scimPageSize.max },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The token that an admin of Burgee created for the identity provider',
        specUri: 'https://datatracker.ietf.org/doc/html/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
  };
}

const RESOURCE_TYPES = [
  { id: 'User', endpoint: '/Users', schema: SCHEMA.user, description: 'A person who can sign on' },
  { id: 'Group', endpoint: '/Groups', schema: SCHEMA.group, description: 'People who get roles together' },
];

export function resourceTypes(baseUrl: string) {
  return RESOURCE_TYPES.map(({ id, ...rest }) => ({
    schemas: [SCHEMA.resourceType],
    id,
    name: id,
    ...rest,
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${id}` },
  }));
}

const SCHEMAS = [
  { id: SCHEMA.user, name: 'User', description: 'A person who can sign on', attributes: USER_ATTRIBUTES },
  { id: SCHEMA.group, name: 'Group', description: 'People who get roles together', attributes: GROUP_ATTRIBUTES },
];

export function schemas(baseUrl: string) {
  return SCHEMAS.map((schema) => ({
    schemas: [SCHEMA.schema],
    ...schema,
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${schema.id}` },
  }));
}
