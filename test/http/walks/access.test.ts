import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { preparedAnswer } from '../../../src/base/prepared-answer.ts';
import { endpoints } from '../../../src/features/registry.ts';
import { credentialOf, permissionsOf } from '../../../src/http/access.ts';
import { PERMISSIONS } from '../../../src/model/permission.ts';
import { accepted, prepare } from '../../support/admin.ts';
import { prepared, routesOf } from '../../support/http/http-server.ts';
import { plainRequest } from '../../support/http/request.ts';
import { allowScim } from '../../support/scim.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, SCIM_TOKEN, useService } from '../../support/service.ts';
import { stateDigest } from '../../support/state-digest.ts';
import { isDeep } from '../../support/tiers/depth.ts';

type Route = (typeof endpoints)[number];

/** Ids of what few paths name. */
const numbers = (id: number) => ({ revision: id, changeId: id, tokenId: id });

/** Values of path parameters: items of the caller's own project, items of another project, and items that do not exist. */
const IDS = {
  own: {
    projectId: 'default',
    featureName: 'mine',
    child: 'mine',
    environment: 'development',
    id: 1,
    roleId: 6,
    groupId: 1,
    ...numbers(1),
  },
  foreign: {
    projectId: 'other',
    featureName: 'theirs',
    child: 'theirs',
    environment: 'production',
    id: 2,
    roleId: 7,
    groupId: 2,
    ...numbers(2),
  },
  missing: {
    projectId: 'nowhere',
    featureName: 'nothing',
    child: 'nothing',
    environment: 'nowhere',
    id: 99,
    roleId: 99,
    groupId: 99,
    ...numbers(99),
  },
};

/** Own ids always; the other ids at full depth only. */
const ASKED = Object.entries(IDS).slice(0, isDeep ? undefined : 1);

const CREDENTIALS: Readonly<Record<string, { readonly header: string | null; readonly opens: string | null }>> = {
  'no token': { header: null, opens: null },
  'an empty token': { header: '', opens: null },
  'an unknown token': { header: '*:*.unknown', opens: null },
  'an unknown bearer': { header: 'Bearer *:*.unknown', opens: null },
  'an expired client token': { header: 'default:development.expired-client', opens: null },
  'an expired frontend token': { header: 'default:development.expired-frontend', opens: null },
  'an expired admin token': { header: '*:*.expired-admin', opens: null },
  'a client token of one project': { header: 'default:development.own-client', opens: 'client' },
  'a client token': { header: CLIENT_TOKEN, opens: 'client' },
  'a frontend token of one project': { header: 'default:development.own-frontend', opens: 'frontend' },
  'a frontend token': { header: FRONTEND_TOKEN, opens: 'frontend' },
  'an admin token': { header: ADMIN_TOKEN, opens: 'admin' },
  'the token of an identity provider': { header: SCIM_TOKEN, opens: 'scim' },
};

/** Signal endpoints have tokens of their own: all others open nothing there. */
const OF_OWN_TOKENS = 'sendSignal';

/** The whole allow-table: which kind of token opens which kind of route. All other requests get 401 or 403. */
function expectedOf(route: Route, opens: string | null): 'allowed' | 401 | 403 {
  if (route.operationId === OF_OWN_TOKENS) return 401;
  const asked = credentialOf(route.access);
  if (asked === 'none' || asked === opens) return 'allowed';
  // Neither finds the tokens of the other: an identity provider has no part of the API.
  if (asked === 'scim' || opens === 'scim') return 401;
  return opens === null ? 401 : 403;
}

const service = useService();

beforeAll(async () => {
  await allowScim(service);
  await accepted(service, 'createProject', { body: { id: 'other', name: 'other' } });
  for (const [projectId, name] of [
    ['default', 'mine'],
    ['other', 'theirs'],
  ] as const) {
    await accepted(service, 'createFeature', { params: { projectId }, body: { name } });
    await accepted(service, 'createSegment', { body: { name, constraints: [], project: projectId } });
  }
  await prepare(service, (draft) => {
    for (const type of ['client', 'frontend', 'admin'] as const) {
      for (const name of ['own', 'expired']) {
        if (type === 'admin' && name === 'own') continue;
        const isAdmin = type === 'admin';
        const [environment, projects] = [isAdmin ? '*' : 'development', [isAdmin ? '*' : 'default']];
        draft.put('apiTokens', {
          secret: `${projects[0]}:${environment}.${name}-${type}`,
          tokenName: name,
          type,
          environment,
          projects,
          createdAt: '2020-01-01T00:00:00.000Z',
          expiresAt: name === 'expired' ? '2020-01-02T00:00:00.000Z' : null,
          seenAt: null,
          alias: null,
        });
      }
    }
  });
});

/** What nearly no route takes as its body: no JSON, another type, a change of the prototype. */
const NOT_BODIES = ['{"name": ', '"text"', '[]', '{"__proto__": {"admin": true}}'];

/** The value of a JSON text; a symbol, which no schema accepts, for another text. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return Symbol();
  }
}

async function send(
  route: Route,
  ids: Readonly<Record<string, string | number>>,
  token: string | null,
  body = { type: 'application/json', text: '{}' },
) {
  const path = route.path.replace(/:([A-Za-z]+)/g, (_match, name: string) =>
    encodeURIComponent(String(ids[name] ?? 'some')),
  );
  const headers: Record<string, string> = route.body ? { 'content-type': body.type } : {};
  if (token !== null) headers.authorization = token;
  const method = route.method.toUpperCase();
  return plainRequest(service.url + path, { method, headers, body: route.body && body.text });
}

/** SCIM has errors of its own. */
const isRefusal = (error: { schemas?: unknown; status?: string; name?: string }, expected: 401 | 403) =>
  error.schemas
    ? error.status === String(expected)
    : error.name === (expected === 401 ? 'AuthenticationRequired' : 'NoAccessError');

describe('every route', () => {
  it('refuses all callers that are not in the allow-table, and changes nothing', async () => {
    const digest = stateDigest(service.running.services.state);
    const wrong: string[] = [];
    for (const route of endpoints) {
      for (const [name, { header, opens }] of Object.entries(CREDENTIALS)) {
        const expected = expectedOf(route, opens);
        if (expected === 'allowed') continue;
        for (const [which, ids] of ASKED) {
          const { status, text } = await send(route, ids, header);
          if (status === expected && isRefusal(JSON.parse(text), expected)) continue;
          wrong.push(`${route.method} ${route.path} of ${which} things with ${name}: ${status} ${text}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(stateDigest(service.running.services.state)).toBe(digest);
  });

  it('with a body accepts only JSON that its schema describes, and changes nothing', async () => {
    const digest = stateDigest(service.running.services.state);
    const tokens = { none: null, admin: ADMIN_TOKEN, client: CLIENT_TOKEN, frontend: FRONTEND_TOKEN, scim: SCIM_TOKEN };
    const withBody = endpoints.filter(
      (route) => route.kind === 'handled' && route.body && !route.form && route.operationId !== OF_OWN_TOKENS,
    );
    expect(withBody.length).toBeGreaterThan(150);
    for (const route of withBody) {
      const token = tokens[credentialOf(route.access)];
      const where = `${route.method} ${route.path}`;
      const type = 'text/plain';
      expect((await send(route, IDS.own, token, { type, text: '{}' })).status, `${where}: ${type}`).toBe(415);
      for (const text of NOT_BODIES) {
        if (Check(route.body as TSchema, asJson(text))) continue;
        const answer = await send(route, IDS.own, token, { type: 'application/json', text });
        expect(answer.status, `${where}: ${text}: ${answer.text}`).toBe(400);
      }
    }
    expect(stateDigest(service.running.services.state)).toBe(digest);
  });

  it('accepts the callers of the allow-table', async () => {
    const wrong: string[] = [];
    for (const route of endpoints) {
      for (const [name, { header, opens }] of Object.entries(CREDENTIALS)) {
        if (expectedOf(route, opens) !== 'allowed') continue;
        for (const [which, ids] of ASKED) {
          const { status, text } = await send(route, ids, header);
          // The request has replaced or deleted the token.
          if (/^(generate|delete)ScimToken$/.test(route.operationId)) await allowScim(service);
          if (status !== 401 && status !== 403) continue;
          wrong.push(`${route.method} ${route.path} of ${which} things with ${name}: ${status} ${text}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('that has a project or an environment in its path checks the permission there', () => {
    for (const { access, path, operationId } of endpoints) {
      const isAdmin = credentialOf(access) === 'admin';
      // A project that does not exist, or that the caller must not see, has no flags: that is not an error.
      const isOfProject = path.includes(':projectId') && operationId !== 'getFeatures';
      if (isAdmin && isOfProject) expect(access.project, operationId).toBe('path.projectId');
      // The environment in the path of a copy is only read. Its targets are in the body.
      const isChanged = operationId !== 'copyFeatureEnvironment' && path.includes(':environment');
      if (isAdmin && access.environment !== undefined && isChanged)
        expect(access.environment, operationId).toBe('path.environment');
    }
  });

  it('requires a permission when it changes something', () => {
    // Callers may change their own items, whatever their roles. The command of an undo checks the permissions for each field.
    // The tools of MCP use other operations, which check the permissions.
    const harmless =
      /searchEvents|validate|playground|preview|export|(end|create|delete|change)Own|splash|feedback|favorite|recordUiError|presence|undoRevision|callMcp/i;
    for (const { access, method, operationId } of endpoints) {
      if (credentialOf(access) !== 'admin') continue;
      const asks = permissionsOf(access).length > 0;
      if (method !== 'get' && !harmless.test(operationId)) expect(asks, operationId).toBe(true);
      for (const name of permissionsOf(access)) expect(Object.keys(PERMISSIONS)).toContain(name);
    }
  });
});

describe('a route', () => {
  const COMMON = {
    tag: 'Test',
    summary: '',
    operationId: 'op',
    method: 'get',
    path: '/x/:projectId',
    errors: [],
  } as const;
  const ROUTE = 'GET /x/:projectId';
  const route = routesOf('Test');
  const stated = { summary: '', responses: {}, handle: () => ({ status: 200 }) };

  it('without access, or with access by a parameter that it does not have, does not compile', () => {
    // @ts-expect-error access is missing
    route(ROUTE, 'op', { ...stated });
    // @ts-expect-error a permission in a project needs the project
    route(ROUTE, 'op', { ...stated, access: { permission: 'CREATE_FEATURE' } });
    // @ts-expect-error a permission in an environment needs the environment
    route(ROUTE, 'op', { ...stated, access: { permission: 'CREATE_FEATURE_STRATEGY', project: 'path.projectId' } });
    // @ts-expect-error the path has no such parameter
    route(ROUTE, 'op', { ...stated, access: { permission: 'CREATE_FEATURE', project: 'path.project' } });
    // @ts-expect-error there is no such permission
    route(ROUTE, 'op', { ...stated, access: { permission: 'CREATE_FEATURES', project: 'path.projectId' } });
    const serve = () => preparedAnswer(200, {});
    // @ts-expect-error access to prepared answers depends on the head only
    prepared(ROUTE, 'op', { ...COMMON, serve, responses: {}, access: { permission: 'ADMIN' } });
    const built = route(ROUTE, 'op', {
      ...stated,
      access: { permission: 'CREATE_FEATURE', project: 'path.projectId' },
    });
    expect(built.access).toEqual({ permission: 'CREATE_FEATURE', project: 'path.projectId' });
  });
});
