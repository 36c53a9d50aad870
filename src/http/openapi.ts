import type { TSchema } from 'typebox';
import { SERVICE } from '../base/asking/asker.ts';
import { assert } from '../base/assert.ts';
import { Slicer } from '../base/yield-control.ts';
import { type Access, credentialOf, permissionsOf } from './access.ts';
import { REVISION_HEADER } from './answer.ts';
import { FORM_TYPE } from './body/form.ts';
import { type AnyEndpoint, parameterNames, type ResponseSpec, type RouteStatement } from './endpoint.ts';
import { ERRORS, ErrorBody, errorNameOfStatus } from './errors.ts';
import { addExamples, type Examples } from './examples.ts';
import { describe, describeProperties, type Glossary } from './field-descriptions.ts';
import { MIN_REVISION_HEADER } from './min-revision.ts';
import { PROPAGATED_HEADER, WAIT_HEADER } from './propagation-wait.ts';
import { SESSION_COOKIE } from './session-cookie.ts';
import { REASON_HEADER, REASON_LENGTH_MAX } from './stated-by-request.ts';

type Json = Record<string, unknown>;

const DESCRIPTION =
  'Feature flags: the admin API manages them, the client and frontend APIs serve them.\n\n' +
  `The answer to every admin write has the header \`${REVISION_HEADER}\`: the revision that contains the write. If several replicas share a Redis, ` +
  `any request may send such a revision in the header \`${MIN_REVISION_HEADER}\`. It is then answered from this revision or a newer one, or with ` +
  '503 and `Retry-After` if the revision does not reach the replica in time.\n\n' +
  `A write with the header \`${WAIT_HEADER}: 95%\` is answered when 95 % of the connected SDKs have received it, or after a timeout ` +
  `(\`${WAIT_HEADER}: 95%; timeout=10\` sets it in seconds). The header \`${PROPAGATED_HEADER}\` of the answer contains the reached percentage.\n\n` +
  `Every admin write accepts the header \`${REASON_HEADER}\`: why the change is made, in at most ${REASON_LENGTH_MAX} characters, percent-encoded ` +
  'as UTF-8. The audit events of the write contain it. Environments with `requireReason` demand it.\n\n' +
  'The answers of operations that read or change one object have its ETag in the header `etag`. A change with `if-match` and this ETag is made only if ' +
  'the object has not been changed since; otherwise the answer is 412, with the object as it is now.\n\n' +
  'Bodies may be compressed: `content-encoding` gzip or deflate. The maximum size of a body counts before and after decompression. JSON answers of at ' +
  'least 1,000 bytes are compressed if the caller accepts gzip, except answers with secrets.';

const JSON_TYPE = 'application/json';

/** Routes with the texts for their OpenAPI document. */
export interface DescribedRoutes<Services> {
  readonly endpoints: readonly AnyEndpoint<Services>[];
  /** Descriptions of request and answer fields whose schema has no description. */
  readonly glossary?: Glossary;
  /** Examples of their parameters and bodies. */
  readonly examples?: Examples;
}

interface OpenApiOptions {
  readonly version: string;
  /** Prefix of every path; "" for none. */
  readonly basePath: string;
  /** Descriptions of fields whose schema has no description. */
  readonly glossary?: Glossary;
  /** Examples of parameters and bodies. */
  readonly examples?: Examples;
}

/** A kind of credential that a request may contain. */
interface SecurityScheme {
  readonly scheme: string;
  readonly description: string;
  readonly location?: { readonly in: 'header' | 'cookie'; readonly name: string };
}

/** Additional credential of routes with a `keyHeader`. */
const KEY_SCHEME: SecurityScheme = {
  scheme: 'frontendKey',
  description: 'A frontend token, as clients of OpenFeature’s protocol may send it',
  location: { in: 'header', name: 'x-api-key' },
};

/** The credential of operators. */
const BACKSTAGE_SCHEME: SecurityScheme = {
  scheme: 'backstageToken',
  description:
    'The token that `BACKSTAGE_TOKEN` sets, with or without `Bearer` before it. No token is needed if `BACKSTAGE_TOKEN` is not set',
};

const AUTHORIZATION = { in: 'header', name: 'authorization' } as const;

/** The credentials for each kind of route. A request needs one of them. All tokens are sent in the same header. */
const SECURITY: Readonly<Record<'admin' | 'client' | 'frontend' | 'scim', readonly SecurityScheme[]>> = {
  admin: [
    { scheme: 'adminToken', description: 'An admin token, `*:*.secret`. It has all permissions' },
    {
      scheme: 'personalToken',
      description: 'A token of a user or of a service account, `user:secret`. It has the permissions of its owner',
    },
    {
      scheme: 'sessionCookie',
      description:
        'The session of a person who signed on. A request that changes something also needs an `Origin` or a `Sec-Fetch-Site` header of the ' +
        'same origin',
      location: { in: 'cookie', name: SESSION_COOKIE },
    },
  ],
  client: [
    {
      scheme: 'clientToken',
      description:
        'A client token, `project:environment.secret`. No token is needed if the service runs with `AUTH_TYPE=none`',
    },
  ],
  scim: [
    {
      scheme: 'scimToken',
      description: 'The token of the identity provider, `Bearer scim:secret`. An admin creates it',
    },
  ],
  frontend: [{ scheme: 'frontendToken', description: 'A frontend token, `project:environment.secret`' }],
};

/**
 * The OpenAPI 3.1 document of these routes. All of it derives from the definitions of the routes, and the same routes always give the same text.
 * @throws AssertionError when two different schemas have the same `$id`
 */
export async function openApiDocument(
  endpoints: readonly AnyEndpoint<never>[],
  { version, basePath, glossary = {}, examples = {} }: OpenApiOptions,
): Promise<Json> {
  // Work of the service: the document is kept for all requests.
  const slicer = Slicer.of(SERVICE);
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const endpoint of [...endpoints].sort(byRoute)) {
    const path = endpoint.path.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] ??= {};
    const operation = operationOf(endpoint, components);
    describeOperation(operation, endpoint.operationId, glossary);
    paths[path][endpoint.method] = operation;
    if (slicer.spent) await slicer.pause();
  }
  const responses = errorResponses(components);
  const schemas = components.schemas();
  for (const [name, schema] of Object.entries(schemas)) {
    describeProperties(schema, name, glossary);
    if (slicer.spent) await slicer.pause();
  }
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) addExamples(operation as Json, examples, schemas);
    if (slicer.spent) await slicer.pause();
  }
  const tags = [...new Set(endpoints.map((endpoint) => endpoint.tag))].sort();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Burgee',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: { responses, schemas, securitySchemes: securitySchemes() },
  };
}

/** Adds descriptions to the inline schemas and the parameters of an operation. */
function describeOperation(operation: Json, operationId: string, glossary: Glossary): void {
  const {
    parameters = [],
    requestBody,
    responses,
  } = operation as {
    parameters?: Json[];
    requestBody?: Contents;
    responses: Record<string, Contents>;
  };
  for (const parameter of parameters) describe(parameter, glossary, operationId, [String(parameter.name)]);
  for (const { content = {} } of [...(requestBody ? [requestBody] : []), ...Object.values(responses)]) {
    for (const { schema } of Object.values(content)) describeProperties(schema, operationId, glossary);
  }
}

interface Contents {
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}

/** Statuses with an error body: the statuses that the route defines, and the statuses that every route of its kind can have. */
export function errorStatuses(route: RouteStatement): number[] {
  const statuses = new Set([...route.errors, 500, 503]);
  // Every route answers 400 if the query is too long or the head states two lengths.
  statuses.add(400);
  if (route.access.permission !== 'NONE') statuses.add(401).add(403);
  // For callers who are not members of a private project, the project does not exist.
  if (route.access.permission === 'READ' && route.access.project) statuses.add(404);
  if (route.body) statuses.add(408).add(413).add(415);
  return [...statuses].sort((left, right) => left - right);
}

function byRoute(left: RouteStatement, right: RouteStatement): number {
  const [a, b] = [`${left.path} ${left.method}`, `${right.path} ${right.method}`];
  return a < b ? -1 : a > b ? 1 : 0;
}

function securitySchemes(): Json {
  const schemes = [...Object.values(SECURITY).flat(), KEY_SCHEME, BACKSTAGE_SCHEME].map(
    ({ scheme, description, location = AUTHORIZATION }): [string, Json] => [
      scheme,
      { type: 'apiKey', ...location, description },
    ],
  );
  return Object.fromEntries(schemes);
}

function operationOf(route: AnyEndpoint<never>, components: Components): Json {
  const { operationId, tag, summary, description, deprecated, access, body } = route;
  const parameters = [
    ...pathParameters(route, components),
    ...queryParameters(route, components),
    ...tagParameters(route),
  ];
  const text = [description, permissionNote(access)].filter((part) => part).join('\n\n');
  return {
    operationId,
    tags: [tag],
    summary,
    ...(text === '' ? {} : { description: text }),
    ...(deprecated ? { deprecated } : {}),
    security: securityOf(access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: !route.bodyOptional, content: bodyContent(route, body, components) } } : {}),
    responses: responsesOf(route, components),
  };
}

/** The security requirements; a request needs to meet only one of them. OpenAPI allows roles in a requirement: here these are the permissions. */
function securityOf(access: Access): Json[] {
  // An empty alternative means that no credential is required.
  if ('backstage' in access) return [{ [BACKSTAGE_SCHEME.scheme]: [] }, {}];
  const credential = credentialOf(access);
  if (credential === 'none') return [];
  if ('byAddress' in access) return [...SECURITY[credential].map(({ scheme }) => ({ [scheme]: [] })), {}];
  const permissions = permissionsOf(access);
  const alternatives = permissions.length === 0 ? [[]] : permissions.map((name) => [name]);
  const schemes = 'keyHeader' in access ? [...SECURITY[credential], KEY_SCHEME] : SECURITY[credential];
  return schemes.flatMap(({ scheme }) => alternatives.map((roles) => ({ [scheme]: roles })));
}

/** The required permissions as a sentence, with the project and environment for which they are required. */
function permissionNote(access: Access): string {
  const names = permissionsOf(access).map((name) => `\`${name}\``);
  if (names.length === 0) return '';
  const locations = [
    access.project && `in the project of \`${access.project}\``,
    access.environment && `for the environment of \`${access.environment}\``,
  ];
  return `Permission: ${[names.join(' or '), ...locations.filter((location) => location)].join(', ')}.`;
}

/** The content of the request body. For a body that is not JSON, the schema is a text, and the route's description explains its lines. */
function bodyContent(route: AnyEndpoint<never>, body: TSchema, components: Components): Json {
  const schema = components.inline(body);
  if (route.kind === 'handled' && route.form) return { [FORM_TYPE]: { schema } };
  if (route.kind === 'handled' && route.protocol) return jsonContent(body, components, route.protocol.mediaType);
  const types = route.kind === 'streamed' ? route.contentTypes : [JSON_TYPE];
  return Object.fromEntries(types.map((type) => [type, { schema: type === JSON_TYPE ? schema : { type: 'string' } }]));
}

function pathParameters({ path, params, operationId }: RouteStatement, components: Components): Json[] {
  return parameterNames(path).map((name) => {
    const schema = params?.properties[name];
    assert(schema, `${operationId} has no schema for its parameter ${name}`);
    return parameterOf('path', name, schema, true, components);
  });
}

function queryParameters({ query }: RouteStatement, components: Components): Json[] {
  const required: readonly string[] = query?.required ?? [];
  return Object.entries(query?.properties ?? {}).map(([name, schema]) =>
    parameterOf('query', name, schema, required.includes(name), components),
  );
}

/** The header with the ETag that the caller knows. */
function tagParameters({ edits, method }: RouteStatement): Json[] {
  if (edits === undefined) return [];
  const [name, description] =
    method === 'get'
      ? ['if-none-match', 'ETag of an earlier answer; if the object still has it, the answer is 304 without a body']
      : [
          'if-match',
          'ETag of the object that the caller wants to change, or `*`; if the object has another ETag, the answer is 412',
        ];
  return [{ name, in: 'header', required: false, description, schema: { type: 'string' } }];
}

function parameterOf(location: string, name: string, schema: TSchema, required: boolean, components: Components): Json {
  const { description, ...rest } = components.inline(schema) as Json & { description?: string };
  return { name, in: location, required, ...(description === undefined ? {} : { description }), schema: rest };
}

function responsesOf(route: AnyEndpoint<never>, components: Components): Json {
  const responses: Json = {};
  const protocol = route.kind === 'handled' ? route.protocol : undefined;
  for (const [status, response] of Object.entries(route.responses))
    responses[status] = responseOf(response, components, protocol?.mediaType);
  for (const status of errorStatuses(route)) {
    if (responses[status]) continue;
    const name = errorNameOfStatus(status);
    assert(name, `${route.operationId} states the error ${status}, which has no name`);
    responses[status] = protocol
      ? responseOf({ description: ERRORS[name].meaning, schema: protocol.errorSchema }, components, protocol.mediaType)
      : { $ref: `#/components/responses/${name}` };
  }
  return responses;
}

/** The answers of all errors. Operations refer to them. */
function errorResponses(components: Components): Json {
  const retryAfter = { description: 'Seconds after which to try again', schema: { type: 'integer' } };
  const responses = Object.entries(ERRORS).map(([name, { status, meaning }]): [string, Json] => [
    name,
    {
      description: meaning,
      ...(status === 429 || status === 503 ? { headers: { 'retry-after': retryAfter } } : {}),
      content: jsonContent(ErrorBody, components),
    },
  ]);
  return Object.fromEntries(responses);
}

function responseOf(
  { description, schema, contentType, headers }: ResponseSpec,
  components: Components,
  mediaType = JSON_TYPE,
): Json {
  const described = Object.entries(headers ?? {}).map(([name, meaning]): [string, Json] => [
    name,
    { description: meaning, schema: { type: 'string' } },
  ]);
  return {
    description,
    ...(described.length > 0 ? { headers: Object.fromEntries(described) } : {}),
    ...(schema ? { content: jsonContent(schema, components, mediaType) } : {}),
    ...(contentType ? { content: { [contentType]: { schema: { type: 'string' } } } } : {}),
  };
}

function jsonContent(schema: TSchema, components: Components, mediaType = JSON_TYPE): Json {
  return { [mediaType]: { schema: components.inline(schema) } };
}

/** Collects the schemas with a name (`$id`), so the document contains each of them once. */
class Components {
  readonly #named = new Map<string, { readonly source: string; schema: unknown }>();

  /** The schema in the form of the document, with references instead of named schemas. */
  inline(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.inline(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $id, ...rest } = schema as Json & { $id?: string };
    if ($id === undefined) return this.#members(rest);
    const source = JSON.stringify(rest);
    const known = this.#named.get($id);
    assert(known === undefined || known.source === source, `two different schemas are called ${$id}`);
    if (known === undefined) {
      const entry = { source, schema: {} as unknown };
      this.#named.set($id, entry);
      entry.schema = this.#members(rest);
    }
    return { $ref: `#/components/schemas/${$id}` };
  }

  schemas(): Json {
    return Object.fromEntries([...this.#named].sort().map(([name, { schema }]) => [name, schema]));
  }

  #members(schema: Json): Json {
    const result: Json = {};
    for (const [keyword, value] of Object.entries(withoutDefault(schema))) result[keyword] = this.inline(value);
    const patterns = result.patternProperties as Json | undefined;
    // TypeBox writes "any key" as a pattern. People and generators understand `additionalProperties` better.
    if (patterns && Object.keys(patterns).length === 1 && patterns['^.*$']) {
      result.additionalProperties = patterns['^.*$'];
      delete result.patternProperties;
    }
    return result;
  }
}

/**
 * Writes a default value into the description instead: client generators treat a property with a `default` as a required one. A `default` that is an
 * object stays, because it is the schema of a property with this name.
 */
function withoutDefault(schema: Json): Json {
  const { default: usual, description, ...rest } = schema;
  if (usual === undefined || (typeof usual === 'object' && usual !== null)) return schema;
  const note = `default: ${JSON.stringify(usual)}`;
  return { ...rest, description: typeof description === 'string' ? `${description} (${note})` : note };
}
