import Type from 'typebox';
import { notFound, Rejection } from '../../base/rejection.ts';
import { routesOf } from '../endpoint.ts';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { SearchBody } from './list-query.ts';
import { baseUrlOf, listOf } from './listing.ts';
import { SCHEMA, SCIM_ROUTE, scimAnswer } from './protocol/protocol.ts';
import { GROUP_KIND, USER_KIND } from './resources.ts';
import { listSchema, ScimGroup, ScimUser } from './schemas.ts';

const route = routesOf('SCIM');

const Described = Type.Object(
  {
    schemas: Type.Array(Type.String(), { description: 'URNs of the schemas' }),
    id: Type.Optional(Type.String()),
    meta: Type.Object({
      resourceType: Type.String({ description: 'Kind of the description' }),
      location: Type.String({ description: 'Address of the description' }),
    }),
  },
  { $id: 'scimDescription', description: 'A description of the service, as RFC 7643 defines it' },
);
const Descriptions = listSchema('scimDescriptions', Described);

const NO_FILTER = Type.Object({
  filter: Type.Optional(Type.String({ description: 'Refused: RFC 7644 forbids to filter descriptions' })),
});

function listed(query: { readonly filter?: string }, items: readonly object[]) {
  if (query.filter !== undefined) return FILTERED;
  const counts = { totalResults: items.length, startIndex: 1, itemsPerPage: items.length };
  return scimAnswer(200, { schemas: [SCHEMA.list], ...counts, Resources: items });
}

const FILTERED = new Rejection('NoAccessError', 'Descriptions of the service cannot be filtered.');

function oneOf(items: readonly { readonly id: string }[], id: string) {
  const found = items.find((item) => item.id === id);
  return found ? scimAnswer(200, found) : notFound(`There is no description with the id ${id}.`);
}

const DescriptionParams = { id: Type.String({ maxLength: 200, description: 'Id of the description' }) };
const DESCRIPTION = { 200: { description: 'The description', schema: Described } };
const DESCRIPTIONS = { 200: { description: 'The descriptions', schema: Descriptions } };

const getConfig = route('GET /scim/v2/ServiceProviderConfig', 'getScimConfig', {
  ...SCIM_ROUTE,
  summary: 'What the service supports of SCIM 2.0',
  responses: DESCRIPTION,
  handle: (_request, services) => scimAnswer(200, serviceProviderConfig(baseUrlOf(services))),
});

const getTypes = route('GET /scim/v2/ResourceTypes', 'getScimResourceTypes', {
  ...SCIM_ROUTE,
  summary: 'The kinds of resources',
  query: NO_FILTER,
  responses: DESCRIPTIONS,
  errors: [403],
  handle: ({ query }, services) => listed(query, resourceTypes(baseUrlOf(services))),
});

const getType = route('GET /scim/v2/ResourceTypes/:id', 'getScimResourceType', {
  ...SCIM_ROUTE,
  summary: 'One kind of resource',
  params: DescriptionParams,
  responses: DESCRIPTION,
  handle: ({ params }, services) => oneOf(resourceTypes(baseUrlOf(services)), params.id),
});

const getSchemas = route('GET /scim/v2/Schemas', 'getScimSchemas', {
  ...SCIM_ROUTE,
  summary: 'The attributes of all resources',
  query: NO_FILTER,
  responses: DESCRIPTIONS,
  errors: [403],
  handle: ({ query }, services) => listed(query, schemas(baseUrlOf(services))),
});

const getSchema = route('GET /scim/v2/Schemas/:id', 'getScimSchema', {
  ...SCIM_ROUTE,
  summary: 'The attributes of one kind of resource',
  params: DescriptionParams,
  responses: DESCRIPTION,
  handle: ({ params }, services) => oneOf(schemas(baseUrlOf(services)), params.id),
});

const search = route('POST /scim/v2/.search', 'searchScim', {
  ...SCIM_ROUTE,
  summary: 'Same as the lists of users and groups together, with the query in the body',
  body: SearchBody,
  responses: {
    200: { description: 'The page', schema: listSchema('scimResources', Type.Union([ScimUser, ScimGroup])) },
  },
  handle: ({ body, asker }, services) => listOf([USER_KIND, GROUP_KIND], body, asker, services),
});

const searchUsers = route('POST /scim/v2/Users/.search', 'searchScimUsers', {
  ...SCIM_ROUTE,
  summary: 'Same as the list of users, with the query in the body',
  body: SearchBody,
  responses: { 200: { description: 'The page', schema: listSchema('scimUsers', ScimUser) } },
  handle: ({ body, asker }, services) => listOf([USER_KIND], body, asker, services),
});

const searchGroups = route('POST /scim/v2/Groups/.search', 'searchScimGroups', {
  ...SCIM_ROUTE,
  summary: 'Same as the list of groups, with the query in the body',
  body: SearchBody,
  responses: { 200: { description: 'The page', schema: listSchema('scimGroups', ScimGroup) } },
  handle: ({ body, asker }, services) => listOf([GROUP_KIND], body, asker, services),
});

export const scimEndpoints = [getConfig, getTypes, getType, getSchemas, getSchema, search, searchUsers, searchGroups];
