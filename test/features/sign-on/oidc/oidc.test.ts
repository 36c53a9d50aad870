import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setOidcSettings } from '../../../../src/features/sign-on/settings-commands.ts';
import { ROLE_ID } from '../../../../src/model/role.ts';
import { accepted, eventsOf, prepare, refused, UNAUTHENTICATED } from '../../../support/admin.ts';
import { browserFrom, PASSWORD, personalTokenOf, putUser } from '../../../support/people.ts';
import type { TestService } from '../../../support/service.ts';
import { Browser, locationOf, type Page } from '../browser.ts';
import type { ProviderProcess } from '../child-process.ts';
import { isSignedOn } from '../saml/saml-world.ts';
import { emailsOf, startAddressed, userOf } from '../service.ts';
import { answeredByOidc, introduceOidc, startOidcProvider } from './oidc-world.ts';

let provider: ProviderProcess;
let service: TestService;

beforeAll(async () => {
  provider = await startOidcProvider();
});

afterAll(() => provider.end());

beforeEach(async () => {
  service = await startAddressed();
  await set();
});

afterEach(() => service.close());

const set = (rest: object = {}) => introduceOidc(provider, service.url, rest);

const subject = (id: string, claims: object = {}) =>
  provider.put('/subject', { id, claims: { email: `${id}@example.com`, email_verified: true, ...claims } });

const answered = (browser: Browser, change?: (url: URL) => void, query = '') =>
  answeredByOidc(service.url, browser, { query, ...(change && { change }) });

async function signOn(query = ''): Promise<{ browser: Browser; page: Page }> {
  const browser = new Browser();
  return { browser, page: await browser.get((await answered(browser, undefined, query)).href) };
}

describe('signing on with OpenID Connect', () => {
  it('creates an account for a new user, begins a session, and redirects to the page where it began', async () => {
    await subject('ann', { name: 'Ann Other' });
    const { browser, page } = await signOn('?redirect=/projects/default');
    expect([page.status, page.headers.get('location')], page.text).toEqual([303, '/projects/default']);
    expect(await isSignedOn(service.url, browser)).toBe(true);
    expect(userOf(service, browser)).toMatchObject({
      email: 'ann@example.com',
      name: 'Ann Other',
      rootRole: ROLE_ID.viewer,
    });
  });

  it('requests a code that only this browser can redeem', async () => {
    const asked = new URL(locationOf(await new Browser().get(`${service.url}/auth/oidc/login`)));
    const { searchParams: query } = asked;
    expect(query.get('response_type')).toBe('code');
    expect(query.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name)?.length, name).toBeGreaterThan(40);
    expect(query.get('redirect_uri')).toBe(`${service.url}/auth/oidc/callback`);
  });

  it('finds an existing account, creates none for other domains, and assigns defaultRootRoleId', async () => {
    await putUser(service, 7, { email: 'Ann@Example.com', rootRole: ROLE_ID.editor });
    await set({ emailDomains: 'example.org', defaultRootRole: 'Viewer', defaultRootRoleId: ROLE_ID.editor });
    await subject('ann');
    const known = await signOn();
    expect(userOf(service, known.browser)?.id).toBe(7);
    await subject('bob');
    const refused = await signOn();
    expect(refused.page.status).toBe(403);
    expect(await isSignedOn(service.url, refused.browser)).toBe(false);
    await subject('cara', { email: 'cara@example.org' });
    expect(userOf(service, (await signOn()).browser)?.rootRole).toBe(ROLE_ID.editor);
    await set({ autoCreate: false });
    await subject('dan', { email: 'dan@example.org' });
    expect((await signOn()).page.status).toBe(403);
    expect(emailsOf(service)).toEqual(['Ann@Example.com', 'cara@example.org']);
  });

  it('revokes all credentials of the person who created the account with the email of another person', async () => {
    const link = { name: 'Team', expiresAt: '2100-01-01T00:00:00Z' };
    const { secret } = (await accepted(service, 'createPublicSignupToken', { body: link })).body;
    const account = { email: 'Ann@example.com', password: PASSWORD };
    const made = await accepted(service, 'addPublicSignupTokenUser', { params: { token: secret }, body: account });
    const session = browserFrom((await accepted(service, 'login', { body: account })).headers);
    const token = await personalTokenOf(service, made.body.id);
    await subject('ann');
    const { browser } = await signOn();
    expect(userOf(service, browser)?.id).toBe(made.body.id);
    await refused(service, 'login', UNAUTHENTICATED, { body: account });
    await refused(service, 'getProjects', UNAUTHENTICATED, { token: null, headers: session });
    await refused(service, 'getProjects', UNAUTHENTICATED, { token });
    const kept = await personalTokenOf(service, made.body.id);
    await signOn();
    await accepted(service, 'getProjects', { token: kept });
    expect(await isSignedOn(service.url, browser)).toBe(true);
  });

  it('removes a username that is the email of the new user, except from an account that an admin created', async () => {
    await putUser(service, 7, { email: 'mallory@example.org', username: 'ANN@example.com', isEmailUnproven: true });
    await putUser(service, 8, { email: 'b@example.org', username: 'bob@example.com' });
    await subject('ann');
    const events = await eventsOf(service, async () => {
      const { browser } = await signOn();
      expect(userOf(service, browser)).toMatchObject({ email: 'ann@example.com', username: null });
    });
    expect(events).toMatchObject([
      { type: 'user-updated', data: { id: 7, username: null }, preData: { id: 7, username: 'ANN@example.com' } },
      { type: 'user-created', data: { email: 'ann@example.com' } },
    ]);
    expect(service.running.services.state.get('users', '7')?.email).toBe('mallory@example.org');
    await subject('bob');
    expect((await signOn()).page.status).toBe(409);
    expect(service.running.services.state.get('users', '8')?.username).toBe('bob@example.com');
  });

  it('creates no account above the limit, and still accepts users with an account', async () => {
    await service.close();
    service = await startAddressed({ USERS_LIMIT: '1' });
    await set();
    await subject('ann');
    expect((await signOn()).page.status).toBe(303);
    await subject('bob');
    const { browser, page } = await signOn();
    expect(page.status, page.text).toBe(400);
    expect(await isSignedOn(service.url, browser)).toBe(false);
    expect(emailsOf(service)).toEqual(['ann@example.com']);
    await subject('ann');
    expect((await signOn()).page.status).toBe(303);
  });

  it('refuses a sign-on when it is disabled while the answer of the provider is checked', async () => {
    await subject('ann');
    const browser = new Browser();
    const callback = await answered(browser);
    const { writer } = service.running.services;
    const submit = writer.submit.bind(writer);
    let switched: Promise<unknown> | undefined;
    writer.submit = (command, input, by) => {
      switched ??= submit(setOidcSettings, { enabled: false }, { id: 1, name: 'test' });
      return submit(command, input, by);
    };
    expect((await browser.get(callback.href)).status).toBe(403);
    expect(await switched).toHaveProperty('seq');
    expect(await isSignedOn(service.url, browser)).toBe(false);
    expect(emailsOf(service)).toEqual([]);
  });

  it('refuses a user without an email, or with an email that the provider did not verify', async () => {
    for (const claims of [
      { email_verified: false },
      { email: undefined },
      { email: 'no email' },
      { email: ['a@example.com'] },
    ]) {
      await subject('ann', claims);
      const { browser, page } = await signOn();
      expect(page.status, JSON.stringify(claims)).toBe(403);
      expect(await isSignedOn(service.url, browser)).toBe(false);
    }
    expect(emailsOf(service)).toEqual([]);
  });

  it('synchronizes the groups from the provider, at the configured path', async () => {
    const rest = { description: null, rootRole: null, createdAt: '2026-01-01T00:00:00.000Z', createdBy: null };
    await prepare(service, (draft) => {
      draft.put('groups', { id: 1, name: 'one', mappingsSSO: ['idp-one'], ...rest });
      draft.put('groups', { id: 2, name: 'two', mappingsSSO: ['idp-two'], ...rest });
    });
    const groups = (browser: Browser) => {
      const memberships = service.running.services.state.lookup(
        'membershipsByUser',
        String(userOf(service, browser)?.id),
      );
      return [...memberships].map(({ groupId }) => groupId).sort();
    };
    await set({ enableGroupSyncing: true, groupJsonPath: 'groups', addGroupsScope: true });
    await subject('ann', { groups: ['idp-one', 'idp-two', 3] });
    expect(groups((await signOn()).browser)).toEqual([1, 2]);
    await set({ enableGroupSyncing: true, groupJsonPath: '$.team.names', addGroupsScope: true });
    await subject('ann', { team: { names: ['idp-two'] } });
    expect(groups((await signOn()).browser)).toEqual([2]);
  });

  it('signs out here, and at the provider when single sign-out is enabled', async () => {
    await set({ enableSingleSignOut: true });
    await subject('ann');
    const { browser } = await signOn();
    const elsewhere = new URL(locationOf(await browser.get(`${service.url}/auth/oidc/logout`)));
    expect(elsewhere.origin).toBe(provider.url);
    expect(elsewhere.searchParams.get('post_logout_redirect_uri')).toBe(`${service.url}/`);
    expect((await new Browser().get(elsewhere.href)).status).toBe(200);
    expect(await isSignedOn(service.url, browser)).toBe(false);
    await set();
    const other = await signOn();
    expect(locationOf(await other.browser.get(`${service.url}/auth/oidc/logout`))).toBe('/');
    expect(await isSignedOn(service.url, other.browser)).toBe(false);
  });

  it('asks no provider without TLS, except on a loopback address', async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(404).end();
    });
    try {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const status = async (discoverUrl: string) => {
        await set({ discoverUrl });
        return (await new Browser().get(`${service.url}/auth/oidc/login`)).status;
      };
      // This form of the address also leads to the server, and is not one of the accepted spellings.
      expect(await status(`http://[::ffff:127.0.0.1]:${port}`)).toBe(503);
      expect(asked).toEqual([]);
      expect(await status(`http://127.0.0.1:${port}`)).toBe(503);
      expect(asked).toHaveLength(1);
    } finally {
      server.close();
    }
  });

  it('is answered with 503 while the provider is unavailable, and works again afterwards', async () => {
    await set({ discoverUrl: 'http://127.0.0.1:9/' });
    expect((await new Browser().get(`${service.url}/auth/oidc/login`)).status).toBe(503);
    await set();
    await subject('ann');
    expect((await signOn()).page.status).toBe(303);
  });
});

describe('signing on as another user', () => {
  /** Checks that the callback is refused and begins no session. */
  async function refused(browser: Browser, url: URL, what: string): Promise<void> {
    const before = service.running.services.state.size('sessions');
    const page = await browser.get(url.href);
    expect(page.status, `${what}: ${page.text}`).toBe(401);
    expect(await isSignedOn(service.url, browser), what).toBe(false);
    expect(service.running.services.state.size('sessions')).toBe(before);
  }

  it('does not work with a stolen code, without a state or with any state', async () => {
    await subject('victim');
    const victim = new Browser();
    const stolen = await answered(victim);
    await refused(new Browser(), stolen, 'without a cookie');
    const mallory = new Browser();
    await refused(mallory, stolen, 'with the victim’s state');
    const own = await answered(mallory);
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    await refused(mallory, own, 'with the attacker’s own state');
  });

  it('does not work with another state, another nonce, another challenge, or no code', async () => {
    await subject('ann');
    const cases: Readonly<Record<string, [(asked: URL) => void, (back: URL) => void]>> = {
      'state asked': [(asked) => asked.searchParams.set('state', 'x'.repeat(43)), () => {}],
      'state brought back': [() => {}, (back) => back.searchParams.set('state', 'x'.repeat(43))],
      'no state': [() => {}, (back) => back.searchParams.delete('state')],
      nonce: [(asked) => asked.searchParams.set('nonce', 'x'.repeat(43)), () => {}],
      'no nonce': [(asked) => asked.searchParams.delete('nonce'), () => {}],
      challenge: [(asked) => asked.searchParams.set('code_challenge', 'x'.repeat(43)), () => {}],
      'no code': [() => {}, (back) => back.searchParams.delete('code')],
      'another code': [() => {}, (back) => back.searchParams.set('code', 'x'.repeat(43))],
      'another issuer': [() => {}, (back) => back.searchParams.set('iss', 'https://idp.example.com')],
      'an error': [() => {}, (back) => back.searchParams.set('error', 'access_denied')],
    };
    for (const [what, [ask, bring]] of Object.entries(cases)) {
      const browser = new Browser();
      const back = await answered(browser, ask);
      bring(back);
      await refused(browser, back, what);
    }
  });

  it('does not work twice, and not with the answer of another browser', async () => {
    await subject('ann');
    const browser = new Browser();
    const back = await answered(browser);
    const attempt = new Map(browser.cookies);
    expect((await browser.get(back.href)).status).toBe(303);
    const later = new Browser();
    for (const [name, value] of attempt) later.cookies.set(name, value);
    await refused(later, back, 'again');
    const forced = new Browser();
    await answered(forced);
    const other = new Browser();
    await refused(forced, await answered(other), 'forced login');
  });

  it('does not work with an attempt that is too old, or whose time was changed', async () => {
    await subject('ann');
    const browser = new Browser();
    const back = await answered(browser);
    const [started = '', ...rest] = (browser.cookies.get('burgee-sign-on') ?? '').split('.');
    for (const shifted of [Number(started) - 700_000, Number(started) + 700_000]) {
      browser.cookies.set('burgee-sign-on', [shifted, ...rest].join('.'));
      await refused(browser, back, 'too old, or of the future');
    }
    browser.cookies.set('burgee-sign-on', [Number(started) + 1, ...rest].join('.'));
    await refused(browser, back, 'made younger');
  });
});
