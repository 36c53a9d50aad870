import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const VIEWER = 103;
const EDITOR = 104;
let signedOn: Record<string, string>;

const on = (featureName: string, environment = 'development', projectId = 'default') =>
  accepted(world.service, 'toggleFeatureEnvironmentOn', { params: { projectId, featureName, environment } });
const create = (name: string, projectId = 'default') =>
  accepted(world.service, 'createFeature', { params: { projectId }, body: { name } });
const newest = () => world.service.running.services.state.seq;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
});

const open = (query = '', as = signedOn) =>
  world.browser.open(world.service.url, `/recent-changes${query}`, { signedOn: as });
const changes = (page: Page) => page.getByRole('list', { name: 'Changes' }).locator('> li');

describe('what changed in the last 30 minutes', () => {
  it('is empty if all changes are older', async () => {
    const { page } = await open();
    await changes(page).first().waitFor();
    await page.clock.setFixedTime(Date.now() + 3 * 3_600_000);
    await page.reload();
    await page.getByText('No flag or setting was changed in the last 30 minutes.').waitFor();
    await expectAccessible(page, 'no recent changes');
    await page.getByRole('button', { name: 'Look at 24 hours' }).click();
    await changes(page).first().waitFor();
  });

  it('shows a change of another person at once, also where it is filtered', async () => {
    const { page } = await open('?project=default&environment=production');
    await changes(page).first().waitFor();
    await create('first');
    await on('first');
    await on('first', 'production');
    await changes(page).filter({ hasText: 'on in production' }).waitFor();
    expect(await changes(page).filter({ hasText: 'in development' }).count()).toBe(0);
  });

  it('shows each change with its receipt; undo in place takes it back, and an SDK sees it', async () => {
    const { service } = world;
    await create('incident');
    const sdk = await Sdk.start(service.url, CLIENT_TOKEN);
    await on('incident');
    const revision = newest();
    expect(await sdk.isEnabled('incident')).toBe(true);
    const { page } = await open();
    const entry = changes(page).filter({ hasText: `r${revision}` });
    await entry.getByText('Flag incident: Strategy added').waitFor();
    const receipt = entry.getByRole('group', { name: 'Delivery of the change' });
    const text = receipt.getByText('given to the only SDK');
    await text.waitFor();
    const [sign, said] = await Promise.all([receipt.locator('svg').boundingBox(), text.boundingBox()]);
    expect(sign?.y).toBeLessThan((said?.y ?? 0) + (said?.height ?? 0));
    expect(sign?.y).toBeGreaterThanOrEqual(said?.y ?? 0);
    const flag = entry.getByRole('link', { name: 'incident', exact: true });
    expect(await flag.getAttribute('href')).toBe('/projects/default/features/incident');
    const { body } = await accepted(service, 'getPropagation', { params: { revision: String(revision) } });
    expect([body.concerned, body.have]).toEqual([1, 1]);
    const [dayBox, listBox] = await Promise.all([
      page.getByText('Today', { exact: true }).boundingBox(),
      page.getByRole('list', { name: 'Changes' }).boundingBox(),
    ]);
    expect(dayBox?.width, 'the line below the day is as long as the list').toBe(listBox?.width);
    await expectAccessible(page, 'recent changes');

    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    await entry.getByLabel('Why?').fill('It broke the checkout');
    await entry.getByRole('button', { name: `Undo r${revision}` }).click();
    await changes(page).filter({ hasText: 'It broke the checkout' }).waitFor();
    const undo = newest();
    await entry.getByText('Undone by ada').waitFor();
    expect(await entry.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
    await expectAccessible(page, 'a change that is undone');
    expect(await sdk.isEnabled('incident')).toBe(false);
    sdk.end();
    // What was changed back is left out of the whole.
    await page.getByText('Combined result').click();
    const together = page.locator('details').filter({ hasText: 'What is different now' });
    await together.getByRole('button', { name: /^Show \d+ more$/ }).click();
    await together.getByText('incident', { exact: true }).waitFor();
    expect(await together.innerText()).not.toContain('incident · development');
    // The undo of the undo: the change is in effect again.
    await changes(page)
      .filter({ hasText: 'It broke the checkout' })
      .getByRole('button', { name: 'Undo', exact: true })
      .click();
    await page.getByRole('button', { name: `Undo r${undo}` }).click();
    await entry.getByRole('button', { name: 'Undo', exact: true }).waitFor();
    const undone = changes(page).filter({ hasText: 'It broke the checkout' });
    await undone.getByText('Undone by ada').waitFor();
    await undone.getByRole('link', { name: `r${newest()}` }).click();
    await page.getByRole('complementary').getByText(`r${newest()}`, { exact: true }).waitFor();
  });

  it('a change that is undone only in part keeps its undo', async () => {
    const { service } = world;
    const features = ['partly', 'partly-too'];
    for (const name of features) await create(name);
    const params = { projectId: 'default', environment: 'development' };
    await accepted(service, 'bulkToggleFeaturesEnvironmentOn', { params, body: { features } });
    const revision = newest();
    const undo = (id: string) =>
      accepted(service, 'undoRevision', { params: { revision }, body: { entities: [{ type: 'feature', id }] } });
    await undo('partly');
    const { page } = await open();
    // The events of undos are read before the mark of this one.
    await accepted(service, 'undoRevision', { params: { revision: newest() } });
    await undo('partly');
    await changes(page).filter({ hasText: 'Undone by' }).first().waitFor();
    const entry = changes(page).filter({ hasText: new RegExp(`\\br${revision}\\b`) });
    await entry.getByRole('button', { name: 'Undo', exact: true }).waitFor();
    expect(await entry.innerText()).not.toContain('Undone by');
    await undo('partly-too');
    await entry.getByText('Undone by').waitFor();
    expect(await entry.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  });

  it('names the fields that are changed again before the save arrives, and undoes nothing', async () => {
    const { service } = world;
    await create('again');
    await on('again');
    const revision = newest();
    const guarded = await open();
    guarded.allow(409, 429);
    const { page } = guarded;
    // The caller has too many previews in progress.
    await page.route('**/api/admin/preview', (route) => route.fulfill({ status: 429, json: {} }));
    const entry = changes(page).filter({ hasText: `r${revision}` });
    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    const params = { projectId: 'default', featureName: 'again', environment: 'development' };
    await accepted(service, 'toggleFeatureEnvironmentOff', { params });
    const before = newest();
    await entry.getByRole('button', { name: `Undo r${revision}` }).click();
    await entry.getByText('These fields were changed again since then, so this change cannot be undone:').waitFor();
    expect(newest()).toBe(before);
  });

  it('journey: what one person did yesterday is found and undone in place', async () => {
    const { service } = world;
    await putUser(service, EDITOR, { username: 'sam', email: 'sam@example.org', name: 'Sam', rootRole: 2 });
    await create('of-sam');
    const headers = await browserOf(service, EDITOR);
    const params = { projectId: 'default', featureName: 'of-sam', environment: 'development' };
    await accepted(service, 'toggleFeatureEnvironmentOn', { params, token: null, headers });
    const { body } = await accepted(service, 'getHistory', { query: `createdBy=${EDITOR}` });
    const { page } = await open();
    await page.clock.setFixedTime(Date.parse(body.entries[0].at) + 86_400_000);
    await page.reload();
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Yesterday' }).click();
    await changes(page).filter({ hasText: 'of-sam created' }).waitFor();
    await page.getByRole('combobox', { name: 'Person' }).click();
    await page.getByRole('option', { name: 'sam@example.org' }).click();
    await page.getByText('1 change by 1 author').waitFor();
    await expectAccessible(page, 'the changes of one person on one day');
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('person'), searchParams.get('minutes')]).toEqual([String(EDITOR), 'days']);
    expect(searchParams.get('from')).toBe(searchParams.get('to'));
    await page.reload();
    const entry = changes(page).filter({ hasText: 'of-sam' });
    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    await entry.getByRole('button', { name: `Undo r${body.entries[0].revision}` }).click();
    await page
      .getByText(/^Undone: r\d+$/)
      .first()
      .waitFor();
    const { body: after } = await accepted(service, 'getFeatureEnvironment', { params });
    expect(after.enabled).toBe(false);

    // A day without changes of this person, and everyone again.
    await page.getByLabel('To', { exact: true }).fill('2020-01-02');
    await page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await page.getByText('No flag or setting that matches these filters was changed on these days.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('No flag or setting was changed on these days.').waitFor();

    // A day is read when it is complete, and two empty days are no limit.
    const days: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams: asked } = new URL(request.url());
      if (pathname === '/api/admin/history') days.push(asked.get('from')?.slice(0, 4) ?? null);
    });
    const first = page.getByLabel('From', { exact: true });
    await first.focus();
    await page.keyboard.type('12152019');
    expect(await first.inputValue()).toBe('2019-12-15');
    await page.getByLabel('To', { exact: true }).focus();
    await expect.poll(() => days).toEqual(['2019']);
    await first.fill('');
    await page.getByLabel('To', { exact: true }).fill('');
    await changes(page).filter({ hasText: 'of-sam' }).first().waitFor();
    expect(await page.getByLabel('To', { exact: true }).evaluate((input) => input.matches(':focus'))).toBe(true);
    expect(new URL(page.url()).search).toBe('?minutes=days');
  });

  it('finds what was changed today, and the changes of one flag', async () => {
    for (const name of ['of-today', 'of-today-too']) await create(name);
    await on('of-today', 'production');
    const { page } = await open();
    await changes(page).filter({ hasText: 'of-today-too created' }).waitFor();
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Today' }).click();
    await page.getByText('Time zone: UTC').waitFor();
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('from')).toBe(new Date().toISOString().slice(0, 10));
    expect(searchParams.get('to')).toBe(searchParams.get('from'));
    expect(await page.getByRole('combobox', { name: 'Time' }).innerText()).toBe('Today');
    await page.getByRole('combobox', { name: 'Flag' }).click();
    await page.keyboard.type('of-today');
    await page.getByRole('option', { name: 'of-today', exact: true }).click();
    const { body } = await accepted(world.service, 'getHistory', { query: 'type=feature&id=of-today' });
    await page.getByText(`${body.entries.length} changes by 1 author`).waitFor();
    expect(await changes(page).filter({ hasText: 'of-today-too' }).count()).toBe(0);
    await expectAccessible(page, 'the changes of one flag today');
    // With the environment, too: what has no environment stays.
    await page.getByRole('combobox', { name: 'Environment' }).click();
    await page.getByRole('option', { name: 'development' }).click();
    await expect.poll(() => changes(page).filter({ hasText: 'in production' }).count()).toBe(0);
    await changes(page).filter({ hasText: 'of-today created' }).waitFor();
  });

  it('leads to the flag as it was before the change', async () => {
    await create('earlier');
    await on('earlier');
    const revision = newest();
    const { page } = await open();
    await changes(page)
      .filter({ hasText: `r${revision}` })
      .getByRole('link', { name: /^See the flag before this change/ })
      .click();
    const development = page.getByRole('region', { name: 'development' });
    await development.waitFor();
    expect(await development.innerText()).toMatch(/^development\s+OFF/);
    expect(new URL(page.url()).searchParams.get('at')).toBe(String(revision - 1));
  });

  it('leads to the project that a flag was moved from', async () => {
    const { service } = world;
    await accepted(service, 'createProject', { body: { id: 'target', name: 'Target' } });
    await create('moved');
    await accepted(service, 'changeProject', {
      params: { projectId: 'default', featureName: 'moved' },
      body: { newProjectId: 'target' },
    });
    const revision = newest();
    // The filter of the project that it left has the change, too.
    const { page } = await open('?project=default');
    const entry = changes(page).filter({ hasText: `r${revision}` });
    await entry.getByRole('link', { name: /^See the flag before this change/ }).click();
    await page.getByRole('region', { name: 'development' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/projects/default/features/moved');
  });

  it('has the counts of the API, and filters by project', async () => {
    const { service } = world;
    await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
    await create('basket', 'shop');
    const { body } = await accepted(service, 'getHistory', { query: 'limit=50' });
    const { page } = await open();
    await changes(page).filter({ hasText: 'basket' }).first().waitFor();
    expect(await changes(page).count()).toBe(body.entries.length);
    await page.getByText(`${body.entries.length} changes by`).waitFor();
    const { page: filtered } = await open('?project=shop');
    await changes(filtered).filter({ hasText: 'basket' }).waitFor();
    expect(await changes(filtered).filter({ hasText: 'incident' }).count()).toBe(0);
  });

  it('shows a viewer no private project, and says why nothing can be undone', async () => {
    const { service } = world;
    await accepted(service, 'createProject', { body: { id: 'hidden', name: 'Hidden', mode: 'private' } });
    await create('secret', 'hidden');
    await putUser(service, VIEWER, { username: 'vera', email: 'vera@example.org', name: 'Vera', rootRole: 3 });
    const { page } = await open('', await browserOf(service, VIEWER));
    const entry = changes(page).filter({ hasText: 'earlier' }).first();
    await entry.waitFor();
    const undo = entry.getByRole('button', { name: 'Undo', exact: true });
    expect(await undo.getAttribute('aria-disabled')).toBe('true');
    await undo.hover();
    await page.getByText('You have no permission to change anything.').first().waitFor();
    expect(await page.getByText('secret').count()).toBe(0);
  });
});

describe('a day on which no flag and no setting was changed', () => {
  it('leads to the events of the day in the audit log, and to the request for exactly this time', async () => {
    const { page } = await open('?minutes=days&from=2020-01-02&to=2020-01-02&project=default');
    await page.getByText('No flag or setting that matches these filters was changed on this day.').waitFor();
    const command = await page.getByText(/^curl /).innerText();
    const { pathname, searchParams } = new URL(/"(http[^"]+)"/.exec(command)?.[1] ?? '');
    expect(pathname).toBe('/api/admin/projects/default/history');
    expect(searchParams.get('from')).toBe('2020-01-02T00:00:00.000Z');
    expect(searchParams.get('to')).toBe('2020-01-02T23:59:59.999Z');
    const audit = await page.getByRole('link', { name: 'See the audit log for this time' }).getAttribute('href');
    expect(audit).toBe('/history?from=2020-01-02&to=2020-01-02&project=default');

    await page.clock.setFixedTime(Date.parse('2020-01-03T12:00:00Z'));
    await page.goto(`${world.service.url}/recent-changes?minutes=days&from=2020-01-02&to=2020-01-02`);
    await page.getByText('No flag or setting was changed yesterday.').waitFor();
  });
});

describe('a change that another person makes while one aims at a row', () => {
  it.each([
    ['Home', '/', 'first'],
    ['Recent changes', '/recent-changes', 'second'],
  ])(
    '%s holds it back, and moves nothing, until it is asked for or the pointer leaves',
    async (name, address, prefix) => {
      const flag = (what: string) => `${prefix}-${what}`;
      await create(flag('aimed'));
      const revision = newest();
      const { page } = await world.browser.open(world.service.url, address, { signedOn });
      const rows = page.locator('main ol > li');
      const undo = rows.filter({ hasText: `r${revision}` }).getByRole('button', { name: 'Undo', exact: true });
      await undo.hover();
      const at = await undo.boundingBox();
      await create(flag('one'));
      await page.getByRole('button', { name: '1 new change – show' }).waitFor();
      await create(flag('two'));
      const show = page.getByRole('button', { name: '2 new changes – show' });
      await show.waitFor();
      await page.getByRole('status').getByText('2 new changes', { exact: true }).waitFor({ state: 'attached' });
      expect(await undo.boundingBox()).toEqual(at);
      expect(await rows.filter({ hasText: flag('one') }).count()).toBe(0);
      await expectAccessible(page, `${name} with changes that are held back`);
      await show.click();
      await rows.filter({ hasText: flag('two') }).waitFor();
      await show.waitFor({ state: 'detached' });

      // The focus holds as the pointer does.
      await page.mouse.move(0, 0);
      await undo.focus();
      await page.keyboard.press('Shift+Tab');
      await create(flag('three'));
      await page.getByRole('button', { name: '1 new change – show' }).waitFor();
      await page.locator(':focus').blur();
      await rows.filter({ hasText: flag('three') }).waitFor();
      await create(flag('four'));
      await rows.filter({ hasText: flag('four') }).waitFor();
    },
  );
});

describe('a long list of recent changes', () => {
  it('reads only its first page again after a commit', async () => {
    for (let index = 0; index < 60; index++) await create(`one-of-many-${index}`);
    const { page } = await open();
    await page.getByRole('button', { name: 'Read on' }).click();
    await changes(page).filter({ hasText: 'one-of-many-0' }).first().waitFor();
    const shown = await changes(page).count();
    const asked: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/admin/history') asked.push(searchParams.get('before'));
    });
    await page.mouse.move(0, 0);
    await create('one-of-many-more');
    await changes(page).filter({ hasText: 'one-of-many-more' }).waitFor();
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((before) => before !== null)).toEqual([]);
    expect(await changes(page).count()).toBe(shown + 1);
  });

  it('is not read again if its time is over', async () => {
    const { page } = await open('?minutes=days&from=2020-01-01&to=2020-01-02');
    await page.getByText('No flag or setting was changed on these days.').waitFor();
    const asked: string[] = [];
    const months: (string | undefined)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      asked.push(pathname);
      if (pathname === '/api/admin/history') months.push(searchParams.get('to')?.slice(0, 7));
    });
    await create('after-the-time');
    // The commit arrived: what it makes old is read again together.
    await expect.poll(() => asked).toContain('/api/admin/projects');
    await page.getByLabel('To', { exact: true }).fill('2020-02-15');
    await expect.poll(() => months).toEqual(['2020-02']);
  });
});

describe('the screens', () => {
  it.each([
    ['Recent changes', 'n', '/recent-changes'],
    ['Import and export', 'i', '/import-export'],
  ])('%s is in the navigation, in the palette and has a key', async (name, key, address) => {
    const { page } = await world.browser.open(world.service.url, '/', { signedOn });
    const navigation = page.getByRole('navigation', { name: 'Screens' });
    if (name !== 'Recent changes') await navigation.getByRole('button', { name: 'Configure' }).click();
    expect(await navigation.getByRole('link', { name, exact: true }).getAttribute('href')).toBe(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByPlaceholder('Flag, screen or action').fill(name);
    await page.getByRole('option', { name }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(new URL(page.url()).pathname).toBe(address);
  });
});
