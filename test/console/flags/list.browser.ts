import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, flag, prepare, switchedOn } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const STRANGER = 210;
const REGIONS = Array.from({ length: 48 }, (_, index) => `region-${String(index).padStart(2, '0')}`);
const ALL = ['development', 'production', ...REGIONS];
/** 24 characters. */
const LONG = 'checkout.payment-methods';
const DAY_MS = 86_400_000;
let signedOn: Record<string, string>;

/** A project with 50 environments and 40 flags, one with three environments and three flags, and a private one. */
beforeAll(async () => {
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  await putUser(service, STRANGER, { username: 'sam', email: 'sam@example.org', rootRole: 3 });
  await prepare(service, (draft) => {
    const project = draft.get('projects', 'default');
    const environment = draft.get('environments', 'development');
    if (!project || !environment) throw new Error('there is no project');
    for (const [index, name] of REGIONS.entries())
      draft.put('environments', { ...environment, name, type: 'test', sortOrder: 100 + index });
    draft.put('projects', { ...project, environments: ALL });
    const own = ['development', 'region-40', 'production'];
    draft.put('projects', { ...project, id: 'shop', name: 'Shop', environments: own });
    draft.put('projects', { ...project, id: 'secret', name: 'Secret', mode: 'private', environments: own });
    for (let index = 0; index < 40; index++)
      draft.put(
        'features',
        flag(`wide-${String(index).padStart(2, '0')}`, { environments: [switchedOn('region-47')] }),
      );
    const tags = [{ type: 'simple', value: 'payments' }];
    draft.put('features', flag(LONG, { project: 'shop', stale: true, tags }));
    for (const name of ['shop-1', 'shop-2'])
      draft.put('features', flag(name, { project: 'shop', environments: [switchedOn('region-40')] }));
    draft.put('features', flag('secret-plan', { project: 'secret' }));
  });
  const { flagUse } = service.running.services;
  for (const [index, name] of ['wide-07', 'shop-1', 'wide-03'].entries())
    flagUse.note(name, 'development', { yes: 1, no: 0, hourMs: 0, seenMs: Date.now() - (3 - index) * DAY_MS });
});

const open = (query = '', width = 1280) =>
  world.browser.open(world.service.url, `/features${query}`, { signedOn, width });
const grid = (page: Page) => page.getByRole('grid', { name: 'Flags' });
const row = (page: Page, name: string) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) });
const names = (page: Page) => grid(page).getByRole('link').allInnerTexts();
/** The environments with a column, sorted. */
const columns = async (page: Page) => {
  const texts = await grid(page).getByRole('columnheader').allInnerTexts();
  return texts.filter((text) => ALL.includes(text)).sort();
};
const isOn = (page: Page, name: string, environment: string) =>
  page.getByRole('switch', { name: `${name} in ${environment}`, exact: true }).getAttribute('aria-checked');
/** How many characters of the name are in view: within its cell, and not below the next one. */
const charsOf = (page: Page, name: string) =>
  page.getByRole('link', { name, exact: true }).evaluate((link) => {
    const range = link.ownerDocument.createRange();
    range.selectNodeContents(link);
    const right = link.closest('[role=gridcell]')?.getBoundingClientRect().right ?? 0;
    const { left, width } = link.getBoundingClientRect();
    const shown = Math.min(width, right - left);
    return (shown / range.getBoundingClientRect().width) * (link.textContent ?? '').length;
  });

describe('what is kept and what is not', () => {
  it('keeps the environments that the filter hides', async () => {
    const { page } = await open();
    const check = async (name: string, isOn: boolean) => {
      await page.getByRole('button', { name: /^Columns/ }).click();
      // Few environments need no search.
      if (isOn) await page.getByRole('textbox', { name: 'Find' }).fill(name);
      await page.getByRole('checkbox', { name, exact: true }).setChecked(isOn, { force: true });
      await page.keyboard.press('Escape');
    };
    await check('region-47', true);
    await expect.poll(() => columns(page)).toContain('region-47');
    // Shop does not have region-47.
    await page.goto(`${world.service.url}/features?project=shop`);
    await row(page, 'shop-1').waitFor();
    expect(await columns(page)).not.toContain('region-47');
    await check('development', false);
    await expect.poll(() => columns(page)).not.toContain('development');
    await page.goto(`${world.service.url}/features`);
    await row(page, 'wide-00').waitFor();
    expect(await columns(page)).toContain('region-47');
    expect(await columns(page)).not.toContain('development');
  });

  it('does not keep a flag selected that was archived', async () => {
    const names = ['gone-1', 'gone-2'];
    await prepare(world.service, (draft) => {
      for (const name of names) draft.put('features', flag(name, { project: 'shop' }));
    });
    const { page } = await open('?q=gone');
    await row(page, 'gone-1').waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await page.getByText('2 selected', { exact: true }).waitFor();
    await accepted(world.service, 'archiveFeature', { params: { projectId: 'shop', featureName: 'gone-1' } });
    await page.getByText('1 selected', { exact: true }).waitFor();
    await accepted(world.service, 'archiveFeature', { params: { projectId: 'shop', featureName: 'gone-2' } });
    await page.getByText('1 selected', { exact: true }).waitFor({ state: 'detached' });
  });

  it('says on home that the flags could not be read, and reads them again', async () => {
    const guarded = await world.browser.open(world.service.url, '/profile', { signedOn });
    const { page } = guarded;
    guarded.allow(500);
    await page.route('**/api/admin/flag-index*', (route) => route.fulfill({ status: 500, body: '{}' }), { times: 1 });
    await page.goto(world.service.url);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'What changed' }).waitFor();
  });
});

describe('50 environments', () => {
  it('have columns for those that most flags have, and names have 24 characters at each width', async () => {
    const { page } = await open();
    await row(page, 'wide-00').waitFor();
    // Both projects have development, region-40 and production; the others are the first ones.
    expect(await columns(page)).toEqual([
      'development',
      'production',
      'region-00',
      'region-01',
      'region-02',
      'region-40',
    ]);
    await page.getByRole('button', { name: 'Columns · 6 of 50' }).waitFor();
    for (const width of [1920, 1440, 1280, 1024, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await row(page, LONG).waitFor();
      await expect.poll(() => charsOf(page, LONG)).toBeGreaterThanOrEqual(24);
      const scrolls = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      expect(await page.evaluate(scrolls), String(width)).toBe(false);
    }
  });

  it('are chosen by the person; the browser keeps the choice, and the names stay while the table scrolls sideways', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Columns · 6 of 50' }).click();
    const find = page.getByRole('textbox', { name: 'Find' });
    for (const name of ['region-45', 'region-46', 'region-47']) {
      await find.fill(name);
      await page.getByRole('checkbox', { name, exact: true }).check({ force: true });
    }
    await expectAccessible(page, 'the choice of environments', true);
    await page.keyboard.press('Escape');
    const chosen = [
      'development',
      'production',
      'region-00',
      'region-01',
      'region-02',
      'region-40',
      'region-45',
      'region-46',
    ];
    await expect.poll(() => columns(page)).toEqual([...chosen, 'region-47']);
    await page.reload();
    await row(page, 'wide-00').waitFor();
    expect(await columns(page)).toEqual([...chosen, 'region-47']);
    await page.setViewportSize({ width: 900, height: 800 });
    const last = page.getByRole('switch', { name: `wide-00 in region-47`, exact: true });
    await last.focus();
    expect(await grid(page).evaluate((element) => element.scrollLeft > 0)).toBe(true);
    const inView = await page.getByRole('link', { name: 'wide-00', exact: true }).evaluate((link) => {
      const { left, top } = link.getBoundingClientRect();
      return link.ownerDocument.elementFromPoint(left + 4, top + 8) === link;
    });
    expect(inView).toBe(true);
    await expectAccessible(page, 'the list that scrolls sideways');
    // Another list has its own choice; without one, it has those of the project.
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${world.service.url}/projects/shop`);
    await row(page, 'shop-1').waitFor();
    expect(await columns(page)).toEqual(['development', 'production', 'region-40']);
  });

  it('are those of the project that the filter shows', async () => {
    const { page } = await open('?project=shop');
    await row(page, 'shop-1').waitFor();
    expect(await columns(page)).toEqual(['development', 'production', 'region-40']);
    expect([await isOn(page, 'shop-1', 'region-40'), await isOn(page, LONG, 'region-40')]).toEqual(['true', 'false']);
  });
});

describe('the differences of the index', () => {
  it('are in the stream, so that nothing is read after a change: flags come, change, leave', async () => {
    const { page } = await open('?project=shop');
    await row(page, 'shop-1').waitFor();
    const read: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/admin/flag-index')) read.push(request.url());
    });
    const at = { projectId: 'shop', featureName: 'shop-2' };
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params: { ...at, environment: 'development' } });
    await expect.poll(() => isOn(page, 'shop-2', 'development')).toBe('true');
    await accepted(world.service, 'addTag', { params: at, body: { type: 'simple', value: 'urgent' } });
    await row(page, 'shop-2').getByTitle('urgent', { exact: true }).waitFor();
    await accepted(world.service, 'createFeature', { params: { projectId: 'shop' }, body: { name: 'shop-3' } });
    await row(page, 'shop-3').waitFor();
    await accepted(world.service, 'archiveFeature', { params: { projectId: 'shop', featureName: 'shop-3' } });
    await row(page, 'shop-3').waitFor({ state: 'detached' });
    expect(await names(page)).toEqual([LONG, 'shop-1', 'shop-2']);
    expect(read).toEqual([]);
  });

  it('have a flag as potentially stale when the lifetime of its type becomes shorter', async () => {
    const { page } = await open('?project=shop');
    await row(page, 'shop-1').waitFor();
    const mark = row(page, 'shop-1').getByRole('img', { name: 'Potentially stale' });
    const setLifetime = (lifetimeDays: number) =>
      accepted(world.service, 'updateFeatureTypeLifetime', { params: { id: 'release' }, body: { lifetimeDays } });
    await setLifetime(20_000);
    await mark.waitFor({ state: 'detached' });
    await setLifetime(1);
    await mark.waitFor();
  });

  it('show a flag only to people with a role in its private project, also after a change of rights', async () => {
    const cookie = await browserOf(world.service, STRANGER);
    const opened = await world.browser.open(world.service.url, '/features?q=secret', { signedOn: cookie });
    // With fewer rights, the page reads once what it was allowed to read until then.
    opened.allow(403);
    const { page } = opened;
    await page.getByText('No flag matches these filters.').waitFor();
    const grant = { roles: [5], groups: [], users: [STRANGER] };
    await accepted(world.service, 'addAccessToProject', { params: { projectId: 'secret' }, body: grant });
    await row(page, 'secret-plan').waitFor();
    const params = { projectId: 'secret', id: STRANGER };
    await accepted(world.service, 'removeAccessOfProjectUser', { params });
    await row(page, 'secret-plan').waitFor({ state: 'detached' });
  });
});

describe('a load that fails', () => {
  it('says so where nothing was read yet, and reads when asked again', async () => {
    const opened = await world.browser.open(world.service.url, '/profile', { signedOn });
    const { page } = opened;
    opened.allow(500);
    let fails = true;
    await page.route('**/api/admin/flag-index**', (route) =>
      fails ? route.fulfill({ status: 500, json: { message: 'The index is broken.' } }) : route.continue(),
    );
    await page.goto(`${world.service.url}/features`);
    await page.getByText('The index is broken.').waitFor();
    await expectAccessible(page, 'a list that could not be read');
    fails = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'wide-00').waitFor();
    expect(await page.getByText('The index is broken.').count()).toBe(0);
  });

  it('leaves what there is, says from when it is, and continues with the next change', async () => {
    const opened = await open('?project=shop');
    const { page } = opened;
    opened.allow(500);
    await row(page, 'shop-1').waitFor();
    let fails = true;
    await page.route('**/api/admin/flag-index**', (route) =>
      fails ? route.fulfill({ status: 500, json: { message: 'The index is broken.' } }) : route.continue(),
    );
    const params = { projectId: 'shop', featureName: 'shop-1', environment: 'development' };
    // The lifetime of a type is a part of all rows: they are read again.
    const type = { params: { id: 'experiment' }, body: { lifetimeDays: 50 } };
    await accepted(world.service, 'updateFeatureTypeLifetime', type);
    await page.getByText(/^The list is as it was at \d\d:\d\d\. The index is broken\.$/).waitFor();
    expect(await names(page)).toEqual([LONG, 'shop-1', 'shop-2']);
    fails = false;
    // What the stream has of this change is not enough.
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    await expect.poll(() => isOn(page, 'shop-1', 'development')).toBe('true');
    await expect.poll(() => page.getByText('The index is broken.').count()).toBe(0);
  });

  it('leaves the rows if the last use cannot be read', async () => {
    const opened = await world.browser.open(world.service.url, '/profile', { signedOn });
    const { page } = opened;
    opened.allow(500);
    let fails = true;
    await page.route('**/api/admin/search/features**', (route) =>
      fails ? route.fulfill({ status: 500, json: { message: 'The search is broken.' } }) : route.continue(),
    );
    await page.goto(`${world.service.url}/features?sort=lastSeenAt:desc`);
    await page.getByText('Not all times of the last use could be read. The search is broken.').waitFor();
    await row(page, 'wide-00').waitFor();
    expect(await row(page, 'wide-00').innerText()).not.toContain('never');
    // What is not known is not taken for "no SDK asks for it".
    await row(page, 'wide-03').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Archive…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Whether SDKs still ask for it is not known. The search is broken.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row(page, 'wide-03').getByRole('checkbox').uncheck();
    fails = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(['wide-03', 'shop-1', 'wide-07']);
    const { body } = await accepted(world.service, 'searchFeatures', {
      query: 'sortBy=lastSeenAt&sortOrder=desc&limit=3',
    });
    expect(body.features.map(({ name }: { name: string }) => name)).toEqual(['wide-03', 'shop-1', 'wide-07']);
  });
});
