import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import type { User } from '../../../src/model/user.ts';
import { accepted, eventsOf, MISSING, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { allowScim, patchOf } from '../../support/scim.ts';
import type { TestService } from '../../support/service.ts';
import { Browser, type Page } from './browser.ts';
import type { ProviderProcess } from './child-process.ts';
import { answeredByOidc, introduceOidc, startOidcProvider } from './oidc/oidc-world.ts';
import { answered, handOver, introduce, isSignedOn, type SamlWorld, startSamlWorld } from './saml/saml-world.ts';
import { emailsOf, startAddressed, userOf } from './service.ts';

const ADMIN = 'admin@example.com';

let service: TestService;

beforeEach(async () => {
  service = await startAddressed();
});

afterEach(() => service.close());

const stored = (id: number): User | undefined => service.running.services.state.get('users', String(id));

/** Checks that a sign-on was refused because the account is bound to another identity. */
function expectForeign(page: Page): void {
  expect([page.status, JSON.parse(page.text).name], page.text).toEqual([403, 'NoAccessError']);
  expect(page.text).toMatch(/another person.*An admin.*remove the identities/);
}

describe('an account and OpenID Connect', () => {
  let provider: ProviderProcess;

  beforeAll(async () => {
    provider = await startOidcProvider();
  });

  afterAll(() => provider.end());

  beforeEach(() => introduceOidc(provider, service.url));

  /** Signs a user on. `rest` is further fields of `PUT /subject` of the provider. */
  async function signOn(id: string, email: string, rest: object = {}) {
    await provider.put('/subject', { id, claims: { email, email_verified: true }, ...rest });
    const browser = new Browser();
    const page = await browser.get((await answeredByOidc(service.url, browser)).href);
    return { browser, page };
  }

  const identity = (subject: string) => ({ protocol: 'oidc', issuer: provider.url, subject });

  it('are bound at the first sign-on, for a new account and for one that an admin created', async () => {
    await putUser(service, 7, { email: ADMIN, rootRole: ROLE_ID.admin });
    const events = await eventsOf(service, () => signOn('boss', ADMIN));
    expect(events).toMatchObject([{ type: 'user-updated', data: { id: 7, identities: [identity('boss')] } }]);
    expect(stored(7)).toMatchObject({ rootRole: ROLE_ID.admin, identities: [identity('boss')] });
    expect(stored(7)?.passwordHash).toBeTruthy();
    const { browser } = await signOn('ann', 'ann@example.com');
    expect(userOf(service, browser)?.identities).toEqual([identity('ann')]);
    expect(await eventsOf(service, () => signOn('ann', 'ann@example.com'))).toEqual([]);
  });

  it('are bound if SCIM created the account with this email, and refused while SCIM has it switched off', async () => {
    await allowScim(service);
    const { id } = (await accepted(service, 'createScimUser', { body: { userName: 'ann@example.com' } })).body;
    const { browser } = await signOn('ann', 'ann@example.com');
    expect(userOf(service, browser)?.id).toBe(Number(id));
    const active = (value: boolean) =>
      accepted(service, 'patchScimUser', { params: { id }, body: patchOf({ op: 'replace', path: 'active', value }) });
    await active(false);
    expect(await isSignedOn(service.url, browser)).toBe(false);
    const refusedPage = (await signOn('ann', 'ann@example.com')).page;
    expect([refusedPage.status, refusedPage.text]).toEqual([403, expect.stringContaining('switched off')]);
    await active(true);
    const again = await signOn('ann', 'ann@example.com');
    expect(userOf(service, again.browser)?.id).toBe(Number(id));
  });

  it('stay bound: another subject with the same email is refused until an admin removes the identities', async () => {
    const { browser } = await signOn('ann', 'ann@example.com');
    const id = userOf(service, browser)?.id ?? 0;
    const other = await signOn('mallory', 'ann@example.com');
    expectForeign(other.page);
    expect(await isSignedOn(service.url, other.browser)).toBe(false);
    expect(stored(id)?.identities).toEqual([identity('ann')]);

    const params = { id };
    const { body } = await accepted(service, 'getUserIdentities', { params });
    expect(body).toEqual({ identities: [identity('ann')] });
    const secret = await personalTokenOf(service, id);
    const events = await eventsOf(service, () => accepted(service, 'deleteUserIdentities', { params }));
    expect((await service.call('getMe', { token: secret })).status).toBe(401);
    expect(events).toMatchObject([
      { type: 'pat-deleted', data: { userId: id } },
      { type: 'user-updated', data: { id, identities: [] }, preData: { id, identities: [identity('ann')] } },
    ]);
    expect(await isSignedOn(service.url, browser)).toBe(false);
    expect((await accepted(service, 'getUserIdentities', { params })).body).toEqual({ identities: [] });
    await accepted(service, 'deleteUserIdentities', { params });

    const next = await signOn('mallory', 'ann@example.com');
    expect(userOf(service, next.browser)).toMatchObject({ id, identities: [identity('mallory')] });
    expectForeign((await signOn('ann', 'ann@example.com')).page);
    for (const operation of ['getUserIdentities', 'deleteUserIdentities'])
      await refused(service, operation, MISSING, { params: { id: 99 } });
  });

  it('are matched by the subject, also when the email changed on either side', async () => {
    const first = await signOn('ann', 'ann@example.com');
    const id = userOf(service, first.browser)?.id ?? 0;
    await putUser(service, 70, { email: 'other@example.com', rootRole: ROLE_ID.admin });
    for (const email of ['ann@example.org', 'other@example.com'])
      expect(userOf(service, (await signOn('ann', email)).browser)?.id, email).toBe(id);
    expect(emailsOf(service)).toEqual(['ann@example.com', 'other@example.com']);
    await accepted(service, 'updateUser', { params: { id }, body: { email: 'renamed@example.com' } });
    expect(userOf(service, (await signOn('ann', 'ann@example.com')).browser)?.id).toBe(id);
    const newcomer = await signOn('bob', 'ann@example.com');
    expect(userOf(service, newcomer.browser)?.id).not.toBe(id);
  });

  it('are bound again at another identity provider', async () => {
    const other = await startOidcProvider();
    try {
      const { browser } = await signOn('ann', 'ann@example.com');
      const id = userOf(service, browser)?.id ?? 0;
      await introduceOidc(other, service.url);
      await other.put('/subject', { id: 'a-1', claims: { email: 'ann@example.com', email_verified: true } });
      const moved = new Browser();
      await moved.get((await answeredByOidc(service.url, moved)).href);
      expect(userOf(service, moved)?.id).toBe(id);
      expect(stored(id)?.identities).toEqual([identity('ann'), { ...identity('a-1'), issuer: other.url }]);
    } finally {
      await other.end();
    }
  });

  it('are not matched by an email that its own source does not verify', async () => {
    await putUser(service, 7, { email: ADMIN, rootRole: ROLE_ID.admin });
    const [email, no, yes] = [{ email: ADMIN }, { email_verified: false }, { email_verified: true }];
    const answers = {
      'userinfo has the verdict alone': { idToken: email, userInfo: no },
      'userinfo has email and verdict, the id token the email': { idToken: email, userInfo: { ...email, ...no } },
      'the id token has a verdict, userinfo the email': { idToken: yes, userInfo: { ...email, ...no } },
      'a verdict without an email beside an email without a verdict': { idToken: yes, userInfo: email },
      'a text that is no yes': { idToken: { ...email, email_verified: 'False' } },
      'a number': { idToken: { ...email, email_verified: 0 } },
      null: { idToken: { ...email, email_verified: null }, userInfo: {} },
    };
    for (const [what, rest] of Object.entries(answers)) {
      const { browser, page } = await signOn('mallory', ADMIN, rest);
      expect(page.status, what).toBe(403);
      expect(await isSignedOn(service.url, browser), what).toBe(false);
    }
    expect(stored(7)?.identities).toBeUndefined();
    for (const rest of [
      { idToken: email, userInfo: { ...email, email_verified: 'true' } },
      { idToken: email, userInfo: email },
      { idToken: { ...email, ...yes }, userInfo: { ...email, ...no } },
    ])
      expect(userOf(service, (await signOn('boss', ADMIN, rest)).browser)?.id, JSON.stringify(rest)).toBe(7);
  });
});

describe('an account and SAML', () => {
  const EMAIL = { attributes: { email: 'ann@example.com' } };
  const format = (name: string) => `urn:oasis:names:tc:SAML:2.0:nameid-format:${name}`;
  let world: SamlWorld;

  beforeAll(async () => {
    world = await startSamlWorld();
  });

  afterAll(() => world.provider.end());

  beforeEach(() => introduce(world, service.url));

  async function signOn(subject: object) {
    const answer = await answered(world, service.url, subject);
    const page = await handOver(answer, answer.xml, false);
    return { browser: answer.browser, page };
  }

  it('are bound by the NameID and its format: another one with the same email is refused', async () => {
    await putUser(service, 7, { email: 'ann@example.com', rootRole: ROLE_ID.admin });
    const ann = { nameId: 'id-1', format: format('persistent'), ...EMAIL };
    expect(userOf(service, (await signOn(ann)).browser)?.id).toBe(7);
    const known = { protocol: 'saml', issuer: `${world.provider.url}/metadata`, subject: 'id-1' };
    expect(stored(7)?.identities).toEqual([{ ...known, nameIdFormat: format('persistent') }]);
    const others = [
      { ...ann, nameId: 'ID-1' },
      { ...ann, nameId: 'id-2' },
      { ...ann, format: format('transient') },
    ];
    for (const other of [...others, { nameId: 'ann@example.com' }]) expectForeign((await signOn(other)).page);
    const renamed = { ...ann, attributes: { email: 'ann@example.org' } };
    expect(userOf(service, (await signOn(renamed)).browser)?.id).toBe(7);
    await accepted(service, 'deleteUserIdentities', { params: { id: 7 } });
    expect(userOf(service, (await signOn({ nameId: 'Ann@example.com' })).browser)?.id).toBe(7);
    expect(userOf(service, (await signOn({ nameId: 'ann@EXAMPLE.com' })).browser)?.id).toBe(7);
  });

  it('are not bound by a transient NameID', async () => {
    for (const nameId of ['_1', '_2']) {
      const { browser } = await signOn({ nameId, format: format('transient'), ...EMAIL });
      expect(userOf(service, browser)?.email).toBe('ann@example.com');
      expect(userOf(service, browser)?.identities).toBeUndefined();
    }
    expect(emailsOf(service)).toEqual(['ann@example.com']);
  });
});
