import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';
import type { ProviderProcess } from '../sign-on/child-process.ts';
import { introduceOidc, startOidcProvider } from '../sign-on/oidc-world.ts';
import { introduce, type SamlWorld, SECRETS_KEY, startSamlWorld } from '../sign-on/saml-world.ts';
import { accepted } from '../support/admin.ts';
import { browserOf } from '../support/people.ts';
import { expectAccessible } from './support/axe.ts';
import { ADMIN, useWorld } from './support/world.ts';

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

const panelOf = (page: Page) => page.getByRole('complementary').last();
const bodyOf = async (operationId: string) => (await accepted(world.service, operationId)).body;
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
      ...{ id: 'ann', claims: { email: 'ann@example.com', email_verified: true, name: 'Ann Other' } },
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
