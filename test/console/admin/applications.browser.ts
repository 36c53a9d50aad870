import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ReportingSdk, reportAs } from '../support/reporting-sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const DEVELOPMENT = { projectId: 'default', environment: 'development' };
const CREATOR = 105;
const OLD = 'unleash-client-node:3.9.1';
let signedOn: Record<string, string>;
let sdk: ReportingSdk;

beforeAll(async () => {
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  await accepted(service, 'createFeature', { params: DEVELOPMENT, body: { name: 'basket' } });
  const params = { ...DEVELOPMENT, featureName: 'basket' };
  await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  sdk = await ReportingSdk.start(service.url, CLIENT_TOKEN, 'web-shop');
  sdk.ask('basket', 3);
  sdk.ask('baskett', 2);
  await sdk.report();
  await reportAs(service, {
    appName: 'old-billing',
    instanceId: 'old-1',
    sdkVersion: OLD,
    strategies: ['default', 'byMoon'],
    flags: { basket: { yes: 1, no: 1 } },
  });
  // Reports are counted in batches, after their answer.
  const names = async () =>
    (await accepted(service, 'getApplications')).body.applications.map(({ appName }: { appName: string }) => appName);
  await until(names, (known) => known.includes('web-shop') && known.includes('old-billing'));
});
afterAll(() => sdk?.end());

const open = async (path: string) => (await world.browser.open(world.service.url, path, { signedOn })).page;
const read = async (operationId: string, params: Readonly<Record<string, string>> = {}) =>
  (await accepted(world.service, operationId, { params })).body;

describe('the applications', () => {
  it('are those that report; outdated SDKs are marked, and have a list of their own', async () => {
    const page = await open('/applications');
    const rows = page.getByRole('row').filter({ hasNot: page.getByRole('columnheader') });
    await page.getByRole('link', { name: 'web-shop' }).waitFor();
    const { applications } = await read('getApplications');
    expect(applications.map(({ appName }: { appName: string }) => appName)).toEqual(['old-billing', 'web-shop']);
    expect(await rows.count()).toBe(applications.length);
    await rows.filter({ hasText: 'old-billing' }).getByText('Outdated SDK').waitFor();
    expect(await rows.filter({ hasText: 'web-shop' }).getByText('Outdated SDK').count()).toBe(0);
    await rows.filter({ hasText: 'web-shop' }).getByText('development').waitFor();

    await page.getByRole('radio', { name: 'Outdated SDKs' }).check({ force: true });
    expect((await read('getOutdatedSdks')).sdks).toEqual([{ sdkVersion: OLD, applications: ['old-billing'] }]);
    const listed = page.getByRole('row').filter({ hasText: OLD });
    expect(await listed.getByRole('link').getAttribute('href')).toContain('/applications/old-billing');
    expect(await rows.count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?view=sdks');
    await expectAccessible(page, 'outdated SDKs');
  });

  it('are filtered by text and project, as the address says, and opened by keyboard', async () => {
    const page = await open('/applications?filter=billing');
    const keyboard = new Keyboard(page);
    await page.getByRole('link', { name: 'old-billing' }).waitFor();
    expect(await page.getByRole('link', { name: 'web-shop' }).count()).toBe(0);
    await keyboard.press('j', 'Enter');
    await page.getByRole('heading', { level: 1, name: 'old-billing' }).waitFor();
    await page.goto(`${world.service.url}/applications?filter=nothing-of-this`);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByRole('link', { name: 'web-shop' }).waitFor();
  });
});

describe('one application', () => {
  it('shows its instances, SDKs, flags and strategies, as the API has them', async () => {
    const page = await open('/applications/web-shop');
    const { instances, seenToggles } = await read('getApplication', { appName: 'web-shop' });
    expect(instances).toMatchObject([{ instanceId: 'web-shop-1', environment: 'development' }]);
    const instance = page.getByRole('row').filter({ hasText: instances[0].instanceId });
    await instance.getByText(instances[0].sdkVersion).waitFor();
    expect(seenToggles.map(({ name }: { name: string }) => name)).toEqual(['basket']);
    expect(await page.getByRole('link', { name: 'basket', exact: true }).getAttribute('href')).toContain(
      '/projects/default/features/basket',
    );
    // The SDK asked for a flag that does not exist.
    const missing = page.getByRole('link', { name: 'Create baskett' });
    expect(await missing.getAttribute('href')).toContain('/unknown-flags?create=baskett');
    await expectAccessible(page, 'an application');
  });

  it('names what is wrong with it', async () => {
    const page = await open('/applications/old-billing');
    const overview = await read('getApplicationOverview', { appName: 'old-billing' });
    expect(overview.issues.missingStrategies).toEqual(['byMoon']);
    await page.getByText('Its SDK knows the strategy byMoon').waitFor();
    await page.getByText(`${OLD} in development is outdated.`).waitFor();
    await page.getByText('byMoon (not here)').waitFor();
  });

  it('is described, and deleted', async () => {
    await reportAs(world.service, { appName: 'gone', instanceId: 'g', sdkVersion: 'unleash-client-node:6.12.1' });
    const page = await open('/applications/gone');
    await page.getByRole('button', { name: 'Edit' }).click();
    const panel = page.getByRole('complementary');
    await panel.getByLabel('Description').fill('Sends invoices');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Sends invoices').first().waitFor();
    expect((await read('getApplication', { appName: 'gone' })).description).toBe('Sends invoices');

    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
    await page.getByRole('link', { name: 'web-shop' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'gone' }).count()).toBe(0);
    const { applications } = await read('getApplications');
    expect(applications.map(({ appName }: { appName: string }) => appName)).not.toContain('gone');
  });

  it('has a link only to an address that shows a page', async () => {
    const describe = (url: string) =>
      accepted(world.service, 'createApplication', { params: { appName: 'web-shop' }, body: { url } });
    await describe('javascript:alert(document.domain)');
    const page = await open('/applications/web-shop');
    await page.getByText('javascript:alert(document.domain)').waitFor();
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'javascript:alert' }).count()).toBe(0);
    await describe('https://shop.example.org');
    await page.reload();
    const link = page.getByRole('link', { name: 'https://shop.example.org' });
    expect(await link.getAttribute('href')).toBe('https://shop.example.org');
  });

  it('that does not exist has no page; a viewer reads the reason at the buttons', async () => {
    const guarded = await world.browser.open(world.service.url, '/applications/never-seen', { signedOn });
    guarded.allow(404);
    await guarded.page.getByText('There is nothing at this address.').waitFor();
    await putUser(world.service, 300, { username: 'vera', email: 'vera@example.org', name: 'Vera', rootRole: 3 });
    const viewer = await browserOf(world.service, 300);
    const { page } = await world.browser.open(world.service.url, '/applications/web-shop', { signedOn: viewer });
    const description = 'Needs UPDATE_APPLICATION';
    const edit = page.getByRole('button', { name: 'Edit', description });
    await edit.waitFor();
    expect(await edit.getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByRole('button', { name: 'Delete…', description }).count()).toBe(1);
  });
});

describe('unknown flags', () => {
  it('are created also by a person who may create flags in one project only', async () => {
    const { service } = world;
    const body = { name: 'Creator', permissions: [{ name: 'CREATE_FEATURE' }] };
    const { body: role } = await accepted(service, 'createRole', { body });
    await putUser(service, CREATOR, { username: 'cleo', name: 'Cleo', rootRole: 3 });
    await accepted(service, 'addAccessToProject', {
      params: { projectId: 'default' },
      body: { roles: [role.roles.id], groups: [], users: [CREATOR] },
    });
    const headers = await browserOf(service, CREATOR);
    const { page } = await world.browser.open(service.url, '/unknown-flags', { signedOn: headers });
    await page.getByRole('button', { name: 'Create baskett', exact: true }).click();
    await page.getByRole('heading', { name: 'New flag' }).waitFor();
  });

  it('are those that SDKs ask for; one is created from the report, and leaves the list', async () => {
    const page = await open('/unknown-flags');
    const { unknownFlags } = await read('getUnknownFlags');
    expect(unknownFlags.map(({ name }: { name: string }) => name)).toEqual(['baskett']);
    const row = page.getByRole('row').filter({ hasText: 'baskett' });
    await row.getByRole('link', { name: 'web-shop' }).waitFor();
    await row.getByText('(development)').waitFor();
    await expectAccessible(page, 'unknown flags');

    const keyboard = new Keyboard(page);
    await keyboard.press('j', 'Enter');
    const panel = page.getByRole('complementary');
    await panel.waitFor();
    expect(await panel.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('baskett');
    await expectAccessible(page, 'the creation of an unknown flag');
    await panel.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'baskett' }).waitFor();
    await accepted(world.service, 'getFeature', { params: { projectId: 'default', featureName: 'baskett' } });
    await page.goto(`${world.service.url}/unknown-flags`);
    await page.getByText('Every flag that applications ask for exists.').waitFor();
    expect((await read('getUnknownFlags')).unknownFlags).toEqual([]);
  });
});
