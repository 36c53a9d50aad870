import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, flag, prepare } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
let signedOn: Record<string, string>;
let viewer: Record<string, string>;

const place = (path: string, line: number) => ({ path, line });
const report = (repository: string, body: object) =>
  accepted(world.service, 'replaceCodeReferences', { params: { repository }, body });

beforeAll(async () => {
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  await putUser(service, 101, { rootRole: 3 });
  viewer = await browserOf(service, 101);
  await accepted(service, 'createProject', { body: { id: 'secret', name: 'Secret', mode: 'private' } });
  await prepare(service, (draft) => {
    for (const name of ['used', 'gone', 'other']) draft.put('features', flag(name, { stale: true }));
  });
});

const open = async (path: string, as = signedOn, more: object = {}) =>
  (await world.browser.open(world.service.url, path, { signedOn: as, ...more })).page;
const section = (page: Page, name: string) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name, exact: true }) })
    .last();
const badges = (page: Page, name: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) })
    .getByText('Not in code')
    .count();

describe('code references in the console', () => {
  it('mean nothing before a repository has reported', async () => {
    const page = await open('/projects/default/features/used/metrics');
    await section(page, 'In the code').getByText('No repository has reported its code.').waitFor();
    const desk = await open('/clean-up');
    await desk.getByRole('link', { name: 'gone', exact: true }).waitFor();
    expect(await badges(desk, 'gone')).toBe(0);
  });

  it('are on the flag, with links to the code, and change while the page is open', async () => {
    const page = await open('/projects/default/features/used/metrics');
    await section(page, 'In the code').getByText('No repository has reported its code.').waitFor();
    const link = 'https://git.example.com/shop/blob/{commit}/{path}#L{line}';
    const many = Array.from({ length: 22 }, (_, index) => place('src/many.ts', index + 1));
    await report('acme/shop', {
      commit: '4c1f0e9aa0b1',
      branch: 'main',
      link,
      references: [
        { flagName: 'used', places: [place('src/a b.ts', 3), ...many] },
        { flagName: 'missing', places: [place('src/c.ts', 9), place('src/d.ts', 1)] },
      ],
    });
    await report('acme/app', { references: [{ flagName: 'used', places: [place('lib/main.dart', 7)] }] });
    const shop = page.getByRole('region', { name: 'acme/shop' });
    await shop.getByText('main · 4c1f0e9aa0').waitFor();
    const first = shop.getByRole('link', { name: 'src/a b.ts:3' });
    expect(await first.getAttribute('href')).toBe('https://git.example.com/shop/blob/4c1f0e9aa0b1/src/a%20b.ts#L3');
    await shop.getByText('and 3 places more').waitFor();
    const app = page.getByRole('region', { name: 'acme/app' });
    await app.getByText('lib/main.dart:7').waitFor();
    expect(await app.getByRole('link').count()).toBe(0);
    await expectAccessible(page, 'code references of a flag');
    const unused = await open('/projects/default/features/gone/metrics');
    await unused.getByText('2 repositories reported, and none of them uses this flag.').waitFor();
  });

  it('mark the flags of the clean-up desk that no code uses, and are part of the proof', async () => {
    const page = await open('/clean-up');
    await page.getByText('Not in code').first().waitFor();
    expect([await badges(page, 'gone'), await badges(page, 'used')]).toEqual([1, 0]);
    await page.getByRole('button', { name: 'Proof for used' }).click();
    const proof = page.getByRole('complementary');
    await proof.getByText('lib/main.dart:7').waitFor();
    await proof.getByText('The code of 2 repositories still uses it: remove it there first.').waitFor();
    await expectAccessible(page, 'the proof with code references');
  });

  it('show the names that no flag has, from which a flag is created, and the repositories', async () => {
    const page = await open('/unknown-flags');
    const unknown = section(page, 'Names in the code that no flag has');
    await unknown.getByText('acme/shop').waitFor();
    await unknown.getByText('src/c.ts:9 and 1 place more').waitFor();
    await expectAccessible(page, 'names in the code');
    await unknown.getByRole('button', { name: 'Create missing' }).click();
    const panel = page.getByRole('complementary');
    expect(await panel.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('missing');
  });

  it('hide unknown names from people who do not see all projects, and say why they cannot delete', async () => {
    const page = await open('/unknown-flags', viewer);
    await page.getByText('Only people who see all projects see these names.').waitFor();
    const button = section(page, 'Repositories').getByRole('button', { name: 'Delete acme/app' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page, 'names in the code for a viewer');
  });

  it('of a repository are deleted after a question, by keyboard', async () => {
    const page = await open('/unknown-flags');
    const button = section(page, 'Repositories').getByRole('button', { name: 'Delete acme/app' });
    await button.focus();
    const keyboard = new Keyboard(page);
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('are no longer shown on flags').waitFor();
    await expectAccessible(page, 'the deletion of a repository');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('region', { name: 'Notices' }).getByText('Repository acme/app deleted').waitFor();
    await expect.poll(() => button.count()).toBe(0);
    const { body } = await accepted(world.service, 'getCodeRepositories');
    expect(body.repositories.map(({ name }: { name: string }) => name)).toEqual(['acme/shop']);
  });

  it('need no sideways scroll on a small screen', async () => {
    for (const path of ['/projects/default/features/used/metrics', '/unknown-flags']) {
      const page = await open(path, signedOn, { width: 360, height: 740 });
      await page.getByText('acme/shop').filter({ visible: true }).first().waitFor();
      const widths = (await page.evaluate('[document.documentElement.scrollWidth, window.innerWidth]')) as number[];
      expect(widths[0], path).toBeLessThanOrEqual(widths[1] as number);
    }
  });
});
