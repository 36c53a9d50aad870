import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { selfSigned } from '../../support/programs/certificate.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { isFocused, Keyboard } from '../support/keyboard.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'burgee-tls-'));
const { key, certificate } = selfSigned('127.0.0.1');
const files = { TLS_SERVER_KEY: join(folder, 'key.pem'), TLS_SERVER_CERT: join(folder, 'certificate.pem') };
writeFileSync(files.TLS_SERVER_KEY, key);
writeFileSync(files.TLS_SERVER_CERT, certificate);

const world = useWorld({ env: { BASE_URI_PATH: '/flags', TLS_ENABLE: 'true', TLS_SERVER_PORT: '0', ...files } });
const secureUrl = () => `https://127.0.0.1:${world.service.running.tlsPort}/flags`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SMALL = { width: 360, height: 740, colorScheme: 'dark' } as const;
const IS_WIDER = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

const create = (name: string) =>
  accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name } });

/** A page below the base path, with TLS, 360 px wide and dark. */
async function openSmall(path: string, userId: number) {
  const signedOn = await browserOf(world.service, userId);
  const { page } = await world.browser.open(secureUrl(), path, { ...SMALL, signedOn });
  return { page, keyboard: new Keyboard(page) };
}

/** The screen fits, and is accessible. */
async function expectGood(page: Page, where: string): Promise<void> {
  expect(await page.evaluate(IS_WIDER), where).toBe(false);
  await expectAccessible(page, where);
}

describe('journey 40: below a base path, with TLS, 360 px wide, dark', () => {
  it('signs on at a deep link and switches a flag', async () => {
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    await create('narrow');
    const guarded = await world.browser.open(secureUrl(), '/features?q=narrow', SMALL);
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
    await expectGood(page, 'the list in the dark');
    const inRow = page.getByRole('row', { name: /narrow/ }).getByRole('switch', { name: 'narrow in development' });
    await inRow.click();
    await expect.poll(() => sdk.isEnabled('narrow')).toBe(true);
    await inRow.click();
    await expect.poll(() => sdk.isEnabled('narrow')).toBe(false);

    await page.getByRole('link', { name: 'narrow', exact: true }).click();
    const target = page.getByRole('switch', { name: 'narrow in development' });
    await target.waitFor();
    await expectGood(page, 'a flag in the dark');
    expect(await sdk.isEnabled('narrow')).toBe(false);
    await target.focus();
    await page.keyboard.press('Space');
    await expect.poll(() => sdk.isEnabled('narrow')).toBe(true);
    sdk.end();
  });

  it('finds a flag in the palette, in at most six keys', async () => {
    await create('kyc-review');
    await create('sky-colour');
    const { page, keyboard } = await openSmall('/features', ADMIN.id);
    await page.getByRole('link', { name: 'kyc-review', exact: true }).waitFor();
    await keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Flag, screen or action' }).waitFor();
    await keyboard.press('k', 'y', 'c');
    await page.getByRole('option', { name: /^kyc-review/ }).waitFor();
    await expectGood(page, 'the palette in the dark');
    await keyboard.press('Enter');
    await page.waitForURL('**/flags/projects/default/features/kyc-review');
    await page.getByRole('region', { name: 'development' }).waitFor();
  });

  it('switches a flag on, and the undo of its receipt restores it', async () => {
    await create('taken-back');
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const { page, keyboard } = await openSmall('/features?q=taken-back', ADMIN.id);
    const target = page.getByRole('switch', { name: 'taken-back in development' });
    await target.waitFor();
    await target.focus();
    await keyboard.press('Space');
    await expect.poll(() => sdk.isEnabled('taken-back')).toBe(true);
    await keyboard.tabTo(page.getByRole('button', { name: 'Undo' }));
    await expectGood(page, 'a receipt in the dark');
    await keyboard.press('Enter');
    await page.locator('button:not([aria-busy])', { hasText: /^Undo r\d+$/ }).waitFor();
    await expectGood(page, 'the undo of a receipt in the dark');
    await keyboard.press('Control+Enter');
    await expect.poll(() => target.getAttribute('aria-checked')).toBe('false');
    expect(await sdk.isEnabled('taken-back')).toBe(false);
    sdk.end();
  });

  it('rolls a flag out to 25 % by two constraints', async () => {
    await create('rolled');
    const { page, keyboard } = await openSmall('/projects/default/features/rolled', ADMIN.id);
    const card = page.getByRole('region', { name: 'development' });
    await keyboard.activate(card.getByRole('button', { name: 'Add strategy' }));
    const editor = page.getByRole('complementary', { name: /New strategy/ });
    await keyboard.fill(editor.getByRole('textbox', { name: 'Rollout' }), '25');
    for (const [at, [field, values]] of [
      ['appName', 'shop, store'],
      ['sessionId', 's-1'],
    ].entries()) {
      await keyboard.activate(editor.getByRole('button', { name: 'Add constraint' }));
      const box = editor.getByRole('combobox', { name: 'Context field' }).nth(at);
      await keyboard.fill(box, field as string);
      await page.getByRole('option', { name: field as string, exact: true }).waitFor();
      await keyboard.press('Enter');
      await expect.poll(() => box.inputValue()).toBe(field);
      await keyboard.fill(editor.getByRole('textbox', { name: 'Values' }).nth(at), values as string);
      await keyboard.press('Enter');
    }
    const sentence = await editor.getByRole('status', { name: 'In words' }).innerText();
    expect(sentence).toMatch(/25\s?% .*appName in \(shop, store\).*sessionId in s-1/);
    await expectGood(page, 'the editor of a strategy in the dark');
    await keyboard.activate(editor.getByRole('button', { name: 'Done' }));
    await keyboard.activate(card.getByRole('switch', { name: 'rolled in development' }), 'Space');
    await keyboard.activate(card.getByRole('button', { name: 'Review' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What changes').waitFor();
    await expectGood(page, 'the review in the dark');
    await keyboard.activate(dialog.getByRole('button', { name: 'Save', exact: true }));
    await dialog.waitFor({ state: 'detached' });

    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    let on = 0;
    for (let id = 0; id < 1_000; id++) {
      const context = { userId: `user-${id}`, appName: ['shop', 'store', 'other'][id % 3], sessionId: `s-${id % 2}` };
      if (!sdk.isEnabledNow('rolled', context)) continue;
      on++;
      expect([context.appName !== 'other', context.sessionId], JSON.stringify(context)).toEqual([true, 's-1']);
    }
    sdk.end();
    // A quarter of the third of the contexts that meet both constraints.
    expect(on).toBeGreaterThan(40);
    expect(on).toBeLessThan(130);
  });

  it('makes a draft of a change request, sends it to review, takes it back, and sends it again', async () => {
    const { service } = world;
    const [AUTHOR, PROJECT] = [201, 'guarded'];
    await putUser(service, AUTHOR, { name: 'Grace', username: 'grace' });
    await accepted(service, 'createProject', { body: { id: PROJECT, name: 'Guarded' } });
    const { body: access } = await accepted(service, 'getProjectAccess', { params: { projectId: PROJECT } });
    const owner = access.roles.find(({ name }: { name: string }) => name === 'Owner').id;
    await accepted(service, 'addAccessToProject', {
      params: { projectId: PROJECT },
      body: { roles: [owner], groups: [], users: [AUTHOR] },
    });
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params: { projectId: PROJECT, environment: 'production' },
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    await accepted(service, 'createFeature', { params: { projectId: PROJECT }, body: { name: 'launch' } });

    const { page, keyboard } = await openSmall(`/projects/${PROJECT}/features/launch`, AUTHOR);
    const card = page.getByRole('region', { name: 'production' });
    await keyboard.activate(card.getByRole('switch', { name: 'launch in production' }), 'Space');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What changes').waitFor();
    await expectGood(page, 'the review of a protected environment in the dark');
    await keyboard.activate(dialog.getByRole('button', { name: 'Add to a change request' }));
    await dialog.waitFor({ state: 'detached' });
    const as = { token: null, headers: await browserOf(service, AUTHOR), params: { projectId: PROJECT } };
    const requests = async () =>
      (await accepted(service, 'getPendingChangeRequestsForUser', as)).body as { id: number; state: string }[];
    const [made] = await requests();
    expect(made?.state).toBe('Draft');

    await page.goto(`${secureUrl()}/projects/${PROJECT}/change-requests/${made?.id}`);
    const [main, heading] = [page.getByRole('main'), page.getByRole('heading', { level: 1 })];
    const send = async () => {
      await keyboard.activate(main.getByRole('button', { name: 'Send to review' }));
      await keyboard.activate(dialog.getByRole('button', { name: 'Send to review' }));
      await heading.getByText('In review').waitFor();
      expect((await requests())[0]?.state).toBe('In review');
    };
    await heading.getByText('Draft').waitFor();
    await expectGood(page, 'a draft in the dark');
    await send();
    await keyboard.activate(page.getByRole('button', { name: 'More actions' }));
    await keyboard.press('ArrowDown');
    const item = page.getByRole('menuitem', { name: 'Take back' });
    await item.waitFor();
    for (let count = 0; count < 5 && !(await isFocused(item)); count++) await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await keyboard.activate(dialog.getByRole('button', { name: 'Take back' }));
    await heading.getByText('Draft').waitFor();
    expect((await requests())[0]?.state).toBe('Draft');
    await send();
    const params = { projectId: PROJECT, featureName: 'launch', environment: 'production' };
    expect((await accepted(service, 'getFeatureEnvironment', { params })).body.enabled).toBe(false);
  });
});
