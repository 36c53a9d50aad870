import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
});

const open = async (path: string, width = 1280): Promise<Page> =>
  (await world.browser.open(world.service.url, path, { signedOn, width })).page;

const screensOf = (page: Page) => page.getByRole('navigation', { name: 'Screens' });
const isCut = (list: Locator) => list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight);

describe('the side bar', () => {
  it('has what is daily, and one entry for each other group; all of it fits into 900 px', async () => {
    const page = await open('/');
    const screens = screensOf(page);
    await screens.getByRole('button', { name: 'People' }).waitFor();
    expect(await screens.getByRole('link').allInnerTexts()).toEqual([
      'Home',
      'Flags',
      'Projects',
      'Change requests',
      'Playground',
      'Recent changes',
      'Audit log',
    ]);
    expect(await screens.getByRole('button').allInnerTexts()).toEqual(['Use', 'Configure', 'People', 'Admin']);
    expect(await isCut(screens)).toBe(false);
    await expectAccessible(page, 'the side bar');
  });

  it('opens one group at a time, by keyboard, and the group of the screen by itself', async () => {
    const page = await open('/');
    const screens = screensOf(page);
    const keyboard = new Keyboard(page);
    await keyboard.activate(screens.getByRole('button', { name: 'People' }));
    await screens.getByRole('link', { name: 'Users' }).waitFor();
    await keyboard.activate(screens.getByRole('button', { name: 'Admin' }));
    await screens.getByRole('link', { name: 'Banners' }).waitFor();
    expect(await screens.getByRole('link', { name: 'Users' }).count()).toBe(0);
    // The longest group is open.
    expect(await isCut(screens)).toBe(false);
    await keyboard.activate(screens.getByRole('link', { name: 'Banners' }));
    await page.getByRole('heading', { level: 1, name: 'Banners' }).waitFor();
    expect(await screens.getByRole('link', { name: 'Banners' }).getAttribute('aria-current')).toBe('page');
    await screens.getByRole('link', { name: 'Flags' }).click();
    await screens.getByRole('link', { name: 'Banners' }).waitFor({ state: 'detached' });
    await page.goto(`${world.service.url}/segments`);
    await screens.getByRole('link', { name: 'Segments' }).and(page.locator('[aria-current=page]')).waitFor();
  });
});

describe('a project', () => {
  const TABS = ['Flags', 'Change requests', 'Health', 'Access', 'Settings'];

  it.each([1280, 360])('is one screen with one row of tabs, at %i px', async (width) => {
    const page = await open('/projects/default', width);
    const tabs = page.getByRole('navigation', { name: 'Parts of the project' });
    for (const name of [...TABS, 'Flags']) {
      await tabs.getByRole('link', { name, exact: true }).click();
      await tabs.getByRole('link', { name, exact: true }).and(page.locator('[aria-current=page]')).waitFor();
      await page.getByRole('heading', { level: 1, name: 'Default', exact: true }).waitFor();
      expect(await tabs.getByRole('link').allInnerTexts()).toEqual(TABS);
      expect(await page.getByRole('main').getByRole('tablist').count()).toBe(0);
      expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(width);
    }
    await expectAccessible(page, 'a project');
  });
});

describe('an address that is none', () => {
  it('shows the page, which says that there is nothing', async () => {
    const guarded = await world.browser.open(world.service.url, '/', { signedOn });
    guarded.allow(404);
    await guarded.page.goto(`${world.service.url}/projcts/default`);
    await guarded.page.getByText('There is nothing at this address.').waitFor();
    await guarded.page.getByRole('link', { name: 'Go to the flags' }).click();
    await guarded.page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
  });
});
