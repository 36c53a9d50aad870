import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { documentText } from '../../src/features/documentation/document.ts';
import { endpoints, FEATURE_HTTP } from '../../src/features/registry.ts';
import { credentialOf, permissionsOf } from '../../src/http/access.ts';
import { ERRORS } from '../../src/http/errors.ts';
import { openApiDocument } from '../../src/http/openapi.ts';
import { SESSION_COOKIE } from '../../src/http/session-cookie.ts';
import { endpoint } from '../support/http/http-server.ts';
import { useService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test reads the document without types
type Any = any;

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

let document: Any;

beforeAll(async () => {
  document = JSON.parse(await documentText(FEATURE_HTTP));
});

/** Every object in the document, with its JSON pointer. */
function* walk(value: Any, pointer = '#'): Generator<[string, Any]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value];
  for (const [key, member] of Object.entries(value)) yield* walk(member, `${pointer}/${key}`);
}

function* operations(): Generator<[string, string, Any]> {
  for (const [path, methods] of Object.entries<Any>(document.paths)) {
    for (const [method, operation] of Object.entries<Any>(methods)) yield [path, method, operation];
  }
}

describe('the committed openapi.json', () => {
  it('matches the routes; regenerate it with: npm run openapi', async () => {
    expect(read('openapi.json') === (await documentText(FEATURE_HTTP)), 'run: npm run openapi').toBe(true);
  });

  it('names the version of package.json', () => {
    expect(JSON.parse(read('package.json')).version).toBe(VERSION);
    expect(document.info.version).toBe(VERSION);
  });
});

describe('the document', () => {
  it('has every route, once, under its operation id', () => {
    const found = [...operations()].map(([path, method, { operationId }]) => `${operationId} ${method} ${path}`).sort();
    const stated = endpoints.map(
      ({ operationId, method, path }) => `${operationId} ${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(found).toEqual([...stated].sort());
  });

  it('has the fixed fields of OpenAPI 3.1', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document).sort()).toEqual(['components', 'info', 'openapi', 'paths', 'servers', 'tags']);
    for (const [, , operation] of operations()) {
      expect(Object.keys(operation)).toEqual(
        expect.arrayContaining(['operationId', 'tags', 'summary', 'security', 'responses']),
      );
      const known = [
        'operationId',
        'tags',
        'summary',
        'description',
        'deprecated',
        'security',
        'parameters',
        'requestBody',
        'responses',
      ];
      expect(known).toEqual(expect.arrayContaining(Object.keys(operation)));
      expect(operation.summary).not.toBe('');
    }
    const tags = document.tags.map((tag: Any) => tag.name);
    expect(
      new Set(
        [...operations()].map(
          ([
            ,
            ,
            {
              tags: [tag],
            },
          ]) => tag,
        ),
      ),
    ).toEqual(new Set(tags));
  });

  it('has no two paths that differ in the name of a parameter only', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  });

  it('has no default for a property: generated clients would treat the property as required', () => {
    const { caseInsensitive, inverted } = document.components.schemas.constraint.properties;
    expect([caseInsensitive, inverted]).toEqual([
      { type: 'boolean', description: 'Whether upper and lower case are treated as equal (default: false)' },
      { type: 'boolean', description: 'Whether the result is inverted (default: false)' },
    ]);
  });

  it('contains every path parameter, as required, and no other', () => {
    for (const [path, , { parameters = [] }] of operations()) {
      const inPath = parameters.filter((parameter: Any) => parameter.in === 'path');
      expect(inPath.map(({ name }: Any) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      for (const parameter of parameters) {
        if (parameter.in === 'header') expect(['if-match', 'if-none-match']).toContain(parameter.name);
        else expect(['path', 'query']).toContain(parameter.in);
        expect(parameter.required).toBeTypeOf('boolean');
        if (parameter.in === 'path') expect(parameter.required).toBe(true);
        expect(parameter.schema).toBeTypeOf('object');
      }
    }
  });

  it('contains for every route an answer of success, and each error with its body', () => {
    for (const [path, method, { responses, requestBody, security }] of operations()) {
      const where = `${method} ${path}`;
      // Clients of MCP need the path, to be refused.
      const succeeds = where !== 'get /mcp';
      expect(
        Object.keys(responses).some((status) => /^[23]/.test(status)),
        where,
      ).toBe(succeeds);
      for (const [status, response] of Object.entries<Any>(responses)) {
        if (Number(status) < 400) expect(response.description, where).toBeTypeOf('string');
        else if (path.startsWith('/scim/')) {
          const { schema } = response.content['application/scim+json'];
          expect(schema, where).toEqual({ $ref: '#/components/schemas/scimError' });
        } else if (where === 'post /mcp' && ['400', '404'].includes(status)) {
          // Newer clients of MCP read the error of a message in the form of the protocol.
          const { schema } = response.content['application/json'];
          expect(JSON.stringify(schema), where).toContain('#/components/schemas/mcpAnswer');
        } else {
          const name = response.$ref.replace('#/components/responses/', '') as keyof typeof ERRORS;
          expect(ERRORS[name].status, where).toBe(Number(status));
        }
      }
      const always = [
        400,
        500,
        503,
        ...(security.length > 0 ? [401] : []),
        ...(security.length > 0 && !('backstageToken' in security[0]) ? [403] : []),
        ...(requestBody ? [408, 413, 415] : []),
      ];
      expect(Object.keys(responses), where).toEqual(expect.arrayContaining(always.map(String)));
    }
  });

  it('requires the token and the permission that the route requires', () => {
    const ofAdmins = ['adminToken', 'personalToken', 'sessionCookie'];
    const ofSdks = { client: ['clientToken'], frontend: ['frontendToken'] };
    const schemes = { none: [], admin: ofAdmins, ...ofSdks, scim: ['scimToken'] };
    for (const { operationId, access } of endpoints) {
      const [found] = [...operations()].filter(([, , operation]) => operation.operationId === operationId);
      const permissions = permissionsOf(access);
      const roles = permissions.length > 0 ? permissions.map((name) => [name]) : [[]];
      const own = 'keyHeader' in access ? ['frontendKey'] : [];
      const expected =
        'backstage' in access
          ? [{ backstageToken: [] }, {}]
          : [...schemes[credentialOf(access)], ...own].flatMap((scheme) => roles.map((each) => ({ [scheme]: each })));
      const byAddress = 'byAddress' in access ? [{}] : [];
      expect(found?.[2].security, operationId).toEqual([...expected, ...byAddress]);
      for (const name of permissions) expect(found?.[2].description, operationId).toContain(name);
    }
    for (const scheme of Object.values(schemes).flat()) {
      const carrier =
        scheme === 'sessionCookie' ? { in: 'cookie', name: SESSION_COOKIE } : { in: 'header', name: 'authorization' };
      expect(document.components.securitySchemes[scheme], scheme).toMatchObject({ type: 'apiKey', ...carrier });
    }
    const key = { type: 'apiKey', in: 'header', name: 'x-api-key' };
    expect(document.components.securitySchemes.frontendKey).toMatchObject(key);
  });

  it('has a target for every reference, and a use for every component', () => {
    const used = new Set<string>();
    for (const [pointer, value] of walk(document)) {
      if (typeof value.$ref !== 'string' || pointer.includes('/properties/$ref')) continue;
      used.add(value.$ref);
      const [, kind, group, name] = value.$ref.split('/');
      expect(document[kind]?.[group]?.[name], `${pointer} refers to ${value.$ref}`).toBeTypeOf('object');
    }
    for (const name of Object.keys(document.components.schemas)) expect(used).toContain(`#/components/schemas/${name}`);
  });

  it('contains only keywords of JSON Schema 2020-12: no ids, no lists of schemas as items', () => {
    const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
    for (const [pointer, value] of walk({ ...document.components.schemas, ...document.paths })) {
      if (/\/properties$/.test(pointer)) continue;
      expect(value, pointer).not.toHaveProperty('$id');
      if (typeof value.type === 'string' && 'schema' in value === false && !/\/properties$/.test(pointer)) {
        if (types.includes(value.type)) expect(Array.isArray(value.items), pointer).toBe(false);
      }
    }
  });
});

describe('GET /docs/openapi.json', () => {
  const service = useService({ env: { BASE_URI_PATH: '/flags' } });

  it('serves the document without a token, with the base path of this instance', async () => {
    for (let count = 0; count < 2; count++) {
      const { status, body, headers } = await service.call('getOpenApi');
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(body).toEqual({ ...document, servers: [{ url: '/flags' }] });
    }
  });
});

describe('the generator', () => {
  const COMMON = {
    tag: 'Test',
    summary: 's',
    access: { permission: 'ADMIN' },
    errors: [409],
    handle: () => ({ status: 200 }),
  } as const;

  it('writes parameters, bodies, headers, deprecation and errors of a route', async () => {
    const Named = Type.Object({ a: Type.String() }, { $id: 'named' });
    const route = endpoint({
      ...COMMON,
      operationId: 'op',
      method: 'put',
      path: '/x/:id/y/:name',
      deprecated: true,
      params: Type.Object({ id: Type.Integer({ description: 'The id' }), name: Type.String() }),
      query: Type.Object({ q: Type.String({ minLength: 2 }), tag: Type.Optional(Type.Array(Type.String())) }),
      body: Named,
      responses: { 200: { description: 'Done', schema: Type.Array(Named), headers: { location: 'Where' } } },
    });
    const generated: Any = await openApiDocument([route], { version: '1', basePath: '' });
    expect(generated.paths['/x/{id}/y/{name}'].put).toMatchObject({
      deprecated: true,
      parameters: [
        { name: 'id', in: 'path', required: true, description: 'The id', schema: { type: 'integer' } },
        { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'q', in: 'query', required: true, schema: { type: 'string', minLength: 2 } },
        { name: 'tag', in: 'query', required: false, schema: { type: 'array', items: { type: 'string' } } },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/named' } } },
      },
      responses: {
        200: {
          headers: { location: { description: 'Where', schema: { type: 'string' } } },
          content: { 'application/json': { schema: { items: { $ref: '#/components/schemas/named' } } } },
        },
        409: { $ref: '#/components/responses/NameExistsError' },
      },
    });
    expect(generated.components.schemas.named).toEqual({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' } },
    });
  });

  it('refuses two schemas with one name, and a parameter without a schema', async () => {
    const responses = (schema: Any) => ({ 200: { description: '', schema } });
    const one = endpoint({
      ...COMMON,
      operationId: 'a',
      method: 'get',
      path: '/a',
      responses: responses(Type.String({ $id: 'same' })),
    });
    const two = endpoint({
      ...COMMON,
      operationId: 'b',
      method: 'get',
      path: '/b',
      responses: responses(Type.Number({ $id: 'same' })),
    });
    await expect(openApiDocument([one, two], { version: '1', basePath: '' })).rejects.toThrow(/same/);
    const bare = endpoint({
      ...COMMON,
      operationId: 'c',
      method: 'get',
      path: '/c/:id',
      responses: responses(Type.String()),
    });
    await expect(openApiDocument([bare], { version: '1', basePath: '' })).rejects.toThrow(/id/);
  });
});
