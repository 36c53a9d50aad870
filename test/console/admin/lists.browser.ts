import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { panelOf } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  for (const name of ['zone', 'plan']) await accepted(world.service, 'createContextField', { body: { name } });
});

const open = async (path: string): Promise<Page> =>
  (await world.browser.open(world.service.url, path, { signedOn })).page;
const names = (page: Page) => page.getByRole('grid').locator('code').allTextContents();

describe('a list of objects', () => {
  it('has the order of the service until a column sorts it', async () => {
    const page = await open('/context');
    await page.getByRole('row', { name: 'zone' }).waitFor();
    const before = await names(page);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await expect.poll(() => names(page)).toEqual(before.toSorted((a, b) => a.localeCompare(b)));
    expect(page.url()).toContain('sort=name');
  });

  it('says that an object of an address does not exist', async () => {
    const page = await open('/context/edit/nowhere');
    await page.getByRole('link', { name: 'Go to the flags' }).waitFor();
  });

  it('stays when the object whose panel is open is deleted', async () => {
    const page = await open('/context/edit/plan');
    await panelOf(page).getByRole('textbox', { name: 'Description' }).waitFor();
    await page.getByRole('button', { name: 'Actions for plan' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => names(page)).not.toContain('plan');
    expect(await names(page)).toContain('zone');
    expect(await page.locator('[data-inspector]').count()).toBe(0);
  });

  it('is where Back leads from the screen of an object', async () => {
    const { body } = await accepted(world.service, 'createSignalEndpoint', { body: { name: 'pager' } });
    const page = await open('/signals');
    await page.getByRole('row', { name: 'pager' }).click();
    await page.waitForURL(`**/signals/${body.id}`);
    await page.goBack();
    await page.getByRole('row', { name: 'pager' }).waitFor();
  });
});
