import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SESSION_COOKIE } from '../../../src/http/session-cookie.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, eventsOf, prepare } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import type { TestService } from '../../support/service.ts';
import { Browser, locationOf, type Page } from './browser.ts';
import type { ProviderProcess } from './child-process.ts';
import { answeredByOidc, introduceOidc, startOidcProvider } from './oidc/oidc-world.ts';
import { answered, handOver, introduce, isSignedOn, type SamlWorld, startSamlWorld } from './saml/saml-world.ts';
import { emailsOf, startAddressed, userOf } from './service.ts';

const [ADMIN, VIEWER] = [90, 91];
const MARK = 'trial-of-a-page';
const QUERY = `?try=${MARK}`;

let oidc: ProviderProcess;
let saml: SamlWorld;
let service: TestService;

beforeAll(async () => {
  [oidc, saml] = await Promise.all([startOidcProvider(), startSamlWorld()]);
});

afterAll(() => Promise.all([oidc.end(), saml.provider.end()]));

async function start(): Promise<void> {
  service = await startAddressed();
  await putUser(service, ADMIN, { email: 'ada@example.com', rootRole: ROLE_ID.admin });
  await putUser(service, VIEWER, { email: 'vic@example.com', rootRole: ROLE_ID.viewer });
}

const subject = (id: string, claims: object = {}) =>
  oidc.put('/subject', { id, claims: { email: `${id}@example.com`, email_verified: true, ...claims } });

async function signedOnAs(userId: number): Promise<Browser> {
  const browser = new Browser();
  const { cookie = '' } = await browserOf(service, userId);
  browser.cookies.set(SESSION_COOKIE, cookie.slice(SESSION_COOKIE.length + 1));
  return browser;
}

/** Switches the sign-on without another introduction, at which the provider forgets its codes. */
const switchOidc = (enabled: boolean) =>
  prepare(service, (draft) => {
    const settings = draft.get('signOnSettings', 'oidc');
    if (settings?.protocol === 'oidc') draft.put('signOnSettings', { ...settings, enabled });
  });

/** The result in the address to which the browser is sent. */
function resultIn(page: Page, protocol: string): Record<string, unknown> {
  const location = locationOf(page);
  const [path, text = ''] = location.split('#tried=');
  expect(path).toBe(`/admin/auth/${protocol}`);
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
}

async function triedOidc(browser: Browser, change?: (url: URL) => void): Promise<Record<string, unknown>> {
  const url = await answeredByOidc(service.url, browser, { query: QUERY, ...(change && { change }) });
  return resultIn(await browser.get(url.href), 'oidc');
}

/** Runs a trial, and checks that it changed nothing: no user, no event, no session, and no other session in the browser. */
async function unchanged<T>(browser: Browser, work: () => Promise<T>): Promise<T> {
  const { state } = service.running.services;
  const before = { emails: emailsOf(service), sessions: [...state.values('sessions')], user: userOf(service, browser) };
  let result: T | undefined;
  const events = await eventsOf(service, async () => {
    result = await work();
  });
  expect(events).toEqual([]);
  expect(emailsOf(service)).toEqual(before.emails);
  expect([...state.values('sessions')]).toEqual(before.sessions);
  expect([...state.values('spentAttempts')]).toEqual([]);
  expect(userOf(service, browser)?.id).toBe(before.user?.id);
  return result as T;
}

describe('a trial of OpenID Connect', () => {
  beforeEach(start);
  afterEach(() => service.close());

  it('shows the account that would be created, while the sign-on is disabled, and changes nothing', async () => {
    await introduceOidc(oidc, service.url, { enabled: false, defaultRootRole: 'Editor' });
    await subject('ann', { name: 'Ann Other' });
    const browser = await signedOnAs(ADMIN);
    expect(await unchanged(browser, () => triedOidc(browser))).toMatchObject({
      trial: MARK,
      isAccepted: true,
      email: 'ann@example.com',
      name: 'Ann Other',
      account: { email: 'ann@example.com', rootRole: ROLE_ID.editor, isNew: true, groups: [] },
    });
    expect(await isSignedOn(service.url, browser)).toBe(true);
  });

  it('shows an account that exists, the groups that the provider sends, and the groups that it would have', async () => {
    await introduceOidc(oidc, service.url, { enableGroupSyncing: true, groupJsonPath: 'groups', addGroupsScope: true });
    await accepted(service, 'createGroup', { body: { name: 'Shop team', mappingsSSO: ['shop'] } });
    await subject('vic', { groups: ['shop', 'others'] });
    const browser = await signedOnAs(ADMIN);
    expect(await unchanged(browser, () => triedOidc(browser))).toMatchObject({
      isAccepted: true,
      sentGroups: ['shop', 'others'],
      sentGroupCount: 2,
      account: { id: VIEWER, rootRole: ROLE_ID.viewer, isNew: false, groups: ['Shop team'], groupCount: 1 },
    });
  });

  it('returns a short address, however many groups the provider sends', async () => {
    await introduceOidc(oidc, service.url, { enableGroupSyncing: true, groupJsonPath: 'groups', addGroupsScope: true });
    await subject('vic', { groups: Array.from({ length: 30 }, (_, index) => `${index} ${'ж'.repeat(95)}`) });
    const tried = await triedOidc(await signedOnAs(ADMIN));
    expect(tried).toMatchObject({
      isAccepted: true,
      sentGroupCount: 30,
      sentGroups: expect.arrayContaining([expect.stringMatching(/^0 ж/)]),
    });
    expect(Buffer.byteLength(JSON.stringify(tried))).toBeLessThan(2_500);
  });

  it('shows why no one would be signed on', async () => {
    await introduceOidc(oidc, service.url, { enabled: false, autoCreate: false });
    await subject('bob');
    const browser = await signedOnAs(ADMIN);
    expect(await unchanged(browser, () => triedOidc(browser))).toMatchObject({
      isAccepted: false,
      email: 'bob@example.com',
      message: expect.stringMatching(/There is no account/),
    });
    await oidc.put('/subject', { id: 'eve', claims: { email: 'eve@example.com', email_verified: false } });
    const unverified = await unchanged(browser, () => triedOidc(browser));
    expect(unverified).toMatchObject({ isAccepted: false, message: expect.stringMatching(/no verified email/) });
  });

  it('shows the reason of a response that is not accepted, which others find only in the log', async () => {
    await introduceOidc(oidc, service.url);
    await subject('ann');
    const browser = await signedOnAs(ADMIN);
    const change = (url: URL) => url.searchParams.set('nonce', 'another');
    expect(await unchanged(browser, () => triedOidc(browser, change))).toMatchObject({
      isAccepted: false,
      reason: expect.stringMatching(/unexpected JWT claim/),
    });
    const stranger = new Browser();
    const page = await stranger.get((await answeredByOidc(service.url, stranger, { change })).href);
    expect([page.status, page.text.includes('JWT')]).toEqual([401, false]);
  });

  it('shows that the provider cannot be reached', async () => {
    await introduceOidc(oidc, service.url, { enabled: false, discoverUrl: 'http://127.0.0.1:1' });
    const browser = await signedOnAs(ADMIN);
    const page = await unchanged(browser, () => browser.get(`${service.url}/auth/oidc/login${QUERY}`));
    expect(resultIn(page, 'oidc')).toMatchObject({ isAccepted: false, message: expect.stringMatching(/reached/) });
  });

  it('is refused for everyone who is no admin, at its begin and at its end', async () => {
    await introduceOidc(oidc, service.url);
    for (const browser of [new Browser(), await signedOnAs(VIEWER)]) {
      const page = await browser.get(`${service.url}/auth/oidc/login${QUERY}`);
      expect([page.status, JSON.parse(page.text).name]).toEqual([403, 'NoAccessError']);
    }
    const browser = await signedOnAs(ADMIN);
    const url = await answeredByOidc(service.url, browser, { query: QUERY });
    const { cookie = '' } = await browserOf(service, VIEWER);
    browser.cookies.set(SESSION_COOKIE, cookie.slice(SESSION_COOKIE.length + 1));
    expect((await browser.get(url.href)).status).toBe(403);
  });

  it('asks the provider nothing for a browser that adds the mark without an admin', async () => {
    await introduceOidc(oidc, service.url);
    await subject('ann');
    const browser = new Browser();
    const url = await answeredByOidc(service.url, browser);
    const [name, value] = [...browser.cookies].find(([, text]) => /^\d+\./.test(text)) ?? ['', ''];
    await switchOidc(false);
    browser.cookies.set(name, `${value}.${MARK}`);
    expect((await browser.get(url.href)).status).toBe(403);
    // The provider accepts a code once, so it was not used.
    await switchOidc(true);
    browser.cookies.set(name, value);
    expect((await browser.get(url.href)).status).toBe(303);
    expect(await isSignedOn(service.url, browser)).toBe(true);
  });

  it('cannot become a sign-on: without its mark, a disabled sign-on is refused', async () => {
    await introduceOidc(oidc, service.url, { enabled: false });
    await subject('ann');
    const browser = await signedOnAs(ADMIN);
    const url = await answeredByOidc(service.url, browser, { query: QUERY });
    const [name, value = ''] = [...browser.cookies].find(([, text]) => text.endsWith(`.${MARK}`)) ?? [''];
    browser.cookies.set(name, value.slice(0, -MARK.length - 1));
    const page = await unchanged(browser, () => browser.get(url.href));
    expect(page.status).toBe(404);
  });
});

describe('a trial of SAML', () => {
  // One service, because its thread loads the XML libraries. The trials change nothing.
  beforeAll(start);
  afterAll(() => service.close());

  it('shows the account that would be created, while the sign-on is disabled, and changes nothing', async () => {
    await introduce(saml, service.url, { enabled: false, defaultRootRole: 'Editor' });
    const browser = await signedOnAs(ADMIN);
    const result = await unchanged(browser, async () => {
      const answer = await answered(saml, service.url, { nameId: 'bob@example.com' }, browser, QUERY);
      return resultIn(await handOver(answer, answer.xml), 'saml');
    });
    expect(result).toMatchObject({
      trial: MARK,
      isAccepted: true,
      email: 'bob@example.com',
      account: { rootRole: ROLE_ID.editor, isNew: true },
    });
  });

  it('shows the reason of a response that is not accepted', async () => {
    await introduce(saml, service.url, { enabled: false });
    const browser = await signedOnAs(ADMIN);
    const result = await unchanged(browser, async () => {
      const answer = await answered(saml, service.url, { nameId: 'bob@example.com' }, browser, QUERY);
      return resultIn(await handOver(answer, answer.xml.replace('bob@example.com', 'ada@example.com')), 'saml');
    });
    expect(result).toMatchObject({ isAccepted: false, reason: expect.stringMatching(/\w/) });
    expect(JSON.stringify(result)).not.toContain('isNew');
  });

  it('verifies no response for a browser that adds the mark without an admin', async () => {
    await introduce(saml, service.url);
    const answer = await answered(saml, service.url, { nameId: 'bob@example.com' });
    const [name, value] = [...answer.browser.cookies].find(([, text]) => /^\d+\./.test(text)) ?? ['', ''];
    await introduce(saml, service.url, { enabled: false });
    answer.browser.cookies.set(name, `${value}.${MARK}`);
    const verifying = vi.spyOn(service.running.services.signOn, 'samlIdentity');
    expect((await handOver(answer, answer.xml)).status).toBe(403);
    expect(verifying).not.toHaveBeenCalled();
  });

  it('is only for admins', async () => {
    await introduce(saml, service.url);
    const page = await (await signedOnAs(VIEWER)).get(`${service.url}/auth/saml/login${QUERY}`);
    expect(page.status).toBe(403);
  });
});
