import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, eventsOf, FORBIDDEN, INVALID, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { browserOf, personalTokenOf, putUser } from '../../support/people.ts';
import { allowScim, patchOf, SCIM_GROUP, SCIM_USER, scimRefused } from '../../support/scim.ts';
import { ADMIN_TOKEN, SCIM_TOKEN, startTestService, type TestService, useService } from '../../support/service.ts';

const service = useService({ env: { UNLEASH_URL: 'https://burgee.example.com' } });

let people = 0;
const newName = () => `person-${++people}@example.com`;
const createUser = async (rest: object = {}) =>
  (await accepted(service, 'createScimUser', { body: { schemas: [SCIM_USER], userName: newName(), ...rest } })).body;
const patchUser = (id: string, ...operations: object[]) =>
  accepted(service, 'patchScimUser', { params: { id }, body: patchOf(...operations) });
const getUser = async (id: string) => (await accepted(service, 'getScimUser', { params: { id } })).body;
const find = async (filter: string, more = '') =>
  (await accepted(service, 'getScimUsers', { query: `filter=${encodeURIComponent(filter)}${more}` })).body;
const names = ({ Resources }: { Resources: { userName: string }[] }) => Resources.map(({ userName }) => userName);

describe('the settings of SCIM', () => {
  it('are off until a token is made, and the token is shown once and stored as a hash', async () => {
    const own = await startTestService();
    expect((await accepted(own, 'getScimSettings')).body).toEqual({
      enabled: false,
      hasToken: false,
      tokenCreatedAt: null,
      defaultRootRole: null,
    });
    await scimRefused(own, 'getScimUsers', [401]);
    const made = await eventsOf(own, async () => {
      const { token } = (await accepted(own, 'generateScimToken')).body;
      expect(token).toMatch(/^scim:[0-9a-f]{64}$/);
      await accepted(own, 'getScimUsers', { token: `Bearer ${token}` });
      const stored = JSON.stringify([...own.running.services.state.values('scimTokens')]);
      expect(stored).not.toContain(token.slice(5));
    });
    expect(made.map(({ type }) => type)).toEqual(['scim-token-created', 'setting-updated']);
    expect((await accepted(own, 'getScimSettings')).body).toMatchObject({
      enabled: true,
      hasToken: true,
      tokenCreatedAt: expect.stringMatching(/Z$/),
    });
    await own.close();
  });

  it('refuse a deleted token, and are off until another is made', async () => {
    const own = await startTestService();
    expect(await eventsOf(own, () => accepted(own, 'deleteScimToken'))).toEqual([]);
    const { token } = (await accepted(own, 'generateScimToken')).body;
    const events = await eventsOf(own, () => accepted(own, 'deleteScimToken'));
    expect(events.map(({ type }) => type)).toEqual(['scim-token-deleted', 'setting-updated']);
    await scimRefused(own, 'getScimUsers', [401], { token: `Bearer ${token}` });
    expect((await accepted(own, 'getScimSettings')).body).toMatchObject({ enabled: false, hasToken: false });
    await accepted(own, 'setScimSettings', { body: { enabled: true } });
    await scimRefused(own, 'getScimUsers', [401], { token: `Bearer ${token}` });
    await own.close();
  });

  it('refuse an earlier token and every token while SCIM is off', async () => {
    const own = await startTestService();
    const first = (await accepted(own, 'generateScimToken')).body.token;
    const second = (await accepted(own, 'generateScimToken')).body.token;
    await scimRefused(own, 'getScimUsers', [401], { token: `Bearer ${first}` });
    await accepted(own, 'setScimSettings', { body: { enabled: false } });
    await scimRefused(own, 'getScimUsers', [401], { token: `Bearer ${second}` });
    await accepted(own, 'setScimSettings', { body: { enabled: true } });
    await accepted(own, 'getScimUsers', { token: `Bearer ${second}` });
    await own.close();
  });

  it('set the root role of new users, which is never Admin', async () => {
    await allowScim(service);
    await accepted(service, 'setScimSettings', { body: { enabled: true, defaultRootRole: ROLE_ID.editor } });
    const { id } = await createUser();
    expect((await accepted(service, 'getUser', { params: { id } })).body.rootRole).toBe(ROLE_ID.editor);
    await refused(service, 'setScimSettings', INVALID, { body: { enabled: true, defaultRootRole: ROLE_ID.admin } });
    await refused(service, 'setScimSettings', INVALID, { body: { enabled: true, defaultRootRole: 999 } });
    await accepted(service, 'setScimSettings', { body: { enabled: true, defaultRootRole: null } });
  });
});

describe('the token of the identity provider', () => {
  beforeAll(() => allowScim(service));

  it('opens only SCIM, and no other credential opens SCIM', async () => {
    await refused(service, 'getUsers', UNAUTHENTICATED, { token: SCIM_TOKEN });
    await refused(service, 'getAllClientFeatures', UNAUTHENTICATED, { token: SCIM_TOKEN });
    await scimRefused(service, 'getScimUsers', [401], { token: ADMIN_TOKEN });
    await putUser(service, 9_000, { rootRole: ROLE_ID.admin });
    await scimRefused(service, 'getScimUsers', [401], { token: await personalTokenOf(service, 9_000) });
    await scimRefused(service, 'getScimUsers', [401], { token: null, headers: await browserOf(service, 9_000) });
  });

  it('gets an error of SCIM for every path below /scim/v2 and for every refused body', async () => {
    for (const [method, path, status] of [
      ['GET', '/Devices', 404],
      ['GET', '/Users/1/2', 404],
      ['PUT', '/Users', 405],
      ['POST', '/ServiceProviderConfig', 405],
      ['DELETE', '/Schemas/', 405],
    ] as const) {
      const answer = await fetch(`${service.url}/scim/v2${path}`, { method });
      const body = (await answer.json()) as { readonly status: string };
      const type = answer.headers.get('content-type');
      expect([answer.status, body.status, type]).toEqual([status, String(status), 'application/scim+json']);
    }
    await scimRefused(service, 'createScimUser', [415], { body: 'x', headers: { 'content-type': 'text/plain' } });
    const broken = await service.call('createScimUser', { body: '{"userName":' });
    expect([broken.status, broken.body.schemas[0]]).toEqual([400, 'urn:ietf:params:scim:api:messages:2.0:Error']);
  });
});

describe('users of SCIM', () => {
  beforeAll(() => allowScim(service));

  it('are created as viewers without a password, and the audit log names SCIM', async () => {
    let made: { id: string; meta: { version: string } } | undefined;
    const events = await eventsOf(service, async () => {
      const answer = await accepted(service, 'createScimUser', {
        headers: { 'content-type': 'application/scim+json; charset=utf-8' },
        body: {
          schemas: [SCIM_USER],
          externalId: 'ext-1',
          userName: 'ada@example.com',
          name: { givenName: 'Ada', familyName: 'Lovelace' },
          emails: [{ value: 'ada@work.example.com', type: 'work', primary: true }],
          password: 'Correct-Horse-9',
          active: true,
        },
      });
      expect(answer.headers.get('content-type')).toBe('application/scim+json');
      made = answer.body;
      expect(answer.status).toBe(201);
      expect(answer.headers.get('location')).toBe(`https://burgee.example.com/scim/v2/Users/${answer.body.id}`);
      expect(answer.body).toEqual({
        schemas: [SCIM_USER],
        id: answer.body.id,
        externalId: 'ext-1',
        userName: 'ada@example.com',
        name: { givenName: 'Ada', familyName: 'Lovelace' },
        active: true,
        emails: [{ value: 'ada@work.example.com', type: 'work', primary: true }],
        meta: {
          resourceType: 'User',
          created: expect.any(String),
          location: answer.headers.get('location'),
          version: answer.headers.get('etag'),
        },
        groups: [],
      });
    });
    expect(events).toMatchObject([{ type: 'user-created', createdBy: 'scim' }]);
    const stored = service.running.services.state.get('users', made?.id ?? '');
    expect(stored).toMatchObject({
      username: 'ada@example.com',
      email: 'ada@work.example.com',
      name: 'Ada Lovelace',
      rootRole: ROLE_ID.viewer,
      passwordHash: null,
    });
  });

  it('take the email from the userName if none is stated, and follow a new userName', async () => {
    const { id } = await createUser({ userName: 'grace@example.com' });
    expect(service.running.services.state.get('users', id)?.email).toBe('grace@example.com');
    await patchUser(id, { op: 'replace', path: 'userName', value: 'hopper@example.com' });
    expect(service.running.services.state.get('users', id)).toMatchObject({
      username: 'hopper@example.com',
      email: 'hopper@example.com',
    });
  });

  it('have unique names: 409 with the type uniqueness', async () => {
    const userName = newName();
    await createUser({ userName });
    const body = { schemas: [SCIM_USER], userName: userName.toUpperCase() };
    await scimRefused(service, 'createScimUser', [409, 'uniqueness'], { body });
    const { id } = await createUser();
    const operation = { op: 'replace', path: 'userName', value: userName };
    await scimRefused(service, 'patchScimUser', [409, 'uniqueness'], { params: { id }, body: patchOf(operation) });
  });

  it('are refused without a userName and with values of wrong types', async () => {
    for (const body of [
      { schemas: [SCIM_USER] },
      { userName: 7 },
      { userName: ' ' },
      { userName: newName(), active: 'perhaps' },
      { userName: newName(), emails: [{ value: 'no address' }] },
      { userName: newName(), name: 'Ada' },
      { userName: newName(), displayName: 'x'.repeat(256) },
      { userName: newName(), emails: 7 },
      { userName: newName(), emails: Array.from({ length: 11 }, () => ({ value: newName() })) },
    ])
      await scimRefused(service, 'createScimUser', [400, 'invalidValue'], { body });
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`x${index}`, 1]));
    await scimRefused(service, 'createScimUser', [400, 'invalidValue'], { body: { ...many, userName: newName() } });
  });

  it('are replaced whole by PUT, but a PUT without active switches no one on', async () => {
    const { id } = await createUser({ displayName: 'Old', externalId: 'e', name: { givenName: 'G' } });
    const shown = async () => (await accepted(service, 'getUser', { params: { id } })).body;
    expect(await shown()).not.toHaveProperty('deactivatedAt');
    await patchUser(id, { op: 'replace', path: 'active', value: false });
    expect(await shown()).toMatchObject({ deactivatedAt: expect.stringMatching(/Z$/) });
    const userName = newName();
    const { body } = await accepted(service, 'replaceScimUser', { params: { id }, body: { userName } });
    expect(body).toMatchObject({ id, userName, active: false });
    expect(body).not.toHaveProperty('displayName');
    expect(body).not.toHaveProperty('externalId');
    expect(body).not.toHaveProperty('name');
  });

  it('are deleted, with 404 afterwards and for ids that are no numbers', async () => {
    const { id } = await createUser();
    expect((await accepted(service, 'deleteScimUser', { params: { id } })).status).toBe(204);
    for (const missing of [id, '0', 'x', '99999999999999999999', '1e3'])
      await scimRefused(service, 'getScimUser', [404], { params: { id: missing } });
    await scimRefused(service, 'deleteScimUser', [404], { params: { id } });
  });

  it('do not include service accounts', async () => {
    await putUser(service, 9_100, { accountType: 'Service Account', username: 'robot', email: null });
    await scimRefused(service, 'getScimUser', [404], { params: { id: 9_100 } });
    await scimRefused(service, 'deleteScimUser', [404], { params: { id: 9_100 } });
    expect((await find('userName eq "robot"')).totalResults).toBe(0);
  });

  it('show scimId in the admin API, and an admin removes all of them at once', async () => {
    const own = await startTestService();
    await allowScim(own);
    await accepted(own, 'createScimUser', { body: { userName: 'managed' } });
    await accepted(own, 'createUser', { body: { username: 'local', rootRole: 'Viewer' } });
    const { users } = (await accepted(own, 'getUsers')).body;
    expect(users.find(({ username }: { username: string }) => username === 'managed')).toHaveProperty('scimId');
    expect(users.find(({ username }: { username: string }) => username === 'local')).not.toHaveProperty('scimId');
    await accepted(own, 'deleteScimUsers');
    const left = (await accepted(own, 'getUsers')).body.users.map(({ username }: { username: string }) => username);
    expect(left).toContain('local');
    expect(left).not.toContain('managed');
    await own.close();
  });
});

describe('a user who is switched off', () => {
  beforeAll(() => allowScim(service));

  it.each([
    ['PATCH', (id: string) => patchUser(id, { op: 'Replace', path: 'active', value: 'False' })],
    [
      'PUT',
      async (id: string) =>
        accepted(service, 'replaceScimUser', { params: { id }, body: { ...(await getUser(id)), active: false } }),
    ],
    ['DELETE', (id: string) => accepted(service, 'deleteScimUser', { params: { id } })],
  ])('has no session and no personal token after %s', async (_name, switchOff) => {
    const { id } = await createUser();
    const token = await personalTokenOf(service, Number(id));
    const headers = await browserOf(service, Number(id));
    await accepted(service, 'getMe', { token });
    await accepted(service, 'getMe', { token: null, headers });
    await switchOff(id);
    await refused(service, 'getMe', UNAUTHENTICATED, { token });
    await refused(service, 'getMe', UNAUTHENTICATED, { token: null, headers });
  });

  it('cannot sign on with a password until they are switched on again', async () => {
    await putUser(service, 9_200, { username: 'off-and-on', email: null });
    const body = { username: 'off-and-on', password: 'Correct-Horse-9' };
    await patchUser('9200', { op: 'replace', value: { active: false } });
    await refused(service, 'login', FORBIDDEN, { body });
    await patchUser('9200', { op: 'replace', value: { active: true } });
    await accepted(service, 'login', { body });
  });

  it('is never the only admin', async () => {
    const own = await startTestService();
    await allowScim(own);
    expect([...own.running.services.state.values('users')]).toEqual([]);
    await putUser(own, 71, { rootRole: ROLE_ID.admin });
    await putUser(own, 72, { rootRole: ROLE_ID.admin });
    const off = patchOf({ op: 'replace', path: 'active', value: false });
    await accepted(own, 'patchScimUser', { params: { id: 71 }, body: off });
    await scimRefused(own, 'patchScimUser', [400, 'invalidValue'], { params: { id: 72 }, body: off });
    await scimRefused(own, 'deleteScimUser', [400, 'invalidValue'], { params: { id: 72 } });
    await refused(own, 'deleteUser', INVALID, { params: { id: 72 } });
    await refused(own, 'updateUser', INVALID, { params: { id: 72 }, body: { rootRole: 3 } });
    await own.close();
  });
});

describe('accounts that exist already', () => {
  beforeAll(() => allowScim(service));

  it('are found by their username or email and are taken over', async () => {
    await putUser(service, 9_300, { username: null, email: 'known@example.com', name: 'Known' });
    const { Resources } = await find('userName eq "Known@Example.com"');
    expect(Resources).toMatchObject([{ id: '9300', userName: 'known@example.com', displayName: 'Known' }]);
    await patchUser('9300', { op: 'add', path: 'externalId', value: 'ext-9300' });
    expect((await find('externalId eq "ext-9300"')).Resources).toMatchObject([{ id: '9300', displayName: 'Known' }]);
  });

  it('keep the name that an admin gives them later', async () => {
    const { id } = await createUser({ displayName: 'From the provider' });
    await accepted(service, 'updateUser', { params: { id }, body: { name: 'By an admin' } });
    expect(await getUser(id)).toMatchObject({ displayName: 'By an admin' });
    await patchUser(id, { op: 'replace', path: 'displayName', value: 'From the provider again' });
    expect(service.running.services.state.get('users', id)?.name).toBe('From the provider again');
  });

  it('do not get another name to sign on if they are admins', async () => {
    await putUser(service, 9_400, { username: null, email: 'boss@example.com', rootRole: ROLE_ID.admin });
    for (const [path, value] of [
      ['userName', 'thief@example.com'],
      ['emails', [{ value: 'thief@example.com' }]],
    ]) {
      const body = patchOf({ op: 'replace', path, value });
      await scimRefused(service, 'patchScimUser', [403], { params: { id: 9_400 }, body });
    }
    await patchUser('9400', { op: 'replace', value: { userName: 'boss@example.com', displayName: 'Boss' } });
    expect(service.running.services.state.get('users', '9400')).toMatchObject({
      email: 'boss@example.com',
      name: 'Boss',
    });
  });

  it('keep their email if they are admins and the identity provider states none', async () => {
    await putUser(service, 9_410, { username: 'alice', email: 'alice@example.com', rootRole: ROLE_ID.admin });
    await putUser(service, 9_411, { username: 'viewer-alice', email: 'va@example.com', rootRole: ROLE_ID.viewer });
    for (const [id, userName] of [
      ['9410', 'alice'],
      ['9411', 'viewer-alice'],
    ] as const)
      await accepted(service, 'replaceScimUser', { params: { id }, body: { schemas: [SCIM_USER], userName } });
    const emailOf = (id: string) => service.running.services.state.get('users', id)?.email;
    expect([emailOf('9410'), emailOf('9411')]).toEqual(['alice@example.com', null]);
  });

  it('lose the credentials of a stranger who signed up with their email', async () => {
    await putUser(service, 9_500, { username: null, email: 'victim@example.com', isEmailUnproven: true });
    const token = await personalTokenOf(service, 9_500);
    await patchUser('9500', { op: 'add', path: 'externalId', value: 'v' });
    await refused(service, 'getMe', UNAUTHENTICATED, { token });
    expect(service.running.services.state.get('users', '9500')?.passwordHash).toBeNull();
  });
});

describe('lists of users', () => {
  let own: TestService;
  const list = async (query: string) => (await accepted(own, 'getScimUsers', { query })).body;
  const filtered = async (filter: string) => names(await list(`filter=${encodeURIComponent(filter)}`));

  beforeAll(async () => {
    own = await startTestService();
    await allowScim(own);
    expect([...own.running.services.state.values('users')]).toEqual([]);
    const made = [
      { userName: 'ann@a.example', displayName: 'Ann "A" One', externalId: 'X1', active: true },
      { userName: 'BOB@b.example', name: { familyName: 'Two' }, active: false },
      { userName: 'domain\\cid', displayName: 'Cid', emails: [{ value: 'cid@home.example', type: 'home' }] },
    ];
    for (const body of made) await accepted(own, 'createScimUser', { body });
  });

  afterAll(() => own.close());

  it.each([
    ['userName eq "bob@B.example"', ['BOB@b.example']],
    ['USERNAME Eq "ann@a.example"', ['ann@a.example']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ann@a.example"', ['ann@a.example']],
    ['userName eq "domain\\\\cid"', ['domain\\cid']],
    ['userName eq "missing"', []],
    ['externalId eq "X1"', ['ann@a.example']],
    ['externalId eq "x1"', []],
    ['externalId pr', ['ann@a.example']],
    ['not (externalId pr)', ['BOB@b.example', 'domain\\cid']],
    ['displayName co "\\"A\\""', ['ann@a.example']],
    ['displayName sw "ci" or displayName ew "one"', ['ann@a.example', 'domain\\cid']],
    ['userName co "example" and not (active eq false)', ['ann@a.example']],
    ['active eq "False"', ['BOB@b.example']],
    ['active ne true', ['BOB@b.example']],
    ['(userName sw "a" or userName sw "b") and active eq true', ['ann@a.example']],
    ['userName sw "a" or userName sw "b" and active eq true', ['ann@a.example']],
    ['name.familyName eq "two"', ['BOB@b.example']],
    ['emails[type eq "home" and value co "cid"]', ['domain\\cid']],
    ['emails.value ew "home.example"', ['domain\\cid']],
    ['emails co "home"', ['domain\\cid']],
    ['meta.created gt "2020-01-01T00:00:00Z" and userName sw "ann"', ['ann@a.example']],
    ['meta.created lt "2020-01-01T00:00:00Z"', []],
    ['displayName eq null', ['BOB@b.example']],
    ['title pr', []],
  ])('filter by %s', async (filter, expected) => {
    expect(await filtered(filter)).toEqual(expected);
  });

  it.each([
    'userName',
    'userName eq',
    'userName is "x"',
    'userName eq "x',
    'userName eq "x" and',
    'userName eq "x" constructor userName eq "y"',
    'shoeSize eq 5',
    'name.shoe eq "x"',
    'userName.value eq "x"',
    'groups.display eq "x"',
    // The parser alone would take exponential time for these.
    `userName eq "${'\n'.repeat(60)}`,
    `userName eq "${'\\\n'.repeat(60)}"`,
    `${'('.repeat(30)}userName pr${')'.repeat(30)}`,
    Array.from({ length: 60 }, () => 'userName pr').join(' or '),
  ])('are refused with the filter %s', async (filter) => {
    await scimRefused(own, 'getScimUsers', [400, 'invalidFilter'], { query: `filter=${encodeURIComponent(filter)}` });
  });

  it('are refused with a filter that is too long', async () => {
    const query = `filter=${encodeURIComponent(`userName eq "${'x'.repeat(3_000)}"`)}`;
    await scimRefused(own, 'getScimUsers', [400, 'invalidValue'], { query });
    const body = { filter: `userName eq "${'x'.repeat(3_000)}"` };
    await scimRefused(own, 'searchScimUsers', [400, 'invalidValue'], { body });
  });

  it('have pages', async () => {
    expect(await list('startIndex=2&count=1')).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect(names(await list('startIndex=2&count=1'))).toEqual(['BOB@b.example']);
    expect(await list('count=0')).toMatchObject({ totalResults: 3, itemsPerPage: 0, Resources: [] });
    expect(await list('startIndex=-5&count=-1')).toMatchObject({ startIndex: 1, itemsPerPage: 0 });
    expect(await list('startIndex=9')).toMatchObject({ totalResults: 3, itemsPerPage: 0 });
    expect(await list('count=100000')).toMatchObject({ itemsPerPage: 3 });
  });

  it('are sorted', async () => {
    expect(names(await list('sortBy=userName'))).toEqual(['ann@a.example', 'BOB@b.example', 'domain\\cid']);
    expect(names(await list('sortBy=userName&sortOrder=descending'))[0]).toBe('domain\\cid');
    expect(names(await list('sortBy=name.familyName'))[0]).toBe('BOB@b.example');
    expect(names(await list('sortBy=id&sortOrder=descending'))[0]).toBe('domain\\cid');
    expect(names(await list('sortBy=unknown'))).toHaveLength(3);
  });

  it('have only the wanted attributes', async () => {
    const [first] = (await list('attributes=userName,meta.location')).Resources;
    expect(Object.keys(first).sort()).toEqual(['id', 'meta', 'schemas', 'userName']);
    expect(Object.keys(first.meta)).toEqual(['location']);
    const [other] = (await list('excludedAttributes=groups,meta,name,displayName,emails,externalId,id')).Resources;
    expect(Object.keys(other).sort()).toEqual(['active', 'id', 'schemas', 'userName']);
  });

  it('are searched with a body, over users and groups together too', async () => {
    await accepted(own, 'createScimGroup', { body: { schemas: [SCIM_GROUP], displayName: 'Ann’s group' } });
    const search = async (operationId: string, body: object) => (await accepted(own, operationId, { body })).body;
    expect(names(await search('searchScimUsers', { filter: 'userName sw "ann"' }))).toEqual(['ann@a.example']);
    expect((await search('searchScimGroups', { attributes: ['displayName'] })).totalResults).toBe(1);
    const { Resources } = await search('searchScim', { filter: 'displayName sw "ann"' });
    expect(Resources.map(({ meta }: { meta: { resourceType: string } }) => meta.resourceType)).toEqual([
      'User',
      'Group',
    ]);
    expect(names(await search('searchScim', { filter: 'userName sw "ann"' }))).toEqual(['ann@a.example']);
    await scimRefused(own, 'searchScim', [400, 'invalidFilter'], { body: { filter: 'shoeSize pr' } });
  });
});

describe('tags of users', () => {
  beforeAll(() => allowScim(service));

  it('answer 304 to If-None-Match, and 412 to an old If-Match', async () => {
    const { id, meta } = await createUser();
    const params = { id };
    const same = await service.call('getScimUser', { params, headers: { 'if-none-match': meta.version } });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', meta.version]);
    const headers = { 'if-match': meta.version };
    const changed = await accepted(service, 'patchScimUser', {
      params,
      headers,
      body: patchOf({ op: 'replace', path: 'displayName', value: 'New' }),
    });
    expect(changed.headers.get('etag')).toBe(changed.body.meta.version);
    expect(changed.body.meta.version).not.toBe(meta.version);
    const body = patchOf({ op: 'replace', path: 'displayName', value: 'Newer' });
    await scimRefused(service, 'patchScimUser', [412], { params, headers, body });
    await scimRefused(service, 'replaceScimUser', [412], { params, headers, body: { userName: newName() } });
    await scimRefused(service, 'deleteScimUser', [412], { params, headers });
    await accepted(service, 'deleteScimUser', { params, headers: { 'if-match': `W/${changed.body.meta.version}` } });
  });

  it('do not change if nothing changes, and then no event is recorded', async () => {
    const { id, meta } = await createUser({ displayName: 'Same' });
    const events = await eventsOf(service, async () => {
      const { body } = await patchUser(id, { op: 'replace', path: 'displayName', value: 'Same' });
      expect(body.meta.version).toBe(meta.version);
    });
    expect(events).toEqual([]);
  });
});
