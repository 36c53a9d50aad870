import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const COUNT = 1_000;
let folder: string;
let signedOn: Record<string, string>;

/** An export as Unleash writes it, of another project, with a custom strategy and a part that Burgee does not know. */
function exportOf(count: number, prefix: string, segment?: { readonly id: number; readonly name: string }) {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  return {
    features: names.map((name) => ({ name, type: 'release', project: 'elsewhere', stale: false, description: name })),
    featureStrategies: names.map((featureName, index) => ({
      featureName,
      name: index === 0 ? 'homemade' : 'flexibleRollout',
      parameters: { rollout: String(index % 101), stickiness: 'default', groupId: featureName },
      constraints: [],
      segments: segment && index % 2 === 0 ? [segment.id] : [],
      ...(index === 1 && { milestone: 'm1' }),
    })),
    featureEnvironments: names.map((featureName, index) => ({
      featureName,
      name: featureName,
      environment: 'development',
      enabled: index % 3 === 0,
      variants: [],
    })),
    featureTags: names.slice(0, 10).map((featureName) => ({ featureName, tagType: 'simple', tagValue: 'imported' })),
    segments: segment ? [segment] : [],
    contextFields: [],
    tagTypes: [],
  };
}

const written = (name: string, content: unknown): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-import-'));
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
  const strategy = { name: 'homemade', parameters: [] };
  await accepted(service, 'createStrategy', { body: strategy });
  await accepted(service, 'createFeature', { params: { projectId: 'shop' }, body: { name: 'many-7' } });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (query = '', as = signedOn) =>
  world.browser.open(world.service.url, `/import-export${query}`, { signedOn: as });
const checked = (page: Page) => page.getByRole('region', { name: 'What the check says' });
const chosen = (page: Page, file: string) => page.locator('input[type=file]').setInputFiles(file);
const check = (page: Page) => page.getByRole('button', { name: 'Check', exact: true }).click();

async function flagsOf(projectId: string) {
  const { body } = await accepted(world.service, 'getFeatures', { params: { projectId } });
  return body.features as {
    name: string;
    environments: { name: string; enabled: boolean; strategies: unknown[] }[];
  }[];
}

describe('journey 36: 1,000 flags are imported', () => {
  it('after a check whose warnings are read, and the counts are those of the API', async () => {
    const { service } = world;
    const { body } = await accepted(service, 'createSegment', { body: { name: 'nordics', constraints: [] } });
    const data = exportOf(COUNT, 'many', { id: 77, name: body.name });
    const { page } = await open('?project=shop');
    await chosen(page, written('unleash.json', data));
    const contents = page.getByRole('region', { name: 'What the file has' });
    await contents.getByText('1,000 flags').waitFor();
    expect(await contents.innerText()).toContain('1 segment');
    const seq = service.running.services.state.lastEventId;
    await check(page);
    const warnings = checked(page).getByRole('region', { name: 'Warnings' });
    await warnings.getByText('These features exist; their configuration in development is replaced:').waitFor();
    expect(service.running.services.state.lastEventId).toBe(seq);
    expect(await warnings.innerText()).toContain('many-7');
    expect(await warnings.innerText()).toContain('homemade');
    expect(await warnings.innerText()).toContain('featureStrategies[].milestone');
    await warnings.getByText('1,000 items').click();
    await warnings.getByText('many-999 (elsewhere)').waitFor();
    await expectAccessible(page, 'the warnings of an import');

    const button = checked(page).getByRole('button', { name: 'Import 1,000 flags' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await checked(page).getByRole('checkbox', { name: 'I have read the warnings' }).check();
    await checked(page).getByLabel('Why?').fill('We move to Burgee');
    await button.click();
    const result = page.getByRole('region', { name: 'Compared with what is there now' });
    await result.getByText('1,000 of 1,000').first().waitFor();
    const receipt = page.getByRole('region', { name: 'The last save' });
    await receipt.getByText('1,000 flags imported into shop / development').waitFor();

    const flags = await flagsOf('shop');
    const there = flags.flatMap(({ environments }) => environments.filter(({ name }) => name === 'development'));
    const on = there.filter(({ enabled }) => enabled).length;
    expect([flags.length, on]).toEqual([COUNT, data.featureEnvironments.filter(({ enabled }) => enabled).length]);
    const numbers = await result.locator('dd').allInnerTexts();
    const strategies = there.reduce((sum, one) => sum + one.strategies.length, 0);
    expect(strategies).toBe(COUNT);
    expect(numbers).toEqual(['1,000 of 1,000', '1,000 of 1,000', `${on} of ${on}`]);
    await expectAccessible(page, 'the result of an import');
    const { body: log } = await accepted(service, 'getEvents', { query: 'limit=1&type=features-imported' });
    expect(log.events[0]).toMatchObject({ reason: 'We move to Burgee', project: 'shop' });
  });

  it('with an error, nothing is imported, and the errors have their own kind', async () => {
    const { page } = await open('?project=shop');
    const data = exportOf(3, 'wrong', { id: 5, name: 'no such segment' });
    await chosen(page, written('wrong.json', data));
    await check(page);
    const errors = checked(page).getByRole('region', { name: 'Errors' });
    await errors.getByText('no such segment').waitFor();
    const button = checked(page).getByRole('button', { name: 'Import 3 flags' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page, 'the errors of an import');
    expect((await flagsOf('shop')).some(({ name }) => name.startsWith('wrong'))).toBe(false);
    // Another target makes the check void.
    await page.getByRole('combobox', { name: 'Environment' }).click();
    await page.getByRole('option', { name: 'production' }).click();
    await checked(page).waitFor({ state: 'detached' });
  });

  it('pasted by keyboard alone; what is no export is refused before it is sent', async () => {
    const { page } = await open();
    const keyboard = new Keyboard(page);
    await keyboard.tabTo(page.getByRole('radio', { name: 'File' }));
    await keyboard.press('ArrowRight');
    const field = page.getByRole('textbox', { name: 'The export, as JSON' });
    await keyboard.fill(field, '{"features": 3}');
    await page.getByText('This is JSON, but no export: it has no list of flags.').waitFor();
    await keyboard.fill(field, '{"features": [');
    await page.getByText('Line 1 is not JSON: the text ends where a value or ] must be.').waitFor();
    await field.fill(JSON.stringify(exportOf(2, 'pasted')));
    await keyboard.activate(page.getByRole('button', { name: 'Check', exact: true }));
    await keyboard.activate(checked(page).getByRole('checkbox', { name: 'I have read the warnings' }), 'Space');
    await keyboard.activate(checked(page).getByRole('button', { name: 'Import 2 flags' }));
    await page.getByText('2 of 2').first().waitFor();
    expect((await flagsOf('default')).map(({ name }) => name)).toEqual(['pasted-0', 'pasted-1']);
  });

  it('is of the source that was given last, also if an earlier file is read later', async () => {
    const { page } = await open();
    // The first file is read when the test says so.
    await page.evaluate(`{
      const { text } = Blob.prototype;
      let isFirst = true;
      Blob.prototype.text = function () {
        if (!isFirst) return text.call(this);
        isFirst = false;
        return new Promise((read) => { globalThis.readFirst = () => text.call(this).then(read); });
      };
    }`);
    await chosen(page, written('slow.json', exportOf(3, 'slow')));
    await chosen(page, written('fast.json', exportOf(2, 'fast')));
    await page.getByText('2 flags').waitFor();
    await page.evaluate('readFirst().then(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))');
    expect(await page.getByText('3 flags').count()).toBe(0);
    await page.getByText('2 flags').waitFor();
  });

  it('is parsed once after the last key, where it is long', async () => {
    const { page } = await open();
    await page.getByRole('radio', { name: 'Paste' }).check({ force: true });
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.evaluate(`{
      const { parse } = JSON;
      globalThis.longTexts = 0;
      JSON.parse = (text, ...more) => {
        if (text.length > 20_000) longTexts++;
        return parse(text, ...more);
      };
    }`);
    const field = page.getByRole('textbox', { name: 'The export, as JSON' });
    await field.fill(JSON.stringify(exportOf(100, 'long')));
    for (let keys = 0; keys < 5; keys++) await field.press('Space');
    expect(await page.evaluate('longTexts')).toBe(0);
    await page.clock.runFor(1_000);
    await page.getByText('100 flags').waitFor();
    expect(await page.evaluate('longTexts')).toBe(1);
  });

  it('names the permissions that a person lacks', async () => {
    const { service } = world;
    const role = await accepted(service, 'createRole', {
      body: { name: 'updater', type: 'custom', permissions: [{ name: 'UPDATE_FEATURE' }] },
    });
    await putUser(service, 102, { username: 'uma', email: 'uma@example.org', name: 'Uma', rootRole: 3 });
    await accepted(service, 'addAccessToProject', {
      params: { projectId: 'shop' },
      body: { roles: [role.body.roles.id], groups: [], users: [102] },
    });
    const { page } = await open('?project=shop', await browserOf(service, 102));
    await chosen(page, written('few.json', exportOf(2, 'lacking')));
    await check(page);
    const permissions = checked(page).getByRole('region', { name: 'Missing permissions' });
    await permissions.getByText('CREATE_FEATURE').waitFor();
    await expectAccessible(page, 'the missing permissions of an import');
    // In a project without a role, not even the check is allowed.
    const { page: other } = await open('?project=default', await browserOf(service, 102));
    await chosen(other, join(folder, 'few.json'));
    await other.getByText('2 flags').waitFor();
    expect(await other.getByRole('button', { name: 'Check', exact: true }).getAttribute('aria-disabled')).toBe('true');
  });
});

describe('an export', () => {
  async function saved(page: Page): Promise<{ features: { name: string }[]; featureStrategies: unknown[] }> {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^export-development-.*\.json$/);
    return JSON.parse(readFileSync(await download.path(), 'utf8'));
  }

  it('of chosen flags has exactly these, as the API exports them', async () => {
    const { page } = await open('?tab=export&which=flags&flags=many-1,many-2');
    const file = await saved(page);
    const { body } = await accepted(world.service, 'exportFeatures', {
      body: { environment: 'development', features: ['many-1', 'many-2'] },
    });
    expect(file).toEqual(body);
    await page.getByText('2 flags exported').waitFor();
    await expectAccessible(page, 'an export');
  });

  it('of a project has all of its flags', async () => {
    const { page } = await open('?tab=export&project=shop');
    const file = await saved(page);
    expect(file.features.length).toBe(COUNT);
    await page.getByText('1,000 flags exported').waitFor();
  });

  it('with a tag has the flags with the tag', async () => {
    const { page } = await open('?tab=export&which=tag&tag=imported&project=shop');
    expect((await saved(page)).features.length).toBe(10);
  });

  it('starts from the flags that are selected in the list', async () => {
    const { page } = await world.browser.open(world.service.url, '/projects/default', { signedOn });
    await page.getByRole('checkbox', { name: 'pasted-0' }).check();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Export…' }).click();
    expect((await saved(page)).features.map(({ name }) => name)).toEqual(['pasted-0']);
  });
});
