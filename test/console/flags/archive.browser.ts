import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, refused } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const projectId = 'default';

beforeAll(async () => {
  for (const name of ['parent', 'child-one', 'child-two']) {
    await accepted(world.service, 'createFeature', { params: { projectId }, body: { name } });
    const params = { projectId, featureName: name, environment: 'development' };
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
  }
  for (const child of ['child-one', 'child-two'])
    await accepted(world.service, 'addFeatureDependency', {
      params: { projectId, child },
      body: { feature: 'parent', enabled: true },
    });
});

async function openArchiveDialog(page: Page) {
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Archive…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

const archivedNames = async () =>
  (await accepted(world.service, 'getArchivedFeatures')).body.features.map(({ name }: { name: string }) => name).sort();

describe('journey 28: archiving a parent', () => {
  it('names the children and is blocked, as in the API; without them it is archived, and revived', async () => {
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const signedOn = await browserOf(world.service, ADMIN.id);
    const guarded = await world.browser.open(world.service.url, '/projects/default/features/parent', { signedOn });
    // The address of a flag answers 404 while the flag is archived; the page reads it from the archive then.
    guarded.allow(404);
    const { page } = guarded;
    const dialog = await openArchiveDialog(page);
    for (const child of ['child-one', 'child-two']) await dialog.getByRole('link', { name: child }).waitFor();
    const run = dialog.getByRole('button', { name: 'Archive', exact: true });
    expect(await run.getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page, 'a parent that cannot be archived');
    await run.focus();
    await page.keyboard.press('Enter');
    await refused(world.service, 'archiveFeature', [403, 'NoAccessError'], {
      params: { projectId, featureName: 'parent' },
    });
    expect(await archivedNames()).toEqual([]);

    await dialog.getByRole('link', { name: 'child-one' }).click();
    await page.getByRole('heading', { level: 1, name: 'child-one' }).waitFor();
    const ofChild = await openArchiveDialog(page);
    await ofChild.getByRole('button', { name: 'Archive', exact: true }).click();
    await expect.poll(archivedNames).toEqual(['child-one']);
    await accepted(world.service, 'archiveFeature', { params: { projectId, featureName: 'child-two' } });

    await page.goto(`${world.service.url}/projects/default/features/parent`);
    expect(await sdk.isEnabled('parent')).toBe(true);
    const unblocked = await openArchiveDialog(page);
    await unblocked.getByRole('button', { name: 'Archive', exact: true }).click();
    await unblocked.waitFor({ state: 'detached' });
    await expect.poll(archivedNames).toEqual(['child-one', 'child-two', 'parent']);
    expect(await sdk.isEnabled('parent')).toBe(false);
    await page.getByText('Archived', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Revive' }).click();
    await expect.poll(archivedNames).toEqual(['child-one', 'child-two']);
    const target = page.getByRole('switch', { name: 'parent in development' });
    await target.waitFor();
    expect(await target.getAttribute('aria-checked')).toBe('false');
    expect(await sdk.isEnabled('parent')).toBe(false);
    sdk.end();
  });
});
