import { afterEach, describe, expect, it } from 'vitest';
import { setPasswordSettings } from '../../../src/features/sign-on/settings-commands.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { hashedSecret } from '../../../src/model/token-secret.ts';
import { accepted, FORBIDDEN, MISSING, prepare, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { filesWith } from '../../support/http/raw-bytes.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { browserFrom, browserOf, PASSWORD, personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.ts';

const services: TestService[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

async function start(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService(options);
  services.push(service);
  return service;
}

const login = (service: TestService, body: object, headers: Record<string, string> = {}) =>
  service.call('login', { body, headers });

/** Calls as the browser: with its cookie and no token. */
const as = (headers: Record<string, string>) => ({ token: null, headers });

describe('signing on with a password', () => {
  it('gives access to the admin API with a cookie, by username or email in any case', async () => {
    const service = await start();
    await putUser(service, 1, { username: 'Ada', email: 'ada@example.org', rootRole: ROLE_ID.admin });
    for (const body of [{ username: 'ada' }, { username: 'ADA@example.org' }, { email: 'ada@EXAMPLE.org' }]) {
      const answer = await login(service, { ...body, password: PASSWORD });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toMatchObject({ id: 1, username: 'Ada', email: 'ada@example.org', rootRole: 1 });
      const browser = browserFrom(answer.headers);
      await accepted(service, 'getProjects', as(browser));
      await accepted(service, 'createFeature', {
        ...as(browser),
        params: { projectId: 'default' },
        body: { name: `by-${Object.values(body)[0]?.length}-${Object.keys(body)[0]}` },
      });
    }
    const { body } = await accepted(service, 'getEvents', { query: 'limit=1' });
    expect(body.events[0]).toMatchObject({ type: 'feature-created', createdBy: 'ada@example.org', createdByUserId: 1 });
    expect(service.running.services.state.get('users', '1')?.seenAt).not.toBeNull();
  });

  it('sets a cookie that scripts cannot read, that other sites do not send, and that lasts for the configured time', async () => {
    const service = await start({ env: { SESSION_TTL_HOURS: '3', BASE_URI_PATH: '/flags', TRUST_PROXY: 'loopback' } });
    await putUser(service, 1);
    const credentials = { email: 'user-1@example.org', password: PASSWORD };
    const cookie = async (headers: Record<string, string>) =>
      (await login(service, credentials, headers)).headers.get('set-cookie');
    expect(await cookie({})).toMatch(/^burgee-session=[\w-]{43}; Path=\/flags; Max-Age=10800; HttpOnly; SameSite=Lax$/);
    expect(await cookie({ 'x-forwarded-proto': 'https' })).toMatch(/; SameSite=Lax; Secure$/);
    expect(await cookie({ 'x-forwarded-proto': 'http' })).toMatch(/; SameSite=Lax$/);
  });

  it('marks the cookie as secure because of the service URL, and ignores the header of an untrusted client', async () => {
    const credentials = { email: 'user-1@example.org', password: PASSWORD };
    for (const [url, expected] of [
      ['https://flags.example.org', /; Secure$/],
      ['', /; SameSite=Lax$/],
    ] as const) {
      const service = await start({ env: { UNLEASH_URL: url } });
      await putUser(service, 1);
      const { headers } = await login(service, credentials, { 'x-forwarded-proto': 'https' });
      expect(headers.get('set-cookie')).toMatch(expected);
    }
  });

  it('does not reveal whether the user or the password was wrong, by the answer or by its cost', async () => {
    const service = await start();
    const { passwords } = service.running.services;
    await putUser(service, 1);
    await putUser(service, 2, { passwordHash: null });
    await putUser(service, 3, { accountType: 'Service Account' });
    const answers: string[] = [];
    for (const email of ['user-1@example.org', 'user-2@example.org', 'user-3@example.org', 'nobody@example.org']) {
      const before = passwords.derivations;
      const password = email.startsWith('user-3') ? PASSWORD : 'Wrong-Horse-9!';
      const { status, body, headers } = await login(service, { email, password });
      const names = [...headers.keys()].filter((name) => name !== 'date').sort();
      answers.push(JSON.stringify([status, { ...body, id: '' }, names]));
      expect(passwords.derivations - before, email).toBe(1);
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('AuthenticationRequired');
  });

  it('echoes no password, even for an invalid request', async () => {
    const service = await start();
    const secret = 'Some-Secret-Text-9';
    for (const body of [
      { password: secret },
      { email: 'a@b', password: secret, other: secret },
      { email: 'a@b', password: secret.repeat(100) },
      { email: 'a@b', password: [secret] },
      { email: { a: secret }, password: secret },
    ]) {
      const { text, status } = await service.call('login', { body });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain(secret);
    }
  });
});

describe('a session', () => {
  it('is stored as a hash only, and so is every other credential', async () => {
    const service = await start({ onDisk: true });
    const { state } = service.running.services;
    const credentials = { email: 'ada@example.org', password: PASSWORD };
    const { body: made } = await accepted(service, 'createUser', { body: { ...credentials, rootRole: ROLE_ID.admin } });
    const browser = browserFrom((await login(service, credentials)).headers);
    const text = browser.cookie?.split('=')[1] as string;
    expect(state.get('sessions', hashedSecret(text))?.userId).toBe(made.id);
    const token = { description: 'CI', expiresAt: '2040-01-01T00:00:00.000Z' };
    const pat = (await accepted(service, 'createOwnPersonalToken', { ...as(browser), body: token })).body.secret;
    const robot = await accepted(service, 'createServiceAccount', {
      body: { name: 'Robot', rootRole: ROLE_ID.viewer },
    });
    const params = { id: robot.body.id };
    const ofRobot = (await accepted(service, 'createServiceAccountToken', { params, body: token })).body.secret;
    const invited = { email: 'new@example.org', rootRole: ROLE_ID.viewer };
    const { inviteLink } = (await accepted(service, 'createUser', { body: invited })).body;
    await service.running.snapshotter.snapshot();
    const link = new URL(inviteLink).searchParams.get('token') as string;
    const { text: events } = await accepted(service, 'getEvents', { query: 'limit=100' });
    for (const secret of [PASSWORD, text, pat, ofRobot, link]) {
      expect(secret.length).toBeGreaterThan(12);
      expect(filesWith(service.directory, secret)).toEqual([]);
      expect(events).not.toContain(secret);
    }
    expect(filesWith(service.directory, hashedSecret(pat))).toEqual(['data.mdb']);
    expect(events).not.toMatch(/scrypt|sha256:/);
  });

  it('is refused for changes from a page of another origin, and accepted from its own origin', async () => {
    const service = await start({ env: { UNLEASH_URL: 'https://flags.example.org/x' } });
    await putUser(service, 1, { rootRole: ROLE_ID.admin });
    const { cookie = '' } = await browserOf(service, 1);
    const host = new URL(service.url).host;
    let count = 0;
    const create = (headers: Record<string, string>) => ({
      ...as({ cookie, ...headers }),
      params: { projectId: 'default' },
      body: { name: `flag-${count++}` },
    });
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: `http://${host}.evil.example` },
      { origin: 'https://flags.example.org.evil.example' },
      // The same hosts without TLS. UNLEASH_URL requires TLS here.
      { origin: `http://${host}` },
      { origin: 'http://flags.example.org' },
    ];
    for (const headers of foreign) {
      await refused(service, 'createFeature', FORBIDDEN, create(headers));
      // A read is answered, because a page of another origin cannot read the answer.
      await accepted(service, 'getProjects', as({ cookie, ...headers }));
    }
    const own: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-origin' },
      { origin: `https://${host}` },
      { origin: 'https://flags.example.org' },
    ];
    for (const headers of own) await accepted(service, 'createFeature', create(headers));
  });

  it('is refused for changes from a page with another scheme, and only a trusted proxy can set the scheme', async () => {
    const of = async (env: Record<string, string>) => {
      const service = await start({ env });
      await putUser(service, 1, { rootRole: ROLE_ID.admin });
      const { cookie = '' } = await browserOf(service, 1);
      const { host } = new URL(service.url);
      return async (scheme: string, more: Record<string, string> = {}) => {
        const headers = { cookie, origin: `${scheme}://${host}`, ...more };
        return (await service.call('createTag', { ...as(headers), body: { type: 'simple', value: 'tag' } })).status;
      };
    };
    const plain = await of({});
    expect([await plain('https'), await plain('http')]).toEqual([403, 201]);
    // Any client could send this header.
    expect(await plain('https', { 'x-forwarded-proto': 'https' })).toBe(403);
    const behind = await of({ TRUSTED_PROXIES: 'loopback' });
    const tls = { 'x-forwarded-proto': 'https' };
    expect([await behind('http', tls), await behind('https', tls)]).toEqual([403, 201]);
  });

  it('gives no access to the SDK APIs, and is ignored when a token is sent', async () => {
    const service = await start();
    await putUser(service, 1, { rootRole: ROLE_ID.admin });
    const browser = await browserOf(service, 1);
    await refused(service, 'getAllClientFeatures', UNAUTHENTICATED, as(browser));
    await refused(service, 'getFrontendFeatures', UNAUTHENTICATED, as(browser));
    await refused(service, 'getProjects', UNAUTHENTICATED, { token: '*:*.unknown', headers: browser });
  });

  it('has the permissions of its user, and no more', async () => {
    const service = await start();
    await putUser(service, 1);
    const browser = await browserOf(service, 1);
    await accepted(service, 'getProjects', as(browser));
    const create = { ...as(browser), params: { projectId: 'default' }, body: { name: 'flag' } };
    const { body } = await refused(service, 'createFeature', FORBIDDEN, create);
    expect(body.message).toContain('CREATE_FEATURE');
  });

  it('does not start when passwords are switched off while a password is verified', async () => {
    const service = await start();
    await putUser(service, 1);
    const { writer, state } = service.running.services;
    // The password is verified. Before the session is submitted, an admin switches passwords off.
    const submit = writer.submit.bind(writer);
    let switched: Promise<unknown> | undefined;
    writer.submit = (command, input, by) => {
      if ('kind' in by && by.user === '1')
        switched ??= submit(setPasswordSettings, { disabled: true }, { id: 1, name: 'test' });
      return submit(command, input, by);
    };
    const answer = await login(service, { email: 'user-1@example.org', password: PASSWORD });
    expect([answer.status, answer.body.name]).toEqual(FORBIDDEN);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await switched).toHaveProperty('seq');
    expect(state.size('sessions')).toBe(0);
  });

  it('ends at a logout by a form or a link, but not by one on a page of another origin', async () => {
    const service = await start();
    await putUser(service, 1);
    const operations = [
      ['logout', 303],
      ['logoutByLink', 200],
    ] as const;
    for (const [operation, status] of operations) {
      const browser = await browserOf(service, 1);
      const answer = await service.call(operation, as(browser));
      expect(answer.status).toBe(status);
      expect(answer.headers.get('set-cookie')).toMatch(/^burgee-session=; Path=\/; Max-Age=0;/);
      await refused(service, 'getProjects', UNAUTHENTICATED, as(browser));
      expect((await service.call(operation, as(browser))).status).toBe(status);
    }
    const { cookie = '' } = await browserOf(service, 1);
    const { host } = new URL(service.url);
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      { origin: `https://${host}` },
      { origin: 'http://other.example' },
    ];
    for (const [operation, status] of operations) {
      for (const sender of foreign) {
        const answer = await service.call(operation, as({ cookie, ...sender }));
        expect(answer.status).toBe(status);
        expect(answer.headers.get('set-cookie'), 'the browser keeps its cookie').toBeNull();
        expect(answer.headers.get('location') ?? '', 'the answer does not report a sign-out').not.toContain(
          'signed-out',
        );
      }
    }
    await accepted(service, 'getProjects', as({ cookie, 'sec-fetch-site': 'same-origin' }));
    // A typed address. Over plain HTTP, browsers do not send `sec-fetch-site`.
    const typed: Record<string, string>[] = [{ 'sec-fetch-site': 'none' }, {}];
    for (const sender of typed) {
      const own = await browserOf(service, 1, { site: null });
      await accepted(service, 'logoutByLink', as({ ...own, ...sender }));
      await refused(service, 'getProjects', UNAUTHENTICATED, as(own));
    }
  });

  it('redirects a browser to the signed-out page after a logout', async () => {
    for (const basePath of ['', '/flags']) {
      const service = await start({ env: { BASE_URI_PATH: basePath } });
      const { headers } = await service.call('logout', as({}));
      expect(headers.get('location')).toBe(`${basePath}/signed-out`);
      const page = await fetch(`${service.url}/signed-out`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain(`You are signed out. <a href="${basePath}/">`);
    }
  });

  it('ends when it expires, when its user is deleted, and when another session ends it', async () => {
    const clock = new ManualClock(Date.parse('2026-05-01T00:00:00Z'));
    const service = await start({ clock });
    await putUser(service, 1);
    await putUser(service, 2);
    const expiring = await browserOf(service, 1, { expiresAt: '2026-05-01T01:00:00.000Z' });
    const [own, other, foreign] = [
      await browserOf(service, 1),
      await browserOf(service, 1),
      await browserOf(service, 2),
    ];
    await accepted(service, 'getProjects', as(expiring));
    clock.advance(3_600_000);
    await refused(service, 'getProjects', UNAUTHENTICATED, as(expiring));
    const { body } = await accepted(service, 'getOwnSessions', as(own));
    expect(body.sessions).toHaveLength(2);
    const ids: Record<string, string> = Object.fromEntries(
      body.sessions.map(({ id, current }: { id: string; current: boolean }) => [current ? 'own' : 'other', id]),
    );
    const params = { sessionId: ids.other as string };
    await refused(service, 'endOwnSession', MISSING, { ...as(foreign), params });
    await accepted(service, 'endOwnSession', { ...as(own), params });
    await refused(service, 'getProjects', UNAUTHENTICATED, as(other));
    const third = await browserOf(service, 1);
    await accepted(service, 'endOwnOtherSessions', as(own));
    await refused(service, 'getProjects', UNAUTHENTICATED, as(third));
    await accepted(service, 'getProjects', as(own));
    await accepted(service, 'getProjects', as(foreign));
    await prepare(service, (draft) => draft.remove('users', '1'));
    await refused(service, 'getProjects', UNAUTHENTICATED, as(own));
  });

  it('does not accumulate: the oldest of a user ends beyond the limit, and each sign-on removes some expired sessions', async () => {
    const service = await start();
    const { state } = service.running.services;
    await putUser(service, 1);
    await putUser(service, 2);
    for (let count = 0; count < 40; count++) await browserOf(service, 2, { expiresAt: '2020-01-01T00:00:00.000Z' });
    const oldest = await browserOf(service, 1);
    for (let count = 1; count < 50; count++) await browserOf(service, 1);
    expect(state.size('sessions')).toBe(90);
    const credentials = { email: 'user-1@example.org', password: PASSWORD };
    for (const left of [24, 8, 0]) {
      const answer = await login(service, credentials);
      await accepted(service, 'getProjects', as(browserFrom(answer.headers)));
      expect(state.count('sessionsByUser', '2')).toBe(left);
      expect(state.count('sessionsByUser', '1')).toBe(50);
    }
    await refused(service, 'getProjects', UNAUTHENTICATED, as(oldest));
  });

  it('has the maximum of MAX_PARALLEL_SESSIONS', async () => {
    const service = await start({ env: { MAX_PARALLEL_SESSIONS: '2' } });
    await putUser(service, 1);
    const first = await browserOf(service, 1);
    const second = await browserOf(service, 1);
    const { headers } = await login(service, { email: 'user-1@example.org', password: PASSWORD });
    await refused(service, 'getProjects', UNAUTHENTICATED, as(first));
    for (const browser of [second, browserFrom(headers)]) await accepted(service, 'getProjects', as(browser));
  });
});

describe('a personal token', () => {
  it('acts for its user, with or without “Bearer”, until it expires or the user is deleted', async () => {
    const service = await start();
    await putUser(service, 1, { rootRole: ROLE_ID.admin });
    const token = await personalTokenOf(service, 1);
    await accepted(service, 'getProjects', { token });
    await accepted(service, 'createFeature', {
      token: `Bearer ${token}`,
      params: { projectId: 'default' },
      body: { name: 'flag' },
    });
    await refused(service, 'getAllClientFeatures', FORBIDDEN, { token });
    const expired = await personalTokenOf(service, 1, '2020-01-01T00:00:00.000Z');
    await refused(service, 'getProjects', UNAUTHENTICATED, { token: expired });
    await refused(service, 'getProjects', UNAUTHENTICATED, { token: hashedSecret(token) });
    await prepare(service, (draft) => draft.remove('users', '1'));
    await refused(service, 'getProjects', UNAUTHENTICATED, { token });
  });
});

describe('answers to browsers', () => {
  it('have security headers, and answers to polls do not', async () => {
    const service = await start({ env: { TRUST_PROXY: 'loopback' } });
    const expected = {
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    };
    const headersOf = async (operation: string, options = {}) =>
      Object.fromEntries((await service.call(operation, options)).headers);
    for (const [operation, options] of [
      ['getProjects', {}],
      ['getProjects', { token: null }],
      ['getHealth', {}],
      ['getOpenApi', {}],
      ['logout', {}],
      ['login', { body: {} }],
    ] as const) {
      expect(await headersOf(operation, options), operation).toMatchObject(expected);
    }
    const unknown = await fetch(`${service.url}/nothing`);
    expect(Object.fromEntries(unknown.headers)).toMatchObject(expected);
    const poll = await headersOf('getAllClientFeatures');
    for (const name of Object.keys(expected)) expect(poll).not.toHaveProperty(name);
    const tls = { headers: { 'x-forwarded-proto': 'https' } };
    expect(await headersOf('getProjects', tls)).toHaveProperty('strict-transport-security', 'max-age=31536000');
    expect(await headersOf('getProjects')).not.toHaveProperty('strict-transport-security');
  });
});
