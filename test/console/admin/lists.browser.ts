import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { panelOf } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const VIEWER = 310;
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  for (const name of ['zone', 'plan']) await accepted(world.service, 'createContextField', { body: { name } });
});

const open = async (path: string, as = signedOn): Promise<Page> =>
  (await world.browser.open(world.service.url, path, { signedOn: as })).page;
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
    for (const path of ['/context/edit/nowhere', '/context/edit/50%25', '/segments/edit/%25']) {
      const page = await open(path);
      await page.getByRole('link', { name: 'Go to the flags' }).waitFor();
    }
  });

  it('offers "Open" in place of "Edit…" to people who may not save', async () => {
    await putUser(world.service, VIEWER, { rootRole: 3 });
    const menuOf = async (page: Page) => {
      await page.getByRole('button', { name: 'Actions for zone' }).click();
      return page.getByRole('menuitem').first().innerText();
    };
    expect(await menuOf(await open('/context'))).toBe('Edit…');
    expect(await menuOf(await open('/context', await browserOf(world.service, VIEWER)))).toBe('Open');
  });

  it('begins a new object at its name', async () => {
    for (const path of ['/segments', '/context', '/admin/groups', '/strategies']) {
      const page = await open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('button', { name: /^Create / }).waitFor();
      await page.keyboard.press('c');
      const name = panelOf(page).getByRole('textbox', { name: /^Name/ });
      await expect.poll(() => name.and(page.locator(':focus')).count(), { message: path }).toBe(1);
    }
  });

  it('stays when what was created is shown, and the list is read slowly', async () => {
    const page = await open('/admin/groups');
    await page.getByRole('button', { name: 'Create group' }).click();
    await panelOf(page).getByRole('textbox', { name: 'Name' }).fill('Slow');
    let isHeld = true;
    const held: (() => Promise<void>)[] = [];
    await page.route('**/api/admin/groups', async (route) => {
      if (isHeld && route.request().method() === 'GET') held.push(() => route.continue());
      else await route.continue();
    });
    await panelOf(page).getByRole('button', { name: 'Create group' }).click();
    await page.waitForURL(/\/groups\/\d+$/);
    await page.getByText('Slow created').first().waitFor();
    expect(await page.getByRole('heading', { level: 1, name: 'Groups' }).count()).toBe(1);
    isHeld = false;
    for (const read of held) await read();
    await panelOf(page).getByRole('heading', { name: 'Slow' }).waitFor();
  });

  it('shows the difference of a text that was restored, with names that are read later', async () => {
    const { body } = await accepted(world.service, 'createGroup', { body: { name: 'Restored', users: [] } });
    const page = await open(`/admin/groups/${body.id}`);
    await panelOf(page).getByRole('combobox', { name: 'Role in the whole instance' }).click();
    await page.getByRole('option', { name: 'Editor' }).click();
    const difference = panelOf(page).getByText(/^Role in the whole instance: .*Editor/);
    await difference.waitFor();
    const held: (() => Promise<void>)[] = [];
    await page.route('**/api/admin/roles', (route) => void held.push(() => route.continue()));
    await page.reload();
    await panelOf(page).getByRole('textbox', { name: 'Name' }).waitFor();
    await expect.poll(() => held.length).toBeGreaterThan(0);
    for (const read of held) await read();
    await difference.waitFor();
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

  it('keeps a panel whose object another tab deletes: with what was typed, who did it, and with Close in place of Save', async () => {
    await accepted(world.service, 'createContextField', { body: { name: 'gone' } });
    const page = await open('/context/edit/gone');
    const panel = panelOf(page);
    const text = panel.getByRole('textbox', { name: 'Description' });
    await text.fill('Typed for long');
    const other = await open('/context');
    await other.getByRole('button', { name: 'Actions for gone' }).click();
    await other.getByRole('menuitem', { name: 'Delete…' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await panel.getByText(/^This was deleted by ada@example.org in the meantime/).waitFor();
    expect(await names(page)).not.toContain('gone');
    expect(await text.inputValue()).toBe('Typed for long');
    expect(await panel.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await expectAccessible(page, 'the panel of what was deleted');
    await panel.getByRole('button', { name: 'Close' }).last().press('Enter');
    await panel.waitFor({ state: 'detached' });
    expect(await names(page)).toContain('zone');
  });

  it('keeps the panel of an object that has a screen, too, until it is closed', async () => {
    const { body } = await accepted(world.service, 'createSignalEndpoint', { body: { name: 'short-lived' } });
    const guarded = await world.browser.open(world.service.url, `/signals/${body.id}?panel=edit`, { signedOn });
    guarded.allow(404);
    const { page } = guarded;
    const panel = panelOf(page);
    const text = panel.getByRole('textbox', { name: 'Description' });
    await text.fill('Typed for long');
    await accepted(world.service, 'deleteSignalEndpoint', { params: { id: body.id } });
    await panel.getByText('This was deleted in the meantime').waitFor();
    expect(await text.inputValue()).toBe('Typed for long');
    await panel.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: 'Go to the flags' }).waitFor();
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
