import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { browserOf } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { isFocused, Keyboard } from '../support/keyboard.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAGS = 40;
let signedOn: Record<string, string>;

/** Flags of two projects: every second is in `shop`, every third has a tag, every fourth is stale, every fifth is on in development. */
beforeAll(async () => {
  const { service } = world;
  const flags = new Flags(service);
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
  for (let index = 0; index < FLAGS; index++) {
    const projectId = index % 2 === 0 ? 'shop' : 'default';
    const featureName = `flag-${String(index).padStart(3, '0')}`;
    await flags.call('createFeature', { projectId }, { name: featureName });
    if (index % 3 === 0) await flags.call('addTag', { featureName }, { type: 'simple', value: 'payments' });
    if (index % 4 === 0)
      await flags.call('patchFeature', { projectId, featureName }, [{ op: 'replace', path: '/stale', value: true }]);
    if (index % 5 === 0)
      await flags.call('toggleFeatureEnvironmentOn', { projectId, featureName, environment: 'development' });
  }
  signedOn = await browserOf(service, ADMIN.id);
});

const openList = (query = '') => world.browser.open(world.service.url, `/features${query}`, { signedOn });
const grid = (page: Page) => page.getByRole('grid', { name: 'Flags' });
const rowOf = (page: Page, name: string) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) });
const switchOf = (page: Page, name: string, environment: string) =>
  page.getByRole('switch', { name: `${name} in ${environment}`, exact: true });
const count = (page: Page) => page.getByRole('main').getByRole('status').first().innerText();

async function shownNames(page: Page): Promise<string[]> {
  return grid(page).getByRole('link').allInnerTexts();
}

async function searched(query: string): Promise<{ names: string[]; total: number }> {
  const { body } = await world.service.call('searchFeatures', { query: `${query}&limit=100&sortBy=name` });
  return { names: body.features.map(({ name }: { name: string }) => name), total: body.total };
}

async function isOn(name: string, environment: string): Promise<boolean> {
  const { body } = await world.service.call('getFeatureEnvironment', {
    params: { projectId: 'default', featureName: name, environment },
  });
  return body.enabled;
}

/** Opens a filter and checks one of its values, by keyboard. */
async function choose(page: Page, keyboard: Keyboard, filter: string, value: string): Promise<void> {
  await keyboard.activate(page.getByRole('search').getByRole('button', { name: filter, exact: true }));
  const box = page.getByRole('checkbox', { name: value, exact: true });
  await keyboard.activate(box, 'Space');
  await expect.poll(() => box.isChecked()).toBe(true);
  await keyboard.press('Escape');
}

describe('journey 9K: filters, by keyboard alone', () => {
  it('show the flags that the search of the API finds, also after a reload and in another window', async () => {
    const { page } = await openList();
    await rowOf(page, 'flag-000').waitFor();
    await expect.poll(() => count(page)).toBe(`${FLAGS} flags`);
    const keyboard = new Keyboard(page);
    await choose(page, keyboard, 'Project', 'Shop');
    await choose(page, keyboard, 'Tag', 'simple:payments');
    await choose(page, keyboard, 'State', 'Stale');
    const found = await searched('project=IS:shop&tag=INCLUDE:simple:payments&state=IS:stale');
    expect(found.names.length).toBeGreaterThan(1);
    await expect.poll(() => shownNames(page)).toEqual(found.names);
    await choose(page, keyboard, 'Environment', 'On in development');
    const narrower = await searched(
      'project=IS:shop&tag=INCLUDE:simple:payments&state=IS:stale&status[]=development:enabled',
    );
    expect(narrower.total).toBeLessThan(found.total);
    expect(narrower.total).toBeGreaterThan(0);
    await expect.poll(() => shownNames(page)).toEqual(narrower.names);
    expect(await count(page)).toBe(`${narrower.total} of ${FLAGS} flags`);

    await page.reload();
    await expect.poll(() => shownNames(page)).toEqual(narrower.names);
    const { page: other } = await openList(new URL(page.url()).search);
    await expect.poll(() => shownNames(other)).toEqual(narrower.names);
    expect(await count(other)).toBe(`${narrower.total} of ${FLAGS} flags`);
    await expectAccessible(other, 'the list with filters');
  });

  it('find a flag by a part of its name, and say when nothing matches', async () => {
    const { page } = await openList();
    await rowOf(page, 'flag-000').waitFor();
    const keyboard = new Keyboard(page);
    await keyboard.fill(page.getByRole('searchbox', { name: 'Filter flags' }), 'g-017');
    await expect.poll(() => shownNames(page)).toEqual(['flag-017']);
    await keyboard.type('x');
    await page.getByText('No flag matches these filters.').waitFor();
    await expectAccessible(page, 'the list without a match');
    await keyboard.press('Escape');
    await expect.poll(() => count(page)).toBe(`${FLAGS} flags`);
  });
});

describe('journey 10: a change by another session', () => {
  it('appears in the row without a reload, and the focus stays where it was', async () => {
    const { page } = await openList();
    const target = switchOf(page, 'flag-001', 'development');
    await target.waitFor();
    await target.focus();
    expect(await target.getAttribute('aria-checked')).toBe('false');
    const params = { projectId: 'default', featureName: 'flag-001', environment: 'development' };
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    await expect.poll(() => target.getAttribute('aria-checked')).toBe('true');
    expect(await isFocused(target)).toBe(true);
    await accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'another-one' } });
    await rowOf(page, 'another-one').waitFor();
    expect(await isFocused(target)).toBe(true);
    await accepted(world.service, 'archiveFeature', { params: { projectId: 'default', featureName: 'another-one' } });
    await rowOf(page, 'another-one').waitFor({ state: 'detached' });
    expect(await isFocused(target)).toBe(true);
  });
});

describe('a page that is not shown', () => {
  const show = (page: Page, isShown: boolean) =>
    page.evaluate(`{
      Object.defineProperty(document, 'hidden', { value: ${!isShown}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }`);

  it('reads nothing when flags change, and has the changes when it is shown again', async () => {
    const [{ page }, { page: other }] = [await openList(), await openList()];
    const [target, seen] = [page, other].map((one) => switchOf(one, 'flag-009', 'development')) as [Locator, Locator];
    await Promise.all([target.waitFor(), seen.waitFor()]);
    await show(page, false);
    const read: string[] = [];
    page.on('request', (request) => read.push(request.url()));
    const params = { projectId: 'default', featureName: 'flag-009', environment: 'development' };
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    await expect.poll(() => seen.getAttribute('aria-checked')).toBe('true');
    expect([read, await target.getAttribute('aria-checked')]).toEqual([[], 'false']);
    await show(page, true);
    await expect.poll(() => target.getAttribute('aria-checked')).toBe('true');
  });
});

describe('journey 11K: a switch in development, by keyboard alone', () => {
  it('is on in the row, on the server and in an SDK, and undo restores it', async () => {
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const { page } = await openList();
    const row = rowOf(page, 'flag-003');
    await row.waitFor();
    const target = switchOf(page, 'flag-003', 'development');
    expect([await isOn('flag-003', 'development'), await sdk.isEnabled('flag-003')]).toEqual([false, false]);
    const keyboard = new Keyboard(page);
    await keyboard.tabTo(grid(page).locator('[role=row][tabindex="0"]'));
    for (let moves = 0; moves < FLAGS && !(await isFocused(row)); moves++) await keyboard.press('ArrowDown');
    expect(await isFocused(row)).toBe(true);
    for (let moves = 0; moves < 10 && !(await isFocused(target)); moves++) await keyboard.press('ArrowRight');
    expect(await isFocused(target)).toBe(true);
    await keyboard.press('Space');
    await expect.poll(() => target.getAttribute('aria-checked')).toBe('true');
    // The receipt stays while it has the focus.
    await keyboard.tabTo(page.getByRole('button', { name: 'Undo' }));
    await expect.poll(() => isOn('flag-003', 'development')).toBe(true);
    expect(await sdk.isEnabled('flag-003')).toBe(true);

    await keyboard.press('Enter');
    await page.locator('button:not([aria-busy])', { hasText: /^Undo r\d+$/ }).waitFor();
    await keyboard.press('Control+Enter');
    await expect.poll(() => target.getAttribute('aria-checked')).toBe('false');
    await expect.poll(() => isOn('flag-003', 'development')).toBe(false);
    expect(await sdk.isEnabled('flag-003')).toBe(false);
    sdk.end();
  });
});

describe('journey 12K: a switch in production, by keyboard alone', () => {
  it('names the difference and the environment first; Cancel changes nothing, saving does', async () => {
    const { page } = await openList();
    const target = switchOf(page, 'flag-007', 'production');
    await target.waitFor();
    const keyboard = new Keyboard(page);
    const ask = async () => {
      await target.focus();
      await keyboard.press('Space');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('What changes').waitFor();
      return dialog;
    };
    const dialog = await ask();
    expect(await dialog.innerText()).toContain('flag-007');
    expect(await dialog.innerText()).toContain('production');
    await expectAccessible(page, 'the dialog before a save to production');
    await keyboard.activate(dialog.getByRole('button', { name: 'Cancel' }));
    await dialog.waitFor({ state: 'detached' });
    expect([await isOn('flag-007', 'production'), await target.getAttribute('aria-checked')]).toEqual([false, 'false']);
    expect(await isFocused(target)).toBe(true);

    const again = await ask();
    await keyboard.fill(again.getByLabel('Why?'), 'The release of today');
    await keyboard.activate(again.getByRole('button', { name: 'Save to production' }));
    await again.waitFor({ state: 'detached' });
    await expect.poll(() => isOn('flag-007', 'production')).toBe(true);
    await expect.poll(() => target.getAttribute('aria-checked')).toBe('true');
    const { body } = await world.service.call('getEvents', { query: 'limit=1' });
    expect(body.events[0].createdBy).toBe(ADMIN.email);
    expect(JSON.stringify(body.events[0])).toContain('The release of today');
  });
});

describe('the tags of a flag', () => {
  it('are shown whole or not at all, and can be read in each case', async () => {
    const tags = ['owner:a-team-with-a-long-name', 'payments', 'quarter:the-fourth'];
    await accepted(world.service, 'createTagType', { body: { name: 'owner' } });
    await accepted(world.service, 'createTagType', { body: { name: 'quarter' } });
    for (const tag of tags.filter((one) => one.includes(':'))) {
      const [type, value] = tag.split(':');
      await accepted(world.service, 'addTag', { params: { featureName: 'flag-003' }, body: { type, value } });
    }
    const { page } = await openList();
    const seen = new Set<number>();
    for (const width of [768, 860, 1024, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const row = rowOf(page, 'flag-003');
      await row.waitFor();
      const shown = row.locator(tags.map((tag) => `[title="${tag}"]`).join());
      const pills = await shown.evaluateAll((all) =>
        all.map((pill) => {
          const box = pill.getBoundingClientRect();
          const at = (x: number) => pill.contains(pill.ownerDocument.elementFromPoint(x, box.top + box.height / 2));
          return { isBegun: at(box.left + 2), isEnded: at(box.right - 2) };
        }),
      );
      expect(pills).toHaveLength(2);
      for (const { isBegun, isEnded } of pills) expect(isBegun).toBe(isEnded);
      seen.add(pills.filter(({ isEnded }) => isEnded).length);
      for (const tag of tags) expect(await row.getByRole('link').getAttribute('title')).toContain(tag);
    }
    expect([...seen].sort()).toEqual([0, 1, 2]);
  });
});
