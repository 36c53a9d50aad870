import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../../src/model/role.ts';
import { accepted, eventsOf, prepare } from '../../../support/admin.ts';
import { filesWith } from '../../../support/http/raw-bytes.ts';
import { putUser } from '../../../support/people.ts';
import type { TestService } from '../../../support/service.ts';
import { Browser, formOf, locationOf } from '../browser.ts';
import { emailsOf, startAddressed, userOf } from '../service.ts';
import { answered, handOver, introduce, isSignedOn, type SamlWorld, settingsOf, startSamlWorld } from './saml-world.ts';

let world: SamlWorld;
let service: TestService;

// One service for all tests: its thread loads the XML libraries once.
beforeAll(async () => {
  world = await startSamlWorld();
  service = await startAddressed({}, { onDisk: true });
});

afterAll(async () => {
  await service.close();
  await world.provider.end();
});

beforeEach(() => introduce(world, service.url));

/** Signs on through both redirects, as a user with a browser does. */
async function signOn(subject: object, query = ''): Promise<{ browser: Browser; location: string }> {
  const answer = await answered(world, service.url, subject, new Browser(), query);
  const page = await handOver(answer, answer.xml);
  expect(page.status, page.text).toBe(303);
  return { browser: answer.browser, location: locationOf(page) };
}

describe('signing on with SAML', () => {
  it('creates an account for a new user, begins a session, and redirects to the page where it began', async () => {
    const subject = { nameId: 'Ann@Example.com', attributes: { firstName: 'Ann', lastName: 'Other' } };
    const events = await eventsOf(service, async () => {
      const { browser, location } = await signOn(subject, '?redirect=/projects/default');
      expect(location).toBe('/projects/default');
      expect(await isSignedOn(service.url, browser)).toBe(true);
      expect(userOf(service, browser)).toMatchObject({
        email: 'Ann@Example.com',
        name: 'Ann Other',
        rootRole: ROLE_ID.viewer,
        passwordHash: null,
        accountType: 'User',
      });
    });
    expect(events).toMatchObject([
      { type: 'user-created', createdBy: 'saml-sign-on', data: { email: 'Ann@Example.com' } },
    ]);
  });

  it('finds an existing account by its email, ignores case, and does not change the account', async () => {
    await putUser(service, 7, { email: 'Bob@example.com', name: 'Bob', rootRole: ROLE_ID.editor });
    const { browser } = await signOn({ nameId: 'bob@EXAMPLE.com', attributes: { displayName: 'Robert' } });
    expect(userOf(service, browser)).toMatchObject({ id: 7, name: 'Bob', rootRole: ROLE_ID.editor });
    expect(emailsOf(service).filter((email) => /^bob/i.test(email ?? ''))).toEqual(['Bob@example.com']);
  });

  it('uses the email of an attribute when the NameID is not an email', async () => {
    const claim = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress';
    const { browser } = await signOn({ nameId: 'a1b2c3', attributes: { [claim]: 'cara@example.com' } });
    expect(userOf(service, browser)?.email).toBe('cara@example.com');
    for (const attributes of [{}, { email: ['a@example.com', 'b@example.com'] }, { email: 'two@@example.com' }]) {
      const answer = await answered(world, service.url, { nameId: 'a1b2c3', attributes });
      expect((await handOver(answer, answer.xml)).status).toBe(403);
      expect(await isSignedOn(service.url, answer.browser)).toBe(false);
    }
  });

  it('accepts responses with a signed assertion, also within a signed response', async () => {
    for (const sign of ['assertion', 'both']) {
      const { browser } = await signOn({ nameId: `${sign}@example.com`, sign });
      expect(userOf(service, browser)?.email).toBe(`${sign}@example.com`);
    }
  });

  it('accepts clocks that differ by less than a minute, and no larger difference', async () => {
    for (const shiftMs of [-40_000, 40_000]) await signOn({ shiftMs, lifetimeMs: 20_000 });
    for (const shiftMs of [-100_000, 120_000]) {
      const answer = await answered(world, service.url, { shiftMs, lifetimeMs: 20_000 });
      expect((await handOver(answer, answer.xml)).status).toBe(401);
    }
  });

  it('needs no second page when the browser sends its cookie', async () => {
    const answer = await answered(world, service.url);
    expect((await handOver(answer, answer.xml, false)).status).toBe(303);
    expect(await isSignedOn(service.url, answer.browser)).toBe(true);
  });

  it('does not redirect out of the service', async () => {
    for (const target of [
      'https://evil.example.com',
      '//evil.example.com',
      '/\\evil.example.com',
      '\\/evil',
      'x',
      '/%0d%0a\r\nx:y',
    ]) {
      const { location } = await signOn({}, `?redirect=${encodeURIComponent(target)}`);
      expect(location, target).toBe('/');
    }
  });

  it('stores neither a key nor the secrets of a browser in the files of the store', async () => {
    const answer = await answered(world, service.url, { nameId: 'dan@example.com' });
    const attempt = answer.browser.cookies.get('burgee-sign-on')?.split('.')[1] ?? '';
    expect((await handOver(answer, answer.xml)).status).toBe(303);
    const key = world.own.key.split('\n')[3] ?? '';
    for (const secret of [key, attempt, answer.browser.cookies.get('burgee-session') ?? '']) {
      expect(secret.length).toBeGreaterThan(30);
      expect(filesWith(service.directory, secret)).toEqual([]);
    }
    expect(filesWith(service.directory, 'dan@example.com').length).toBeGreaterThan(0);
  });

  it('answers 503 when the settings are invalid', async () => {
    await accepted(service, 'setSamlSettings', { body: settingsOf(world, { certificate: 'some-certificate' }) });
    const answer = await answered(world, service.url);
    expect((await handOver(answer, answer.xml)).status).toBe(503);
    await accepted(service, 'setSamlSettings', { body: settingsOf(world, { signOnUrl: 'nowhere' }) });
    expect((await new Browser().get(`${service.url}/auth/saml/login`)).status).toBe(503);
    expect(await isSignedOn(service.url, answer.browser)).toBe(false);
  });

  it('is answered with 404 until it is configured', async () => {
    await accepted(service, 'setSamlSettings', { body: {} });
    expect((await new Browser().get(`${service.url}/auth/saml/login`)).status).toBe(404);
    expect((await new Browser().post(`${service.url}/auth/saml/callback`, { SAMLResponse: 'eA==' })).status).toBe(404);
  });

  it('limits the cookie of the attempt to sign-on, and escapes the response in the page that posts it again', async () => {
    const browser = new Browser();
    const begun = await browser.get(`${service.url}/auth/saml/login`);
    expect(begun.headers.get('set-cookie')).toMatch(
      /^burgee-sign-on=[^;]+; Path=\/auth; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect(begun.headers.get('cache-control')).toBe('no-store');
    const page = await browser.post(`${service.url}/auth/saml/callback`, { SAMLResponse: 'PHg+"<script>' }, true);
    expect(formOf(page).fields.SAMLResponse).toBe('PHg+script');
    expect(page.text).not.toContain('<script>"');
  });
});

describe('created accounts', () => {
  const set = (rest: object) => accepted(service, 'setSamlSettings', { body: settingsOf(world, rest) });

  it('are only created with autoCreate', async () => {
    await set({ autoCreate: false });
    const answer = await answered(world, service.url, { nameId: 'new@example.com' });
    const page = await handOver(answer, answer.xml);
    expect([page.status, JSON.parse(page.text).name]).toEqual([403, 'NoAccessError']);
    await putUser(service, 8, { email: 'known@example.com' });
    await signOn({ nameId: 'known@example.com' });
    expect(emailsOf(service)).toContain('known@example.com');
    expect(emailsOf(service)).not.toContain('new@example.com');
  });

  it('have emails of the configured domains only; existing accounts may have other domains', async () => {
    await set({ emailDomains: 'example.com, @Example.ORG' });
    await signOn({ nameId: 'a@EXAMPLE.com' });
    await signOn({ nameId: 'b@example.org' });
    for (const nameId of ['c@example.net', 'd@sub.example.com', 'e@evilexample.com', 'f@example.com.evil.net']) {
      const answer = await answered(world, service.url, { nameId });
      expect((await handOver(answer, answer.xml)).status, nameId).toBe(403);
      expect(await isSignedOn(service.url, answer.browser)).toBe(false);
    }
    await putUser(service, 77, { email: 'old@elsewhere.net' });
    await signOn({ nameId: 'old@elsewhere.net' });
    expect(emailsOf(service)).toEqual(expect.arrayContaining(['a@EXAMPLE.com', 'b@example.org', 'old@elsewhere.net']));
    expect(emailsOf(service).filter((email) => /^[c-f]@/.test(email ?? ''))).toEqual([]);
  });

  it('have the configured root role; defaultRootRoleId has precedence', async () => {
    await prepare(service, (draft) => {
      const rest = { description: '', type: 'root-custom' as const, permissions: [] };
      draft.put('roles', { id: 20, name: 'Auditor', ...rest });
      draft.put('roles', { id: 21, name: 'Of projects', ...rest, type: 'custom' });
    });
    const cases: [object, number][] = [
      [{}, ROLE_ID.viewer],
      [{ defaultRootRole: 'Editor' }, ROLE_ID.editor],
      [{ defaultRootRole: 'Editor', defaultRootRoleId: 20 }, 20],
      [{ defaultRootRole: 'Admin', defaultRootRoleId: 99 }, ROLE_ID.viewer],
      [{ defaultRootRoleId: 21 }, ROLE_ID.viewer],
    ];
    for (const [index, [rest, role]] of cases.entries()) {
      await set(rest);
      const { browser } = await signOn({ nameId: `user-${index}@example.com` });
      expect(userOf(service, browser)?.rootRole, JSON.stringify(rest)).toBe(role);
    }
  });
});

describe('groups', () => {
  it('are synchronized from the identity provider, and keep members that an admin added', async () => {
    await prepare(service, (draft) => {
      const rest = { description: null, rootRole: null, createdAt: '2026-01-01T00:00:00.000Z', createdBy: null };
      for (const [id, mapping] of ['engineers', 'designers', 'managers'].entries())
        draft.put('groups', { id: id + 1, name: mapping, mappingsSSO: [`idp-${mapping}`], ...rest });
    });
    await accepted(service, 'setSamlSettings', {
      body: settingsOf(world, { enableGroupSyncing: true, groupJsonPath: 'memberOf' }),
    });
    const groupsOf = (browser: Browser) => {
      const user = userOf(service, browser);
      const memberships = service.running.services.state.lookup('membershipsByUser', String(user?.id));
      return [...memberships].map(({ groupId }) => groupId).sort();
    };
    const first = await signOn({ attributes: { memberOf: ['idp-engineers', 'idp-managers', 'idp-nothing'] } });
    expect(groupsOf(first.browser)).toEqual([1, 3]);
    const userId = userOf(service, first.browser)?.id ?? 0;
    const joinedAt = '2026-01-01T00:00:00.000Z';
    await prepare(service, (draft) =>
      draft.put('groupMembers', { groupId: 2, userId, joinedAt, createdBy: 'admin', bySignOn: false }),
    );
    const events = await eventsOf(service, async () => {
      expect(groupsOf((await signOn({ attributes: { memberOf: 'idp-engineers' } })).browser)).toEqual([1, 2]);
    });
    expect(events.map(({ type }) => type)).toEqual(['group-user-removed']);
    expect(groupsOf((await signOn({})).browser)).toEqual([2]);
    await accepted(service, 'setSamlSettings', { body: settingsOf(world) });
    expect(groupsOf((await signOn({ attributes: { memberOf: 'idp-engineers' } })).browser)).toEqual([2]);
  });
});

describe('signing out', () => {
  it('ends the session here, and sends a signed sign-out to the identity provider', async () => {
    const { browser } = await signOn({ nameId: 'ann@example.com' });
    const other = await signOn({ nameId: 'ann@example.com' });
    const page = await browser.get(`${service.url}/auth/saml/logout`);
    expect(page.status).toBe(303);
    expect(await isSignedOn(service.url, browser)).toBe(false);
    expect(await isSignedOn(service.url, other.browser)).toBe(true);
    const sent = await new Browser().get(locationOf(page));
    expect(sent.status, sent.text).toBe(200);
    const outs = JSON.parse((await new Browser().get(`${world.provider.url}/sign-outs`)).text);
    expect(outs.at(-1)).toMatchObject({ nameId: 'ann@example.com', signed: true });
    expect(outs.at(-1).sessionIndex).toMatch(/^_session/);
    const { action = '', fields } = formOf(sent);
    const back = await browser.post(action, fields, true);
    expect([back.status, back.headers.get('location')]).toEqual([303, '/']);
  });

  it('ends the session only here without a sign-out address, and redirects to the start page', async () => {
    await accepted(service, 'setSamlSettings', { body: settingsOf(world, { signOutUrl: '' }) });
    const { browser } = await signOn({});
    const page = await browser.get(`${service.url}/auth/saml/logout`);
    expect([page.status, page.headers.get('location')]).toEqual([303, '/']);
    expect(await isSignedOn(service.url, browser)).toBe(false);
    expect((await browser.get(`${service.url}/auth/saml/logout`)).headers.get('location')).toBe('/');
  });

  it('with another key is refused by the identity provider', async () => {
    const { browser } = await signOn({});
    const other = await startSamlWorld({ hasOtherKeys: true });
    await accepted(service, 'setSamlSettings', { body: settingsOf({ ...world, own: other.own }) });
    await other.provider.end();
    const sent = await new Browser().get(locationOf(await browser.get(`${service.url}/auth/saml/logout`)));
    expect(sent.status).toBe(500);
  });
});
