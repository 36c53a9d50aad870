import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../bench/support/free-port.ts';
import type { ProviderProcess } from '../../features/sign-on/child-process.ts';
import { introduceOidc, startOidcProvider } from '../../features/sign-on/oidc/oidc-world.ts';
import { introduce, type SamlWorld, SECRETS_KEY, startSamlWorld } from '../../features/sign-on/saml/saml-world.ts';
import { accepted } from '../../support/admin.ts';
import { expectAccessible } from '../support/axe.ts';
import { useWorld } from '../support/world.ts';

const port = String(await freePort());
const world = useWorld({ env: { HTTP_PORT: port, UNLEASH_URL: `http://127.0.0.1:${port}`, SECRETS_KEY } });
const DEEP = '/projects/default/features/deep?panel=settings&q=a%20b#top';
const setPasswords = (disabled: boolean) => accepted(world.service, 'setPasswordAuthSettings', { body: { disabled } });

let oidc: ProviderProcess;
let saml: SamlWorld;

beforeAll(async () => {
  [saml, oidc] = await Promise.all([startSamlWorld(), startOidcProvider()]);
  await introduceOidc(oidc, world.service.url, { defaultRootRole: 'Editor' });
  await introduce(saml, world.service.url, { defaultRootRole: 'Editor' });
  await accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'deep' } });
});

afterAll(() => Promise.all([saml.provider.end(), oidc.end()]));

async function emailOf(context: BrowserContext): Promise<string> {
  const cookie = (await context.cookies(world.service.url)).map(({ name, value }) => `${name}=${value}`).join('; ');
  return (await world.service.call('getMe', { token: null, headers: { cookie } })).body.user.email;
}

async function openSignedOff(provider: string) {
  const guarded = await world.browser.open(world.service.url, DEEP);
  guarded.allow(401);
  guarded.allowProvider(provider);
  return guarded;
}

/** Waits until the flag of the deep link is shown, at exactly that address. */
async function expectBack(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'deep' }).waitFor();
  const { pathname, search, hash } = new URL(page.url());
  expect(pathname + search + hash).toBe(DEEP);
}

describe('journey 2: OpenID Connect from a deep link', () => {
  it('comes back to that link, signed on as the subject of the provider', async () => {
    await oidc.put('/subject', { id: 'ann', claims: { email: 'ann@example.com', email_verified: true } });
    const { page, context } = await openSignedOff(oidc.url);
    await page.getByRole('link', { name: 'Continue with OpenID Connect' }).click();
    await expectBack(page);
    expect(await emailOf(context)).toBe('ann@example.com');
    await page.getByRole('switch', { name: 'deep in development' }).waitFor();
  });

  it('is one of several ways while passwords are on, and there is no password form where they are off', async () => {
    const { page } = await openSignedOff(oidc.url);
    await page.getByLabel('Password').waitFor();
    await expectAccessible(page, 'the sign-on with several ways');
    await setPasswords(true);
    try {
      await page.reload();
      await page.getByRole('link', { name: 'Continue with OpenID Connect' }).waitFor();
      await page.getByRole('link', { name: 'Continue with SAML 2.0' }).waitFor();
      expect(await page.locator('input').count()).toBe(0);
      await expectAccessible(page, 'the sign-on without passwords');
    } finally {
      await setPasswords(false);
    }
  });
});

describe('journey 3: SAML from a deep link', () => {
  it('comes back to that link, signed on as the subject of the provider', async () => {
    await saml.provider.put('/subject', { nameId: 'bob@example.com' });
    const { page, context } = await openSignedOff(saml.provider.url);
    await page.getByRole('link', { name: 'Continue with SAML 2.0' }).click();
    await page.waitForURL(`${saml.provider.url}/**`);
    // Identity providers post this form by a script of their own.
    await page.evaluate('document.forms[0].submit()');
    await expectBack(page);
    expect(await emailOf(context)).toBe('bob@example.com');
    await page.getByRole('switch', { name: 'deep in development' }).waitFor();
  });
});
