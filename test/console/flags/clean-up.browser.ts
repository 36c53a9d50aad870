import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted, prepare } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ReportingSdk } from '../support/reporting-sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const projectId = 'default';
const DAY_MS = 86_400_000;
let signedOn: Record<string, string>;
let sdk: ReportingSdk;

const create = (name: string, body: object = {}) =>
  accepted(world.service, 'createFeature', { params: { projectId }, body: { name, ...body } });

/** The flags exist for as long as they would in a project of that age. */
const backdate = (names: readonly string[], days: number) =>
  prepare(world.service, (draft) => {
    for (const name of names) {
      const flag = draft.get('features', name);
      if (!flag) throw new Error(`${name} is missing`);
      draft.put('features', { ...flag, createdAt: new Date(Date.now() - days * DAY_MS).toISOString() });
    }
  });

beforeAll(async () => {
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  for (const name of ['fresh', 'never-asked', 'stale-used', 'decided', 'parent', 'child', 'kill']) await create(name);
  await create('ancient', { type: 'release' });
  await backdate(['never-asked', 'stale-used', 'ancient'], 100);
  await accepted(service, 'addFeatureDependency', {
    params: { projectId, child: 'child' },
    body: { feature: 'parent', enabled: true },
  });
  const features = ['stale-used', 'parent'];
  await accepted(service, 'staleFeatures', { params: { projectId }, body: { features, stale: true } });
  await accepted(service, 'complete', { params: { projectId, featureName: 'decided' }, body: { status: 'discarded' } });
  const params = { projectId, featureName: 'stale-used', environment: 'development' };
  await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  sdk = await ReportingSdk.start(service.url, CLIENT_TOKEN, 'web-shop');
  sdk.ask('stale-used', 9);
  sdk.ask('ancient', 1);
  await sdk.report();
  // Reports are counted in batches, after their answer.
  for (const featureName of ['stale-used', 'ancient']) {
    const seen = async () =>
      (await accepted(service, 'getFeature', { params: { projectId, featureName } })).body.lastSeenAt;
    await until(seen, (at) => at !== null);
  }
});
afterAll(() => sdk?.end());

const open = async (path: string) => (await world.browser.open(world.service.url, path, { signedOn })).page;
const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('gridcell') });
const names = async (page: Page) =>
  (await rows(page).getByRole('link').allInnerTexts()).map((text) => text.trim()).sort();
const row = (page: Page, name: string) => rows(page).filter({ has: page.getByRole('link', { name, exact: true }) });

describe('the clean-up desk', () => {
  it('lists the flags that can probably go, each with its reasons and when it was asked for', async () => {
    const page = await open('/clean-up');
    await row(page, 'ancient').waitFor();
    expect(await names(page)).toEqual(['ancient', 'decided', 'never-asked', 'parent', 'stale-used']);
    const reasons = async (name: string) =>
      (await row(page, name).getByRole('gridcell').nth(2).innerText()).split('\n');
    expect(await reasons('never-asked')).toEqual(['Potentially stale', 'Unused']);
    expect(await reasons('ancient')).toEqual(['Potentially stale']);
    expect(await reasons('stale-used')).toEqual(['Stale']);
    expect(await reasons('decided')).toEqual(['Completed']);
    // The same numbers as the API has.
    const { body } = await accepted(world.service, 'searchFeatures', { query: 'state=IS:potentially-stale' });
    expect(body.features.map(({ name }: { name: string }) => name).sort()).toEqual(['ancient', 'never-asked']);
    const stages = (await accepted(world.service, 'getFeatureLifecycleCount')).body;
    const figure = (label: string) => page.locator('dl > div').filter({ hasText: label }).locator('dd').first();
    expect(await figure('Completed').innerText()).toBe(String(stages.completed));
    await expectAccessible(page, 'the clean-up desk');
  });

  it('is filtered by reason and by how long a flag was not asked for, as the address says', async () => {
    const page = await open('/clean-up?why=unused');
    await row(page, 'never-asked').waitFor();
    expect(await names(page)).toEqual(['never-asked']);
    await page.goto(`${world.service.url}/clean-up?why=unused&days=180`);
    await page.getByText('Nothing matches the filter.').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await row(page, 'decided').waitFor();
  });

  it('proves by environment and application that a flag is in use', async () => {
    const page = await open('/clean-up');
    const keyboard = new Keyboard(page);
    await row(page, 'stale-used').waitFor();
    await row(page, 'stale-used').getByRole('button', { name: 'Proof for stale-used' }).click();
    const panel = page.getByRole('complementary');
    await panel.getByText('SDKs still ask for it').waitFor();
    const { environments } = (
      await accepted(world.service, 'getFeature', { params: { projectId, featureName: 'stale-used' } })
    ).body;
    for (const { name, lastSeenAt } of environments) {
      const line = panel.getByRole('listitem').filter({ hasText: name }).first();
      if (lastSeenAt === null) await line.getByText('never').waitFor();
      else expect(await line.locator('time').getAttribute('datetime')).toBe(lastSeenAt);
    }
    const use = panel.getByRole('listitem').filter({ hasText: 'web-shop' });
    expect(await use.innerText()).toContain('development · 9 times');
    await expectAccessible(page, 'the proof for a flag');
    await keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  it('names the lifetime of the type as it is now', async () => {
    const page = await open('/clean-up?flag=ancient');
    const panel = page.getByRole('complementary');
    await panel.getByText('40 days').waitFor();
    await accepted(world.service, 'updateFeatureTypeLifetime', {
      params: { id: 'release' },
      body: { lifetimeDays: 60 },
    });
    await panel.getByText('60 days').waitFor();
  });

  it('does not archive a flag that others depend on', async () => {
    const page = await open('/clean-up?flag=parent');
    const panel = page.getByRole('complementary');
    await panel.getByText('Other flags depend on it: child').waitFor();
    const archive = panel.getByRole('button', { name: 'Archive…' });
    expect(await archive.getAttribute('aria-disabled')).toBe('true');
  });

  it('says nothing about a flag before it is read, or when it cannot be read', async () => {
    const guarded = await world.browser.open(world.service.url, '/clean-up', { signedOn });
    guarded.allow(500);
    const { page } = guarded;
    await row(page, 'parent').waitFor();
    let fail: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const address = '**/api/admin/projects/default/features/parent';
    await page.route(address, async (route) => {
      await held;
      await route.fulfill({ status: 500, json: { name: 'InternalError', message: 'The disk is full' } });
    });
    await row(page, 'parent').getByRole('button', { name: 'Proof for parent' }).click();
    const panel = page.getByRole('complementary');
    const archive = (description: string) => panel.getByRole('button', { name: 'Archive…', description });
    await archive('Reading which flags depend on it…').waitFor();
    expect(await panel.getByText('it can be archived').count()).toBe(0);
    fail();
    await panel.getByText('The disk is full').waitFor();
    await archive('Whether other flags depend on it is not known').waitFor();
    expect(await panel.getByText('it can be archived').count()).toBe(0);
    await page.unroute(address);
    await panel.getByRole('button', { name: 'Try again' }).click();
    await panel.getByText('Other flags depend on it: child').waitFor();
  });

  it('archives the selected flags in one step, with the reason, and takes it back', async () => {
    const page = await open('/clean-up');
    await row(page, 'stale-used').getByRole('checkbox').check({ force: true });
    const mark = page.getByRole('button', { name: /^Mark \d+ flags? as stale$/ });
    await page.getByRole('button', { name: 'Archive 1 flag…' }).waitFor();
    expect(await mark.count(), 'it is marked already').toBe(0);
    await row(page, 'never-asked').getByRole('checkbox').check({ force: true });
    await page.getByRole('button', { name: 'Archive 2 flags…' }).waitFor();
    expect(await mark.innerText()).toBe('Mark 1 flag as stale');
    await row(page, 'never-asked').getByRole('checkbox').uncheck({ force: true });
    await page.getByRole('button', { name: 'Archive 1 flag…' }).click();
    const used = page.getByRole('dialog', { name: 'Archive stale-used' });
    await used.getByText('SDKs still ask for it').waitFor();
    await used.getByRole('button', { name: 'Archive', exact: true }).waitFor();
    await used.getByRole('button', { name: 'Cancel' }).click();
    await row(page, 'stale-used').getByRole('checkbox').uncheck({ force: true });

    await row(page, 'never-asked').getByRole('checkbox').check({ force: true });
    await row(page, 'decided').getByRole('checkbox').check({ force: true });
    await page.getByRole('button', { name: 'Archive 2 flags…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 flags will be archived.').waitFor();
    await dialog.getByLabel('Why?').fill('Nothing asks for them');
    await expectAccessible(page, 'archiving from the clean-up desk');
    await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
    await dialog.getByText('2 flags archived').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    const undo = page.getByRole('group', { name: 'Delivery of the change' }).getByRole('button', { name: 'Undo' });
    // The receipt stays while it has the focus.
    await undo.focus();
    await expect.poll(() => names(page)).toEqual(['ancient', 'parent', 'stale-used']);
    const archived = (await accepted(world.service, 'getArchivedFeatures')).body.features;
    expect(archived.map(({ name }: { name: string }) => name).sort()).toEqual(['decided', 'never-asked']);
    const { body } = await accepted(world.service, 'getEvents', { query: 'limit=1' });
    expect(body.events[0].reason).toBe('Nothing asks for them');

    await undo.click();
    await page.getByRole('button', { name: /^Undo (r\d+|2 changes)$/ }).click();
    await row(page, 'never-asked').waitFor();
    expect((await accepted(world.service, 'getArchivedFeatures')).body.features).toEqual([]);
  });

  it('shows a viewer which permission is missing', async () => {
    await putUser(world.service, 300, { username: 'vera', email: 'vera@example.org', name: 'Vera', rootRole: 3 });
    const viewer = await browserOf(world.service, 300);
    const { page } = await world.browser.open(world.service.url, '/clean-up?flag=ancient', { signedOn: viewer });
    const panel = page.getByRole('complementary');
    const archive = panel.getByRole('button', { name: 'Archive…', description: 'Needs DELETE_FEATURE in default' });
    await archive.waitFor();
    expect(await archive.getAttribute('aria-disabled')).toBe('true');
  });
});

describe('a long list of the clean-up desk', () => {
  const MANY = 250;
  const name = (index: number) => `crowd-${String(index).padStart(3, '0')}`;
  const bar = (page: Page, count: number) =>
    page.getByRole('region', { name: `Archive ${count === 1 ? '1 flag' : `${count} flags`}…` });
  const openCrowd = async () => await open('/clean-up?project=crowd');

  beforeAll(async () => {
    const { service } = world;
    await accepted(service, 'createProject', { body: { id: 'crowd', name: 'Crowd' } });
    for (let index = 1; index <= 5; index++) {
      const environment = `stage-${index}`;
      await accepted(service, 'createEnvironment', { body: { name: environment, type: 'test' } });
      await accepted(service, 'addEnvironmentToProject', { params: { projectId: 'crowd' }, body: { environment } });
    }
    const params = { projectId: 'crowd' };
    const features = Array.from({ length: MANY }, (_, index) => name(index));
    for (const each of features) await accepted(service, 'createFeature', { params, body: { name: each } });
    for (let at = 0; at < MANY; at += 100) {
      const body = { features: features.slice(at, at + 100), stale: true };
      await accepted(service, 'staleFeatures', { params, body });
    }
  });

  it('has in the document only the rows in view, and columns for a few environments', async () => {
    const page = await openCrowd();
    await row(page, name(0)).waitFor();
    const table = page.getByRole('grid', { name: 'Clean-up' });
    expect(await table.getAttribute('aria-rowcount')).toBe(String(MANY + 1));
    expect(await rows(page).count()).toBeLessThan(100);
    await page.getByText('The list has columns for at most 5 of 7 environments').waitFor();
    expect(await table.getByRole('columnheader', { name: /^(development|production|stage-\d)$/ }).count()).toBe(5);
    await expectAccessible(page, 'a long list of the clean-up desk');
    await new Keyboard(page).press('j', 'End');
    await row(page, name(MANY - 1)).waitFor();
  });

  it('changes only selected flags that are listed', async () => {
    const page = await openCrowd();
    await row(page, name(0)).getByRole('checkbox').check({ force: true });
    await row(page, name(1)).getByRole('checkbox').check({ force: true });
    await bar(page, 2).waitFor();
    await page.getByRole('searchbox').fill(name(1));
    await bar(page, 1).waitFor();
    await page.getByRole('searchbox').fill('');
    await bar(page, 2).waitFor();
    const params = { projectId: 'crowd', featureName: name(0) };
    await accepted(world.service, 'archiveFeature', { params });
    await page.getByRole('button', { name: 'Read again' }).click();
    await bar(page, 1).waitFor();
  });

  it('is not read again after each commit of others, but by its button', async () => {
    const page = await openCrowd();
    await row(page, name(5)).waitFor();
    let [reads, counts] = [0, 0];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/search/features') && searchParams.has('lifecycle')) reads++;
      if (pathname.endsWith('/lifecycle/count')) counts++;
    });
    // The first commit is read at once. The numbers above the list are read after each commit.
    const archive = async (index: number) => {
      const before = counts;
      await accepted(world.service, 'archiveFeature', { params: { projectId: 'crowd', featureName: name(index) } });
      await expect.poll(() => counts).toBeGreaterThan(before);
    };
    await archive(5);
    await row(page, name(5)).waitFor({ state: 'detached' });
    const after = reads;
    for (const index of [6, 7, 8]) await archive(index);
    expect(reads).toBe(after);
    await page.getByRole('button', { name: 'Read again' }).click();
    await row(page, name(8)).waitFor({ state: 'detached' });
    expect(reads).toBe(after + 1);
  });
});

describe('the health of a project', () => {
  it('has the numbers of the API, and the desk of this project', async () => {
    await accepted(world.service, 'createProject', { body: { id: 'other', name: 'Other' } });
    const page = await open(`/projects/${projectId}`);
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('link', { name: 'Health' }).and(page.locator('[aria-current=page]')).waitFor();
    const { body } = await accepted(world.service, 'getProjectInsights', { params: { projectId } });
    const figure = (label: string) => page.locator('dl > div').filter({ hasText: label }).locator('dd').first();
    await figure('Healthy flags').waitFor();
    expect(await figure('Healthy flags').innerText()).toBe(`${body.health.rating}%`);
    expect(await figure('Active flags').innerText()).toBe(String(body.health.activeCount));
    expect(await figure('Past their lifetime').innerText()).toBe(String(body.health.potentiallyStaleCount));
    await row(page, 'stale-used').waitFor();
    await expectAccessible(page, 'the health of a project');

    await page.goto(`${world.service.url}/projects/other/health`);
    await page.getByText('Nothing to clean up').waitFor();
    await expectAccessible(page, 'the health of an empty project');
  });
});
