import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAG = { projectId: 'default', featureName: 'a-watched', environment: 'development' };
const VIEWER = 140;

beforeAll(async () => {
  await create('a-watched');
});

const create = (name: string, projectId = 'default') =>
  accepted(world.service, 'createFeature', { params: { projectId }, body: { name } });

const toggle = (isOn: boolean) =>
  accepted(world.service, isOn ? 'toggleFeatureEnvironmentOn' : 'toggleFeatureEnvironmentOff', { params: FLAG });

const openGuarded = async (address: string, id: number) =>
  world.browser.open(world.service.url, address, { signedOn: await browserOf(world.service, id) });
const open = async (address: string) => (await openGuarded(address, ADMIN.id)).page;

/** The addresses that the page reads from now on. */
function reads(page: Page): Set<string> {
  const addresses = new Set<string>();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET' && pathname.startsWith('/api/')) addresses.add(pathname + search);
  });
  return addresses;
}

const rowOf = (page: Page, name: string) => page.getByRole('grid').getByText(name, { exact: true });

/** Holds the events of the streams that the page opens, until `give` gives it some of them. */
const HOLDING = `
  globalThis.held = [];
  globalThis.isHeld = false;
  globalThis.EventSource = class extends EventSource {
    addEventListener(name, take) {
      super.addEventListener(name, (event) =>
        isHeld ? held.push({ name, data: event.data, take }) : take(event));
      if (name === 'connected') globalThis.connect = (revision) => take({ data: JSON.stringify({ revision }) });
    }
  };`;

/** Resolves when the first view is there, and what is read after it. */
const settled = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(
        'performance.getEntriesByType("resource").some(({ name }) => name.includes("/expiring-api-tokens"))',
      ),
    )
    .toBe(true);

/** Waits until the page has read the address, after each of several changes. */
async function expectReads(page: Page, expected: readonly string[]): Promise<void> {
  await settled(page);
  const found = reads(page);
  for (const isOn of [true, false]) {
    const answers = expected.map((path) =>
      page.waitForResponse((response) => response.url().endsWith(path) && response.request().method() === 'GET'),
    );
    await toggle(isOn);
    await Promise.all(answers);
  }
  expect([...found].sort()).toEqual([...expected].sort());
}

describe('what an open page reads after the change of another person', () => {
  it('is nothing for the list: the stream has the difference', async () => {
    const page = await open('/features');
    await rowOf(page, 'a-watched').waitFor();
    await settled(page);
    const found = reads(page);
    await create('a-fresh');
    await rowOf(page, 'a-fresh').waitFor();
    await accepted(world.service, 'archiveFeature', { params: { projectId: 'default', featureName: 'a-fresh' } });
    await rowOf(page, 'a-fresh').waitFor({ state: 'detached' });
    expect([...found]).toEqual([]);
  });

  it('is the history for home', async () => {
    const page = await open('/');
    await page.getByText('a-watched').first().waitFor();
    await expectReads(page, ['/api/admin/history?limit=15']);
  });

  it('is the flag and what its environment has for the page of a flag', async () => {
    const page = await open('/projects/default/features/a-watched');
    await page.getByRole('region', { name: 'development' }).waitFor();
    const path = '/api/admin/projects/default/features/a-watched';
    await expectReads(page, [path, `${path}/environments/development/safeguards`]);
  });

  it('is the index for the list, if more changed than the stream sends', async () => {
    const page = await open('/features');
    await rowOf(page, 'a-watched').waitFor();
    await settled(page);
    const found = reads(page);
    const features = Array.from({ length: 30 }, (_, index) => ({ name: `many-${index}`, type: 'release' }));
    const none = { featureStrategies: [], featureEnvironments: [], contextFields: [], featureTags: [], segments: [] };
    const body = { project: 'default', environment: 'development', data: { features, ...none } };
    await accepted(world.service, 'importFeatures', { body });
    await rowOf(page, 'many-1').waitFor();
    expect([...found].map((address) => address.replace(/since=.*/, ''))).toEqual([
      '/api/admin/flag-index?fields=details&',
    ]);
  });
});

describe('what a page shows', () => {
  it('is read again if something changed between its first answers and the start of the stream', async () => {
    const page = await open('/features');
    let start = () => {};
    const isDue = new Promise<void>((resolve) => {
      start = resolve;
    });
    await page.route('**/api/admin/changes*', async (route) => {
      await isDue;
      await route.continue();
    });
    await page.reload();
    await rowOf(page, 'a-watched').waitFor();
    await create('a-between');
    start();
    await rowOf(page, 'a-between').waitFor();
  });

  it('loses what a person may not see any more, without a change of it', async () => {
    await accepted(world.service, 'createProject', { body: { id: 'vault', name: 'Vault', mode: 'private' } });
    await create('a-in-vault', 'vault');
    await putUser(world.service, VIEWER, { rootRole: 3 });
    const role = { projectId: 'vault', id: VIEWER };
    await accepted(world.service, 'setRolesForProjectUser', { params: role, body: { roles: [5] } });
    const guarded = await openGuarded('/features', VIEWER);
    // It reads everything again, which it might until now.
    guarded.allow(403);
    const { page } = guarded;
    await rowOf(page, 'a-in-vault').waitFor();
    await accepted(world.service, 'removeAccessOfProjectUser', { params: role });
    await rowOf(page, 'a-in-vault').waitFor({ state: 'detached' });
    await rowOf(page, 'a-watched').waitFor();
  });

  it('has the commits that were missed, also if a new one is taken before everything is read again', async () => {
    const page = await open('/features');
    await page.addInitScript(HOLDING);
    await page.reload();
    await rowOf(page, 'a-watched').waitFor();
    await settled(page);
    await page.evaluate('isHeld = true');
    const heldCommits = () => page.evaluate('held.filter(({ name }) => name === "commit").length');
    await create('a-missed');
    await expect.poll(heldCommits).toBe(1);
    await page.evaluate('held.length = 0');
    await create('a-next');
    await expect.poll(heldCommits).toBe(1);
    // The stream began anew, and the commit after it is not later than what the page has seen: it is taken at once.
    await page.evaluate(`isHeld = false;
      connect(JSON.parse(held.find(({ name }) => name === 'commit').data).revision);
      for (const { data, take } of held) take({ data });`);
    await rowOf(page, 'a-next').waitFor();
    await rowOf(page, 'a-missed').waitFor();
  });
});
