import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../bench/support/free-port.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import type { ProviderProcess } from '../../features/sign-on/child-process.ts';
import { introduceOidc, startOidcProvider } from '../../features/sign-on/oidc/oidc-world.ts';
import { introduce, type SamlWorld, SECRETS_KEY, startSamlWorld } from '../../features/sign-on/saml/saml-world.ts';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { patchOf, SCIM_GROUP, SCIM_USER } from '../../support/scim.ts';
import { until } from '../../support/until.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { expectInWindow, panelOf, takeSecret } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const port = String(await freePort());
const world = useWorld({ env: { HTTP_PORT: port, UNLEASH_URL: `http://127.0.0.1:${port}`, SECRETS_KEY } });

let oidc: ProviderProcess;
let saml: SamlWorld;
let admin: Record<string, string>;

beforeAll(async () => {
  [saml, oidc] = await Promise.all([startSamlWorld(), startOidcProvider()]);
  admin = await browserOf(world.service, ADMIN.id);
});

afterAll(() => Promise.all([saml.provider.end(), oidc.end()]));

const dialogOf = (page: Page) => page.getByRole('dialog');
const bodyOf = async (operationId: string, params: Readonly<Record<string, string | number>> = {}) =>
  (await accepted(world.service, operationId, { params })).body;
const emails = () => [...world.service.running.services.state.values('users')].map(({ email }) => email).sort();

async function open(path: string, provider?: string) {
  const guarded = await world.browser.open(world.service.url, path, { signedOn: admin });
  if (provider) guarded.allowProvider(provider);
  return guarded;
}

/** The session is the one of the admin, as before the trial. */
async function expectSameSession(page: Page): Promise<void> {
  const cookies = (await page.context().cookies(world.service.url)).map(({ name, value }) => `${name}=${value}`);
  expect(cookies).toContain(admin.cookie);
  const { body } = await world.service.call('getMe', { token: null, headers: { cookie: admin.cookie ?? '' } });
  expect(body.user.username).toBe(ADMIN.username);
}

describe('the settings of sign-on', () => {
  it('passwords cannot be switched off while they are the only way', async () => {
    const { page } = await open('/admin/auth');
    await page.getByRole('button', { name: 'Switch passwords off' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It is the only way to sign on.').first().waitFor();
    const button = dialog.getByRole('button', { name: 'Switch passwords off' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page, 'the dialog that keeps passwords');
    await button.click({ force: true });
    expect(await bodyOf('getPasswordAuthSettings')).toEqual({ disabled: false });
  });

  it('OpenID Connect is configured, tried while it is disabled, and enabled; no one is signed on or off', async () => {
    // The provider must know the address of the service; the settings are then made in the page.
    await introduceOidc(oidc, world.service.url, {
      enabled: false,
      clientId: 'another',
      discoverUrl: 'http://127.0.0.1:1',
    });
    await oidc.put('/subject', {
      id: 'ann',
      claims: { email: 'ann@example.com', email_verified: true, name: 'Ann Other' },
    });
    const { page } = await open('/admin/auth/oidc', oidc.url);
    await page.getByText(`${world.service.url}/auth/oidc/callback`).waitFor();
    await page.getByRole('button', { name: 'Edit settings' }).click();
    const panel = panelOf(page);
    await panel.getByText('A value is stored. It is never shown.').waitFor();
    await panel.getByLabel('Address of the provider').fill(oidc.url);
    await panel.getByLabel('Client id').fill('burgee');
    await panel.getByLabel('Create accounts for people who have none').check();
    await panel.getByText('Client id: another → burgee').waitFor();
    await panel.getByLabel('Why?').fill('Single sign-on');
    await expectAccessible(page, 'the form of OpenID Connect');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings of OpenID Connect saved').first().waitFor();
    const saved = { discoverUrl: oidc.url, clientId: 'burgee', autoCreate: true, secret: '********' };
    expect(await bodyOf('getOidcSettings')).toMatchObject({ ...saved, enabled: false });

    const before = emails();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('Ann Other would be signed on.').waitFor();
    await page.getByText('A new account would be created').waitFor();
    await expectAccessible(page, 'the result of a trial');
    expect(new URL(page.url()).hash).toBe('');
    expect(emails()).toEqual(before);
    await expectSameSession(page);

    await page.getByRole('button', { name: 'Edit settings' }).click();
    await panel.getByLabel('People can sign on with it').check();
    expect(await panel.getByText('It was not tried with these settings').count()).toBe(0);
    await panel.getByLabel('Client id').fill('others');
    await panel.getByText('It was not tried with these settings').waitFor();
    await panel.getByLabel('Client id').fill('burgee');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings of OpenID Connect saved').first().waitFor();
    expect(await bodyOf('getOidcSettings')).toMatchObject({ ...saved, enabled: true });
    expect((await bodyOf('getSignOnOptions')).ways.map(({ type }: { type: string }) => type)).toContain('oidc');
  });

  it('a trial that fails shows the reason, and the account that is missing', async () => {
    await introduceOidc(oidc, world.service.url, { autoCreate: false });
    const { page } = await open('/admin/auth/oidc', oidc.url);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('It does not work yet.').waitFor();
    await page.getByText('There is no account with this email').waitFor();
    await page.getByText('ann@example.com').waitFor();
    await expectSameSession(page);
    await introduceOidc(oidc, world.service.url, { discoverUrl: 'http://127.0.0.1:1' });
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('The identity provider cannot be reached').waitFor();
    await expectAccessible(page, 'a trial that failed');
  });

  it('a result in a link that someone made proves nothing', async () => {
    const result = { trial: 'made-by-a-stranger', isAccepted: true, email: 'eve@example.com' };
    const text = Buffer.from(JSON.stringify(result)).toString('base64url');
    const { page } = await open(`/admin/auth/oidc#tried=${text}`);
    await page.getByText('This address has the result of another trial.').waitFor();
    expect(await page.getByText('It works.').count()).toBe(0);
  });

  it('SAML is tried while it is disabled', async () => {
    // On a busy machine, the first request can be answered with 503, because the thread of SAML starts with it.
    const metadata = async () => (await fetch(`${world.service.url}/auth/saml/metadata`)).status;
    await expect.poll(metadata, { timeout: 60_000 }).toBe(200);
    await introduce(saml, world.service.url, { enabled: false });
    await saml.provider.put('/subject', { nameId: 'bob@example.com' });
    const { page } = await open('/admin/auth/saml', saml.provider.url);
    await page.getByText(`${world.service.url}/auth/saml/callback`).waitFor();
    const before = emails();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.waitForURL(`${saml.provider.url}/**`);
    // Identity providers post this form by a script of their own.
    await page.evaluate('document.forms[0].submit()');
    await page.getByText('bob@example.com would be signed on.').waitFor();
    expect(emails()).toEqual(before);
    await expectSameSession(page);
    await page.getByRole('button', { name: 'Edit settings' }).click();
    await expectAccessible(page, 'the form of SAML');
  });

  it('passwords are switched off when there is another way, with a warning that it was not tried, and on again', async () => {
    await introduceOidc(oidc, world.service.url);
    const { page } = await open('/admin/auth');
    await page.getByRole('button', { name: 'Switch passwords off' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('OpenID Connect was not tried in this window.').waitFor();
    await dialog.getByLabel('Why?').fill('Only single sign-on');
    await dialog.getByRole('button', { name: 'Switch passwords off' }).click();
    await page.getByRole('button', { name: 'Switch passwords on' }).waitFor();
    expect(await bodyOf('getPasswordAuthSettings')).toEqual({ disabled: true });
    await page.getByRole('button', { name: 'Switch passwords on' }).click();
    await dialog.getByRole('button', { name: 'Switch passwords on' }).click();
    await page.getByRole('button', { name: 'Switch passwords off' }).waitFor();
    expect(await bodyOf('getPasswordAuthSettings')).toEqual({ disabled: false });
  });
});

describe('SCIM in the console', () => {
  const run = promisify(execFile);
  const openScim = async () => (await open('/admin/auth/scim')).page;
  /** Sends JSON as an identity provider does. */
  const post = (path: string, token: string, body: object, method = 'POST') =>
    fetch(world.service.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const people = (page: Page) => page.getByRole('region', { name: 'Users from the provider' });
  let users = 0;
  const createUser = (token: string, rest: object = {}) => {
    users += 1;
    const body = { schemas: [SCIM_USER], userName: `grace${users}@example.com`, displayName: `Grace ${users}` };
    return post('/scim/v2/Users', token, { ...body, ...rest });
  };

  afterAll(() => accepted(world.service, 'deleteScimToken'));

  it('a token is made and shown once, the provider creates a user, and a replaced token is refused', async () => {
    const page = await openScim();
    await page.getByText('SCIM is off').first().waitFor();
    await page.getByText('The provider has not created or taken over a user yet.').waitFor();
    await expectInWindow(page.getByRole('navigation').getByRole('link', { name: 'Sign-on', exact: true }));
    await page.getByText(`${world.service.url}/scim/v2`).waitFor();
    await expectAccessible(page, 'SCIM that is off');
    const keyboard = new Keyboard(page);
    await keyboard.activate(page.getByRole('button', { name: 'Create token' }));
    await dialogOf(page).getByText('Only its hash is stored.').waitFor();
    await keyboard.activate(dialogOf(page).getByRole('button', { name: 'Create token' }));
    const check = await panelOf(page).getByRole('region', { name: 'Check it from a shell' }).innerText();
    await expectAccessible(page, 'the token of SCIM');
    const { stdout } = await run('sh', ['-c', check], { env: { PATH: process.env.PATH } });
    expect(JSON.parse(stdout)).toHaveProperty('patch');
    const first = await takeSecret(page, 'SCIM token');
    await page.getByText('SCIM is on').first().waitFor();

    const created = await createUser(first);
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { readonly id: string };
    await people(page).getByText('Grace 1').waitFor();
    const { page: list } = await open('/admin/users');
    await list.getByRole('row', { name: /Grace 1.*SCIM/ }).waitFor();
    const off = patchOf({ op: 'replace', path: 'active', value: false });
    expect((await post(`/scim/v2/Users/${id}`, first, off, 'PATCH')).status).toBe(200);
    await people(page).getByText('switched off').waitFor();
    await list.getByRole('row', { name: /Grace 1.*SCIM off/ }).waitFor();
    const group = { schemas: [SCIM_GROUP], displayName: 'Pricing', members: [{ value: id }] };
    expect((await post('/scim/v2/Groups', first, group)).status).toBe(201);
    await page.getByRole('region', { name: 'Groups from the provider' }).getByText('1 member').waitFor();
    await expectAccessible(page, 'SCIM with users and groups');

    await page.getByRole('button', { name: 'Replace token…' }).click();
    await dialogOf(page).getByLabel('Why?').fill('The provider was moved');
    await dialogOf(page).getByRole('button', { name: 'Replace token' }).click();
    await panelOf(page).getByLabel('SCIM token', { exact: true }).waitFor();
    const second = await takeSecret(page, 'SCIM token');
    expect((await createUser(first)).status).toBe(401);
    expect((await createUser(second)).status).toBe(201);

    await page.getByRole('button', { name: 'Delete token…' }).click();
    await expectAccessible(page, 'the dialog that deletes the token of SCIM');
    await dialogOf(page).getByRole('button', { name: 'Delete token' }).click();
    await page.getByRole('button', { name: 'Create token' }).waitFor();
    expect((await createUser(second)).status).toBe(401);
    expect(await bodyOf('getScimSettings')).toMatchObject({ enabled: false, hasToken: false });
  });

  it('is switched off and on, new users get the chosen role, and users of the provider are deleted', async () => {
    const { token } = await bodyOf('generateScimToken');
    const page = await openScim();
    await page.getByRole('button', { name: 'Change role…' }).click();
    await panelOf(page).getByRole('combobox', { name: 'Role of new users' }).click();
    expect(await page.getByRole('option', { name: 'Admin', exact: true }).count()).toBe(0);
    await page.getByRole('option', { name: 'Editor' }).click();
    await expectAccessible(page, 'the role of new users');
    await panelOf(page).getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Role of new users saved').first().waitFor();
    const { id } = (await (await createUser(token)).json()) as { readonly id: string };
    expect(await bodyOf('getUser', { id })).toMatchObject({ rootRole: ROLE_ID.editor });

    for (const [name, label, status] of [
      ['Switch off…', 'Switch off', 401],
      ['Switch on…', 'Switch on', 201],
    ] as const) {
      await page.getByRole('button', { name }).click();
      await dialogOf(page).getByRole('button', { name: label }).click();
      await dialogOf(page).waitFor({ state: 'detached' });
      expect((await createUser(token)).status).toBe(status);
    }
    await page.getByRole('button', { name: 'Delete these users…' }).click();
    await dialogOf(page)
      .getByRole('textbox', { name: /to confirm/ })
      .fill('delete users');
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The provider has not created or taken over a user yet.').waitFor();
    await until(
      async () => (await bodyOf('getUsers')).users,
      (all) => all.every((user: object) => !('scimId' in user)),
    );
  });

  it('is not shown to a viewer', async () => {
    await putUser(world.service, 702, { name: 'Vic', username: 'vic', rootRole: ROLE_ID.viewer });
    const signedOn = await browserOf(world.service, 702);
    const options = { signedOn, width: 360, height: 740 };
    const one = await world.browser.open(world.service.url, '/admin/auth/scim', options);
    one.allow(403);
    await one.page.getByText('You may not see this.').waitFor();
    await expectAccessible(one.page, 'SCIM for a viewer');
  });
});
