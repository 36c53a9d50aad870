import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import { type Access, credentialOf, permissionsOf } from '../../../src/http/access.ts';
import { PERMISSION_NAMES, PERMISSIONS, type Permission } from '../../../src/model/permission.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give, putGroup } from '../../access/people.ts';
import { accepted, MISSING, prepare, refused } from '../../support/admin.ts';
import { exportOf } from '../../support/exports.ts';
import { RawConnection } from '../../support/http/raw-http.ts';
import { plainRequest } from '../../support/http/request.ts';
import { browserOf, personalTokenOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../../support/service.ts';
import { stateDigest } from '../../support/state-digest.ts';

type Route = (typeof endpoints)[number];
type Ids = Readonly<Record<string, string | number>>;

/** Ids in the own project, in another project, in a private project, and in none. No item has the ids of `missing` and `unheard`. */
const IDS = {
  own: ids('default', 'mine', 'development', 1),
  foreign: ids('other', 'theirs', 'production', 2),
  missing: ids('nowhere', 'nothing', 'nowhere', 99),
  hushed: ids('hushed', 'hushed-flag', 'production', 3),
  unheard: ids('unheard', 'unheard-flag', 'production', 3333),
} as const;

function ids(projectId: string, flag: string, environment: string, id: number): Ids {
  const entities = { featureName: flag, child: flag, id, roleId: 990 + id, groupId: 990 + id };
  return { projectId, environment, ...entities, token: `${projectId}:${environment}.a-token` };
}

/** Bodies that name the project, for the routes whose path does not. */
const BODIES: Readonly<Record<string, (ids: Ids) => unknown>> = {
  validateImport: ({ projectId, environment }) => ({ project: projectId, environment, data: exportOf('imported') }),
  importFeatures: ({ projectId, environment }) => ({ project: projectId, environment, data: exportOf('imported') }),
  changeChangeRequestState: () => ({ state: 'Approved' }),
  updateChangeRequestTitle: () => ({ title: 'another' }),
  addChangeRequestComment: () => ({ text: 'why' }),
  addChangeRequestReviewers: () => ({ reviewers: [] }),
  editChange: () => ({ action: 'archiveFeature' }),
  addTag: () => ({ type: 'simple', value: 'tagged' }),
  updateTags: () => ({ addedTags: [], removedTags: [] }),
  issueEdgeTokens: ({ projectId, environment }) => ({ tokens: [{ environment, projects: [projectId] }] }),
  createApiToken: ({ projectId, environment }) => ({
    type: 'client',
    tokenName: `of-${projectId}`,
    environment,
    projects: [projectId],
  }),
  updateApiToken: () => ({ expiresAt: null }),
  createSegment: ({ projectId }) => ({ name: `new-in-${projectId}`, constraints: [], project: projectId }),
  validateArchiveFeatures: () => ({ features: ['nothing'] }),
  copyFeatureEnvironment: ({ environment }) => ({
    targets: [environment === 'production' ? 'development' : 'production'],
  }),
  overwriteFeatureVariantsOnEnvironments: ({ environment }) => ({ environments: [environment], variants: [] }),
  updateFeatureStrategySegments: ({ projectId, environment }) => ({
    projectId,
    environmentId: environment,
    strategyId: 'none',
    segmentIds: [],
  }),
  updateSegment: ({ projectId }) => ({ name: `changed-in-${projectId}`, constraints: [], project: projectId }),
};

/** Only some of the permissions of these routes apply: the tokens in `IDS` and `BODIES` are client tokens, not frontend tokens. */
const OF_CLIENT_TOKENS = /^(create|update|delete)ApiToken$/;

/** Whether a persona has a permission: globally, in a project, or in an environment. An allow-table by hand, independent of the access checks. */
type Has = (permission: Permission, project: string | null, environment: string | null) => boolean;

const reachOf = (permission: Permission) => PERMISSIONS[permission];
const nothing: Has = () => false;
const ownerOf =
  (mine: string): Has =>
  (permission, project) =>
    project === mine && reachOf(permission) !== 'root' && permission !== 'SKIP_CHANGE_REQUEST';
const memberOf =
  (mine: string): Has =>
  (permission, project, environment) =>
    ownerOf(mine)(permission, project, environment) &&
    !['UPDATE_PROJECT', 'DELETE_PROJECT', 'DELETE_FEATURE', 'MOVE_FEATURE_TOGGLE'].includes(permission) &&
    !/^PROJECT_(USER_ACCESS|SETTINGS|DEFAULT_STRATEGY|CHANGE_REQUEST)_/.test(permission);
const editor: Has = (permission, project) =>
  reachOf(permission) === 'root'
    ? !/^(ADMIN|READ_ROLE|(CREATE|UPDATE|DELETE)_ENVIRONMENT)$/.test(permission) &&
      !/_AUTH_|_INSTANCE_|_MAINTENANCE_/.test(permission)
    : project === 'default' && permission !== 'SKIP_CHANGE_REQUEST';

interface Persona {
  readonly headers: Readonly<Record<string, string>>;
  readonly has: Has;
  /** The status of every answer to a persona that may not even read. */
  readonly always?: 401;
  /** The request comes from a page of another origin: it may read, and change nothing. */
  readonly isForged?: boolean;
}

const service = useService();
const personas: Record<string, Persona> = {};
const bearer = (token: string) => ({ authorization: token });
let nextUser = 100;

/** Creates a user. `furnish` assigns the roles. */
async function someone(rootRole: number = ROLE_ID.viewer, rest: Parameters<typeof putUser>[2] = {}): Promise<number> {
  const id = nextUser++;
  await putUser(service, id, { rootRole, ...rest });
  return id;
}

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'other', name: 'Other' } });
  await accepted(service, 'createProject', { body: { id: 'hushed', name: 'hushed name', mode: 'private' } });
  for (const { projectId, featureName, environment } of [IDS.own, IDS.foreign, IDS.hushed]) {
    await accepted(service, 'createFeature', { params: { projectId: String(projectId) }, body: { name: featureName } });
    await accepted(service, 'createSegment', { body: { name: featureName, constraints: [], project: projectId } });
    const secret = `${projectId}:${environment}.a-token`;
    const details = { expiresAt: null, seenAt: null, alias: null, createdAt: '2026-01-01T00:00:00.000Z' };
    await prepare(service, (draft) => {
      const where = { environment: String(environment), projects: [String(projectId)] };
      draft.put('apiTokens', { secret, tokenName: secret, type: 'client', ...where, ...details });
    });
  }
  await hush();
  await furnish();
  await furnishRoles();
});

/** Items that only the private project has: an archived flag, a use of a shared segment, a group. */
async function hush(): Promise<void> {
  const params = { projectId: 'hushed' };
  await accepted(service, 'createFeature', { params, body: { name: 'hushed-archived' } });
  // A segment that leaves the project, and a token that outlives one: their events contain the former project.
  const leaver = { name: 'leaver', constraints: [] };
  const { body: segment } = await accepted(service, 'createSegment', { body: { ...leaver, project: 'hushed' } });
  await accepted(service, 'updateSegment', { params: { id: segment.id }, body: leaver });
  await accepted(service, 'updateSegment', { params: { id: segment.id }, body: { ...leaver, project: 'hushed' } });
  await accepted(service, 'updateSegment', { params: { id: segment.id }, body: { ...leaver, project: 'other' } });
  await accepted(service, 'createProject', { body: { id: 'hushed-gone', name: 'hushed-gone', mode: 'private' } });
  const shared = { tokenName: 'shared', type: 'client', environment: 'development' };
  await accepted(service, 'createApiToken', { body: { ...shared, projects: ['hushed-gone', 'other'] } });
  await accepted(service, 'deleteProject', { params: { projectId: 'hushed-gone' } });
  await accepted(service, 'archiveFeature', { params: { ...params, featureName: 'hushed-archived' } });
  const { body } = await accepted(service, 'createSegment', { body: { name: 'shared', constraints: [] } });
  await accepted(service, 'addFeatureStrategy', {
    params: { ...params, featureName: 'hushed-flag', environment: 'production' },
    body: { name: 'default', segments: [body.id] },
  });
  await accepted(service, 'toggleFeatureEnvironmentOn', {
    params: { ...params, featureName: 'hushed-flag', environment: 'production' },
  });
  await prepare(service, (draft) => {
    putGroup(draft, 51, []);
    give(draft, 'hushed', 'group', 51, [ROLE_ID.member]);
  });
}

async function furnish(): Promise<void> {
  const viewer = await someone();
  const owner = await someone();
  const member = await someone();
  const byGroup = await someone();
  const machine = await someone(ROLE_ID.viewer, { accountType: 'Service Account', passwordHash: null });
  await prepare(service, (draft) => {
    give(draft, 'default', 'user', owner, [ROLE_ID.owner]);
    give(draft, 'other', 'user', member, [ROLE_ID.member]);
    putGroup(draft, 50, [byGroup]);
    give(draft, 'default', 'group', 50, [ROLE_ID.member]);
    give(draft, 'other', 'user', machine, [ROLE_ID.owner]);
  });
  const past = '2020-01-01T00:00:00.000Z';
  const tokenOf = async (id: number) => bearer(await personalTokenOf(service, id));
  const ended = bearer(await personalTokenOf(service, owner, past));
  personas['a viewer'] = { headers: await tokenOf(viewer), has: nothing };
  personas['an editor'] = { headers: await tokenOf(await someone(ROLE_ID.editor)), has: editor };
  personas['the owner of the project'] = { headers: await tokenOf(owner), has: ownerOf('default') };
  personas['a member of another project'] = { headers: await tokenOf(member), has: memberOf('other') };
  personas['a member by a group'] = { headers: await tokenOf(byGroup), has: memberOf('default') };
  personas['a service account'] = { headers: await tokenOf(machine), has: ownerOf('other') };
  personas['a cookie'] = { headers: await browserOf(service, owner), has: ownerOf('default') };
  const elsewhere = await browserOf(service, owner, { site: 'cross-site' });
  personas['a cookie from another origin'] = { headers: elsewhere, has: ownerOf('default'), isForged: true };
  personas['an expired token'] = { headers: ended, has: nothing, always: 401 };
  const expired = await browserOf(service, owner, { expiresAt: past });
  personas['an expired cookie'] = { headers: expired, has: nothing, always: 401 };
  const gone = await someone();
  personas['a deleted user'] = { headers: await tokenOf(gone), has: nothing, always: 401 };
  await accepted(service, 'deleteUser', { params: { id: gone } });
}

const oneOnly: Record<string, Persona> = {};

/** One user for each permission, with a role that has only this permission: in the whole instance, in the project, or in one environment of it. */
async function furnishRoles(): Promise<void> {
  for (const [index, name] of PERMISSION_NAMES.entries()) {
    if (name === 'ADMIN') continue;
    const reach = reachOf(name);
    const stated = reach === 'environment' ? { name, environment: 'development' } : { name };
    const role = customRole(100 + index, reach === 'root' ? 'root-custom' : 'custom', [stated]);
    await prepare(service, (draft) => draft.put('roles', role));
    const user = await someone(reach === 'root' ? role.id : ROLE_ID.viewer);
    if (reach !== 'root') await prepare(service, (draft) => give(draft, 'default', 'user', user, [role.id]));
    const has: Has = (permission, project, environment) =>
      permission === name &&
      (reach === 'root' || (project === 'default' && (reach === 'project' || environment === 'development')));
    oneOnly[`a role with only ${name}`] = { headers: bearer(await personalTokenOf(service, user)), has };
  }
}

/** The expected result of a request. `late`: the command refuses it, but only after it has found the entity. */
type Expected = 'allowed' | 'denied' | 'late' | 401;

function expectedOf({ access, method, operationId }: Route, persona: Persona, target: Ids): Expected {
  if (credentialOf(access) === 'none') return 'allowed';
  if (persona.always) return persona.always;
  if (credentialOf(access) === 'scim') return 401;
  if (credentialOf(access) !== 'admin') return persona.headers.authorization === undefined ? 401 : 'denied';
  if (persona.isForged && method !== 'get') return 'denied';
  const permissions = permissionsOf(access);
  if (permissions.length === 0) return 'allowed';
  const project =
    access.project === undefined ? null : (/^name\.(.*)$/.exec(access.project)?.[1] ?? String(target.projectId));
  const environment = access.environment === undefined ? null : String(target.environment);
  const enough = permissions.filter((name) => !(OF_CLIENT_TOKENS.test(operationId) && name.includes('FRONTEND')));
  const isAllowed = enough.some((name) => persona.has(name, project, environment));
  if (isAllowed) return 'allowed';
  if (!isLate(access) || !permissions.some((name) => maySomewhere(persona.has, name))) return 'denied';
  return isFilteredList({ access, method }) ? 'allowed' : 'late';
}

/** The path does not contain the project or the environment. */
function isLate({ project, environment }: Access): boolean {
  return [project, environment].some((source) => /^(body|entity)\./.test(source ?? ''));
}

/** A list over several projects, which leaves out what the caller may not read. */
function isFilteredList({ access, method }: Pick<Route, 'access' | 'method'>): boolean {
  return method === 'get' && isLate(access);
}

/** No persona may do anything in the private project: for them it does not exist. */
function maySomewhere(has: Has, name: Permission): boolean {
  const environments = [null, 'development', 'production'];
  return [null, 'default', 'other'].some((project) => environments.some((one) => has(name, project, one)));
}

async function send(route: Route, target: Ids, headers: Readonly<Record<string, string>>, payload?: unknown) {
  const path = route.path.replace(/:([A-Za-z]+)/g, (_match, name: string) => {
    const { type } = (route.params?.properties[name] ?? {}) as { type?: string };
    return encodeURIComponent(String(target[name] ?? (type === 'integer' ? target.id : 'some')));
  });
  const body = route.body ? JSON.stringify(payload ?? BODIES[route.operationId]?.(target) ?? {}) : undefined;
  return plainRequest(service.url + path, {
    method: route.method.toUpperCase(),
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body,
  });
}

interface Question {
  readonly route: Route;
  readonly persona: Persona;
  readonly target: Ids;
  readonly expected: Expected;
  readonly where: string;
}

function* questions(who: Readonly<Record<string, Persona>>, idSets: readonly (keyof typeof IDS)[]): Iterable<Question> {
  for (const route of endpoints) {
    for (const [name, persona] of Object.entries(who)) {
      for (const which of idSets) {
        const expected = expectedOf(route, persona, IDS[which]);
        const where = `${route.method} ${route.path} of ${which} things by ${name}`;
        yield { route, persona, target: IDS[which], expected, where };
      }
    }
  }
}

/** Eight at a time: the service limits the throughput, not the event loop of this process. */
async function askAll(all: readonly Question[]): Promise<void> {
  const left = [...all];
  const ask = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { route, target, persona, expected, where } = next;
      const { status, text } = await send(route, target, persona.headers);
      if (expected === 'allowed') expect([401, 403], `${where}: ${text}`).not.toContain(status);
      else if (expected === 401) expect(status, where).toBe(401);
      else if (expected === 'denied') expect(status, `${where}: ${text}`).toBe(403);
      else expect([403, 404, 409], `${where}: ${text}`).toContain(status);
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
}

/** All personas send reads; only personas that may not make a change send changes. */
const isTurnedAway = ({ expected }: Question) => expected !== 'allowed';
const isRead = ({ route, expected }: Question) =>
  expected === 'allowed' && route.method === 'get' && route.path.startsWith('/api/admin/');

describe('every route, requested by people', () => {
  it('has a body in BODIES that names the project if the path does not', () => {
    const late = endpoints.filter(
      ({ access, body, method }) => permissionsOf(access).length > 0 && isLate(access) && body && method !== 'get',
    );
    const unknown = late.filter(({ operationId }) => !BODIES[operationId]).map(({ operationId }) => operationId);
    expect(unknown).toEqual([]);
  });

  it('refuses callers without permission, with own, foreign and missing ids, and changes nothing', async () => {
    const { state } = service.running.services;
    const all = [...questions(personas, ['own', 'foreign', 'missing'])].filter(isTurnedAway);
    const digest = peopleDigest();
    await askAll(all);
    expect(peopleDigest()).toBe(digest);
    expect(all.length).toBeGreaterThan(endpoints.length);
    expect(state.get('projects', 'other')).toBeDefined();
  });

  it('lets every authenticated person read', async () => {
    await askAll([...questions(personas, ['own', 'foreign', 'missing'])].filter(isRead));
  });

  it('refuses callers whose only permission does not suffice', async () => {
    const digest = peopleDigest();
    const all = [...questions(oneOnly, ['own', 'foreign'])].filter((question) => {
      const permissions = permissionsOf(question.route.access);
      if (!isTurnedAway(question) || permissions.length === 0) return false;
      // A persona without the permission is tried in the own project only; a persona with it, in the other project as well.
      return question.target === IDS.own || permissions.some((name) => maySomewhere(question.persona.has, name));
    });
    await askAll(all);
    expect(peopleDigest()).toBe(digest);
    // About ten thousand requests: on a busy machine one minute is not enough.
  }, 240_000);

  it('accepts callers whose only permission is one of the required permissions', async () => {
    const all = [...questions(oneOnly, ['own'])].filter(
      ({ expected, route }) => expected === 'allowed' && permissionsOf(route.access).length > 0,
    );
    expect(new Set(all.map(({ route }) => route.operationId)).size).toBeGreaterThan(40);
    // An import of what exists already needs only one of its permissions, and other requests of this walk remove what it imported.
    const isImport = ({ route }: Question) => route.operationId === 'importFeatures';
    await accepted(service, 'importFeatures', { body: BODIES.importFeatures?.(IDS.own) });
    await askAll([...all.filter(isImport), ...all.filter((question) => !isImport(question))]);
  });
});

describe('what is in another project', () => {
  it('is not found under the path of the own project, for every caller and every route', async () => {
    const { state } = service.running.services;
    const theirs = () => JSON.stringify([state.get('features', 'theirs'), state.get('segments', '2')]);
    const before = theirs();
    const mixed = { ...IDS.foreign, projectId: 'default', environment: 'development' };
    const bound = endpoints.filter(({ path }) => path.includes(':projectId') && /:(featureName|child)\b/.test(path));
    expect(bound.length).toBeGreaterThan(15);
    for (const route of bound) {
      for (const name of ['the owner of the project', 'an editor']) {
        const { status, text } = await send(route, mixed, personas[name]?.headers ?? {});
        // Bodies are checked before flags: an invalid body is reported first.
        expect([400, 404, 415], `${route.method} ${route.path} by ${name}: ${text}`).toContain(status);
        if (route.method === 'get') expect(status, `${route.path} by ${name}: ${text}`).toBe(404);
      }
    }
    expect(theirs()).toBe(before);
  });
});

interface BatchBody {
  readonly properties?: { readonly features?: { readonly items?: { readonly type?: string } } };
}

/** Operations that change several flags, whose names are in the body. */
const BATCHES = endpoints.filter(
  ({ path, method, body, access }) =>
    method !== 'get' &&
    path.includes(':projectId') &&
    permissionsOf(access).length > 0 &&
    (body as BatchBody | undefined)?.properties?.features?.items?.type === 'string',
);

describe('a batch', () => {
  it('accepts flags of the project only: with a foreign flag in it, no flag changes', async () => {
    const named = ['archiveFeatures', 'reviveFeatures', 'deleteFeatures', 'staleFeatures'];
    const switched = ['bulkToggleFeaturesEnvironmentOn', 'bulkToggleFeaturesEnvironmentOff'];
    const known = BATCHES.map(({ operationId }) => operationId);
    expect(known).toEqual(expect.arrayContaining([...named, ...switched]));
    const digest = peopleDigest();
    const rest = { stale: true, addedTags: [], removedTags: [], tags: { addedTags: [], removedTags: [] } };
    for (const route of BATCHES) {
      for (const name of ['the owner of the project', 'an editor', 'a member of another project']) {
        const persona = personas[name] as Persona;
        for (const features of [['theirs'], ['theirs', 'mine'], ['mine', 'theirs'], ['hushed-flag', 'mine']]) {
          const answer = await send(route, IDS.own, persona.headers, { ...rest, features });
          const where = `${route.operationId} of ${features} by ${name}: ${answer.text}`;
          const isAllowed = permissionsOf(route.access).some((one) => persona.has(one, 'default', 'development'));
          // An own flag that is not archived cannot be revived: that error may come first.
          if (isAllowed) expect([404, 409], where).toContain(answer.status);
          else expect(answer.status, where).toBe(403);
          expect(answer.text).not.toContain('other');
        }
      }
    }
    expect(peopleDigest()).toBe(digest);
  });
});

/** Bodies of POST requests that change nothing: they ask for as much as possible. */
const READING_BODIES: Readonly<Record<string, unknown>> = {
  getPlayground: { environment: 'production', projects: '*', context: { appName: 'a' } },
  getAdvancedPlayground: { environments: ['production'], projects: '*', context: { appName: 'a' } },
  exportFeatures: { environment: 'production' },
  searchEvents: { query: 'hushed' },
  callMcp: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_flags', arguments: { limit: 50 } } },
};

/** A caller with the secret of a token may use the token and know its project: answers for missing tokens differ. */
const BY_SECRET = /ApiToken$/;

describe('a private project', () => {
  const outside = ['a viewer', 'a member of another project', 'a member by a group', 'a service account', 'a cookie'];
  const isRoute = ({ access }: Route) => credentialOf(access) === 'admin';
  const comparable = (text: string, target: Ids) => {
    const plain = JSON.stringify(JSON.parse(text === '' ? 'null' : text), (key, value) =>
      key === 'id' && typeof value === 'string' ? '' : value,
    );
    return plain.replaceAll(String(target.projectId), '~').replaceAll(new RegExp(`\\b${target.id}\\b`, 'g'), '#');
  };

  it('looks like a project that does not exist to callers outside it, on every route', async () => {
    const digest = peopleDigest();
    for (const route of endpoints.filter(isRoute)) {
      if (!route.access.project || isFilteredList(route) || BY_SECRET.test(route.operationId)) continue;
      for (const name of outside) {
        const { headers } = personas[name] as Persona;
        const [hushed, unheard] = [
          await send(route, IDS.hushed, headers),
          await send(route, IDS.unheard, headers),
        ] as const;
        const where = `${route.operationId} by ${name}: ${hushed.text}`;
        expect(hushed.status, where).toBe(unheard.status);
        expect(comparable(hushed.text, IDS.hushed), where).toBe(comparable(unheard.text, IDS.unheard));
        if (route.access.permission !== 'READ') expect([400, 403, 404], where).toContain(hushed.status);
      }
    }
    expect(peopleDigest()).toBe(digest);
  });

  it('does not appear to them in any list, event, playground or export', async () => {
    const reading = endpoints.filter(
      (route) => isRoute(route) && (route.method === 'get' || READING_BODIES[route.operationId]),
    );
    expect(reading.length).toBeGreaterThan(50);
    for (const route of reading) {
      for (const name of outside) {
        const body = READING_BODIES[route.operationId];
        const { status, text } = await send(route, IDS.own, personas[name]?.headers ?? {}, body);
        // Sessions are not accepted there.
        const isRefused = route.operationId === 'callMcp' && name === 'a cookie';
        if (body) expect(status, `${route.operationId}: ${text}`).toBe(isRefused ? 400 : 200);
        expect(text.includes('hushed'), `${route.operationId} names it to ${name}`).toBe(false);
      }
    }
  });

  it('cannot be distinguished from a missing project by a body that names it', async () => {
    for (const name of outside) {
      const headers = personas[name]?.headers ?? {};
      for (const projectId of ['hushed', 'unheard']) {
        const body = { name: 'free-name', projectId };
        await refused(service, 'validateFeature', MISSING, { token: null, headers, body });
      }
    }
  });

  it('is visible to its members, to users whose root role allows more than to view, and to admin tokens', async () => {
    const [byRole, byGroup, custom] = [
      await someone(),
      await someone(),
      await someone(customRole(300, 'root-custom', []).id),
    ];
    await prepare(service, (draft) => {
      draft.put('roles', customRole(300, 'root-custom', []));
      give(draft, 'hushed', 'user', byRole, [ROLE_ID.member]);
      putGroup(draft, 51, [byGroup]);
    });
    const tokens = [byRole, byGroup, custom, await someone(ROLE_ID.editor), await someone(ROLE_ID.admin)];
    const sees = async (token?: string) => {
      const options = token === undefined ? {} : { token };
      const { body } = await accepted(service, 'getProjects', options);
      const listed = body.projects.some(({ id }: { id: string }) => id === 'hushed');
      const { status } = await service.call('getProject', { params: { projectId: 'hushed' }, ...options });
      return [listed, status];
    };
    for (const id of tokens) expect(await sees(await personalTokenOf(service, id))).toEqual([true, 200]);
    expect(await sees()).toEqual([true, 200]);
    const stranger = await personalTokenOf(service, await someone());
    expect(await sees(stranger)).toEqual([false, 404]);
    await accepted(service, 'updateProject', { params: { projectId: 'hushed' }, body: { mode: 'protected' } });
    expect(await sees(stranger)).toEqual([true, 200]);
    await accepted(service, 'updateProject', { params: { projectId: 'hushed' }, body: { mode: 'private' } });
    expect(await sees(stranger)).toEqual([false, 404]);
  });
});

/** Sends a path unchanged: an HTTP library would normalize it. */
async function statusOf(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const connection = await RawConnection.open(service.url);
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const answer = await connection.answer();
  connection.destroy();
  return answer?.status ?? 0;
}

describe('a path in another spelling', () => {
  const tricks = [
    '//api/admin/projects',
    '/api//admin/projects',
    '/api/admin//projects',
    '/api/admin/projects/',
    '/api/admin/projects//',
    '/api/admin/./projects',
    '/api/client/../admin/projects',
    '/api/frontend/..%2fadmin/projects',
    '/api%2fadmin%2fprojects',
    '/api/%61dmin/projects',
    '/%2e/api/admin/projects',
    '/api/admin/%2e%2e/admin/projects',
    '/API/ADMIN/PROJECTS',
    '/Api/Admin/Projects',
    '/api/admin/projects;a=b',
    '/api/admin/projects%00',
    '/api/admin/projects%20',
    '/api/admin\\projects',
    `/api/admin/projects/${'a'.repeat(3_000)}`,
    `/${'a/'.repeat(1_400)}`,
    '/api/admin/projects?/api/client/features',
  ];

  it.each(tricks)('%s gives no access without a token, and none with a token of another kind', async (path) => {
    for (const headers of [{}, bearer(CLIENT_TOKEN), bearer(FRONTEND_TOKEN)] as Record<string, string>[])
      expect([400, 401, 403, 404, 414, 431], path).toContain(await statusOf(path, headers));
  });
});

/** The state without the times of last use, which the service updates itself. */
function peopleDigest(): string {
  const { state } = service.running.services;
  const tokens = [...state.values('personalTokens')].map((token) => ({ ...token, seenAt: null }));
  const users = [...state.values('users')].map((one) => ({ ...one, seenAt: null }));
  const rest = (['projects', 'features', 'segments', 'roles', 'groups', 'projectRoles', 'apiTokens'] as const).map(
    (name) => [...state.values(name)].map((entity) => ({ ...entity, seenAt: null })),
  );
  expect(stateDigest(state)).not.toBe('');
  return JSON.stringify([tokens, users, rest]);
}
