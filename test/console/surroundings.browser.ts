import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accepted } from '../support/admin.ts';
import { selfSigned } from '../support/certificate.ts';
import { CLIENT_TOKEN } from '../support/service.ts';
import { expectAccessible } from './support/axe.ts';
import { Sdk } from './support/sdk.ts';
import { ADMIN, useWorld } from './support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'burgee-tls-'));
const { key, certificate } = selfSigned('127.0.0.1');
const files = { TLS_SERVER_KEY: join(folder, 'key.pem'), TLS_SERVER_CERT: join(folder, 'certificate.pem') };
writeFileSync(files.TLS_SERVER_KEY, key);
writeFileSync(files.TLS_SERVER_CERT, certificate);

const world = useWorld({ env: { BASE_URI_PATH: '/flags', TLS_ENABLE: 'true', TLS_SERVER_PORT: '0', ...files } });
const secureUrl = () => `https://127.0.0.1:${world.service.running.tlsPort}/flags`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('journey 40: below a base path, with TLS, 360 px wide, dark', () => {
  it('signs on at a deep link and switches a flag', async () => {
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    await accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'narrow' } });
    const small = { width: 360, height: 740, colorScheme: 'dark' } as const;
    const guarded = await world.browser.open(secureUrl(), '/features?q=narrow', small);
    guarded.allow(401);
    const { page, context } = guarded;
    await page.getByLabel('Username or email').fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await expectAccessible(page, 'the sign-on in the dark');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'narrow', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/flags/features');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ path: '/flags', httpOnly: true, secure: true });
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(isWider)).toBe(false);
    await expectAccessible(page, 'the list in the dark');
    const inRow = page.getByRole('row', { name: /narrow/ }).getByRole('switch', { name: 'narrow in development' });
    await inRow.click();
    await expect.poll(() => sdk.isEnabled('narrow')).toBe(true);
    await inRow.click();
    await expect.poll(() => sdk.isEnabled('narrow')).toBe(false);

    await page.getByRole('link', { name: 'narrow', exact: true }).click();
    const target = page.getByRole('switch', { name: 'narrow in development' });
    await target.waitFor();
    expect(await page.evaluate(isWider)).toBe(false);
    await expectAccessible(page, 'a flag in the dark');
    expect(await sdk.isEnabled('narrow')).toBe(false);
    await target.focus();
    await page.keyboard.press('Space');
    await expect.poll(() => sdk.isEnabled('narrow')).toBe(true);
    sdk.end();
  });
});
