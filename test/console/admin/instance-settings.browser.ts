import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { panelOf } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const VIEWER = 301;
let admin: Record<string, string>;
let viewer: Record<string, string>;

beforeAll(async () => {
  await putUser(world.service, VIEWER, { name: 'Vic', username: 'vic', rootRole: 3 });
  admin = await browserOf(world.service, ADMIN.id);
  viewer = await browserOf(world.service, VIEWER);
});

const open = async (path: string, signedOn = admin) =>
  (await world.browser.open(world.service.url, path, { signedOn })).page;
const bodyOf = async (operationId: string, options: object = {}) =>
  (await accepted(world.service, operationId, options)).body;

describe('banners', () => {
  const banners = async () => (await bodyOf('getBanners')).banners;

  it('a banner is previewed as it will look, created, and seen by others at once', async () => {
    const other = await open('/projects', viewer);
    const page = await open('/admin/banners');
    await page.getByRole('button', { name: 'Create banner' }).first().click();
    const panel = panelOf(page);
    const preview = panel.locator('section').filter({ hasText: 'How it looks' });
    await panel.getByLabel('Message').fill('Down at **noon**, see [the plan](javascript:alert(1))');
    await preview.locator('strong').getByText('noon').waitFor();
    // An address that would run a script is no link.
    expect(await preview.getByRole('link').count()).toBe(0);
    await panel.getByRole('radio', { name: 'Dialog' }).check();
    await panel.getByLabel('Text of the button').fill('Details');
    await panel.getByLabel('Text of the dialog').fill('Back at one.\n\n- All flags stay\n- `SDKs` notice nothing');
    await preview.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('dialog').getByText('All flags stay').waitFor();
    await expectAccessible(page, 'the dialog of a banner');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await panel.getByLabel('People cannot close it').check();
    await expectAccessible(page, 'the form of a banner');
    await panel.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Banner created').first().waitFor();
    expect(await banners()).toMatchObject([
      { enabled: true, sticky: true, variant: 'info', link: 'dialog', linkText: 'Details', dialogTitle: 'Details' },
    ]);
    const notices = other.getByRole('region', { name: 'Status of the service' });
    await notices.locator('strong').getByText('noon').waitFor();
    await notices.getByRole('button', { name: 'Details' }).click();
    await other.getByRole('dialog').getByText('All flags stay').waitFor();
  });

  it('is edited with the difference in sentences, hidden, shown and deleted', async () => {
    const page = await open('/admin/banners');
    const name = /^Actions for “Down at/;
    await page.getByRole('button', { name }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const panel = panelOf(page);
    await panel.getByLabel('Message').fill('Down at one');
    await panel.getByText(/Message: .* → Down at one/).waitFor();
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Banner saved').first().waitFor();
    expect(await banners()).toMatchObject([{ message: 'Down at one', link: 'dialog', sticky: true }]);

    const dialog = page.getByRole('dialog');
    await page.getByRole('switch', { name: 'Show “Down at one”' }).click();
    await dialog.getByText('It disappears for everyone at once.').waitFor();
    await expectAccessible(page, 'the dialog that hides a banner');
    await dialog.getByRole('button', { name: 'Hide' }).click();
    await page.getByText('The banner is hidden').first().waitFor();
    expect(await banners()).toMatchObject([{ enabled: false }]);
    await page.getByRole('switch', { name: 'Show “Down at one”' }).click();
    await dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('The banner is shown').first().waitFor();
    expect(await banners()).toMatchObject([{ enabled: true }]);
    await page.getByRole('button', { name }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no banner.').waitFor();
    expect(await banners()).toEqual([]);
  });
});

describe('origins', () => {
  const origins = async () => (await bodyOf('getUiConfig')).frontendApiOrigins;

  it('are listed, a wrong one is named, and the difference is in sentences', async () => {
    const page = await open('/admin/cors');
    await page.getByText('Every origin is allowed.').waitFor();
    await page.getByRole('button', { name: 'Edit origins' }).click();
    const panel = panelOf(page);
    await panel.getByRole('radio', { name: 'These origins' }).check();
    await panel.getByRole('textbox', { name: 'Origins' }).fill('https://app.example.com/path');
    await panel.getByText('https://app.example.com/path is not an origin').waitFor();
    await panel.getByRole('textbox', { name: 'Origins' }).fill('HTTPS://app.example.com\nhttp://localhost:3000');
    await panel.getByText(/Only pages of https:\/\/app.example.com, http:\/\/localhost:3000 may call/).waitFor();
    await panel.getByLabel('Why?').fill('Only our pages');
    await expectAccessible(page, 'the form of origins');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Origins saved').first().waitFor();
    expect(await origins()).toEqual(['https://app.example.com', 'http://localhost:3000']);

    await page.getByRole('button', { name: 'Edit origins' }).click();
    await panel.getByRole('radio', { name: 'No origin' }).check();
    await panel.getByText('No page of another address may call').waitFor();
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No origin is allowed').waitFor();
    expect(await origins()).toEqual([]);
    await accepted(world.service, 'setCors', { body: { frontendApiOrigins: ['*'] } });
    // The stream of changes brings it.
    await page.getByText('Every origin is allowed.').waitFor();
  });
});

describe('maintenance', () => {
  it('names its consequences, refuses changes, and is switched off again', async () => {
    const guarded = await world.browser.open(world.service.url, '/admin/maintenance', { signedOn: admin });
    const { page } = guarded;
    await page.getByText('Scheduled change requests wait, and are applied').waitFor();
    await page.getByRole('button', { name: 'Switch maintenance on' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Every change is refused with 503').waitFor();
    await dialog.getByLabel('Why?').fill('Move to another store');
    await expectAccessible(page, 'the dialog that switches maintenance on');
    await dialog.getByRole('button', { name: 'Switch maintenance on' }).click();
    await page.getByRole('button', { name: 'Switch maintenance off' }).waitFor();
    expect(await bodyOf('getMaintenance')).toEqual({ enabled: true });
    await page.getByText('Maintenance: you can look at everything').waitFor();
    const change = await world.service.call('createTagType', { body: { name: 'later' } });
    expect(change.status).toBe(503);
    await page.getByRole('button', { name: 'Switch maintenance off' }).click();
    await dialog.getByRole('button', { name: 'Switch maintenance off' }).click();
    await page.getByRole('button', { name: 'Switch maintenance on' }).waitFor();
    expect(await bodyOf('getMaintenance')).toEqual({ enabled: false });
    await accepted(world.service, 'createTagType', { body: { name: 'later' } });
  });
});

describe('the figures of the instance', () => {
  it('equal those of the API, also after counting again', async () => {
    const page = await open('/admin/instance');
    const figure = async (label: string) =>
      (
        await page
          .locator('dt', { hasText: new RegExp(`^${label}$`) })
          .locator('xpath=following-sibling::dd[1]')
          .first()
          .innerText()
      ).split(' ')[0];
    await page.getByText('Download a backup').waitFor();
    await page.getByText('Context fields', { exact: true }).last().waitFor();
    const before = await bodyOf('getInstanceAdminStats');
    expect(await figure('Flags')).toBe(String(before.featureToggles));
    expect(await figure('Users')).toBe(String(before.users));
    expect(await figure('Strategy types')).toBe(String(before.strategies));
    await page.getByText(before.instanceId).waitFor();
    await accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'counted' } });
    await page.getByRole('button', { name: 'Read again' }).click();
    await expect.poll(() => figure('Flags')).toBe(String(before.featureToggles + 1));
    const { revision } = (await bodyOf('getReady')) as { revision: number };
    expect(Number((await figure('Revision'))?.replace(/\D/g, ''))).toBeLessThanOrEqual(revision);
    await expectAccessible(page, 'the figures of the instance');
  });

  it('a backup is downloaded with the session', async () => {
    const page = await open('/admin/instance');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download a backup' }).click(),
    ]);
    expect(await download.failure()).toBeNull();
    expect(download.suggestedFilename()).toMatch(/\w/);
  });
});
