import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, flag, prepare } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { Sdk } from '../support/sdk.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();
const MEMBER = 300;
const OWN = 210;
const OTHERS = 40;
const nameOf = (index: number) => `bulk-${String(index).padStart(3, '0')}`;

/** 250 flags; of these, 40 are in a project that the person may only see. */
beforeAll(async () => {
  const { service } = world;
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
  await prepare(service, (draft) => {
    for (let index = 0; index < OWN + OTHERS; index++)
      draft.put('features', flag(nameOf(index), { project: index < OWN ? 'default' : 'shop' }));
  });
  await putUser(service, MEMBER, { name: 'Mem', rootRole: ROLE_ID.viewer });
  await prepare(service, (draft) => give(draft, 'default', 'user', MEMBER, [ROLE_ID.member]));
});

async function found(query: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (let offset = 0; ; offset += 100) {
    const { body } = await world.service.call('searchFeatures', { query: `${query}&limit=100&offset=${offset}` });
    for (const { name } of body.features) names.add(name);
    if (names.size >= body.total) return names;
  }
}

/** Keeps every text of the progress that the page shows. */
const watchProgress = (page: Page) =>
  page.evaluate(`(() => {
    window.progressSeen = [];
    new MutationObserver(() => {
      const shown = document.querySelector('[role=dialog] progress');
      if (shown && window.progressSeen.at(-1) !== shown.value) window.progressSeen.push(shown.value);
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  })()`);

/** The flags that the dialog names as not changed. */
async function refusedIn(dialog: Locator): Promise<string[]> {
  const texts = await dialog.getByRole('listitem').locator('code').allInnerTexts();
  return texts.flatMap((text) => text.split(', ')).sort();
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => nameOf(from + at));

async function openAndSelect(): Promise<Page> {
  const signedOn = await browserOf(world.service, MEMBER);
  const guarded = await world.browser.open(world.service.url, '/features?q=bulk-', { signedOn });
  guarded.allow(403, 404);
  const { page } = guarded;
  await page.getByRole('checkbox', { name: 'Select all rows' }).click();
  await page.getByText('250 selected', { exact: true }).waitFor();
  return page;
}

describe('journey 29: 250 flags selected', () => {
  it('are tagged with progress; the outcome names exactly the flags that were not changed', async () => {
    const page = await openAndSelect();
    await page.getByRole('button', { name: 'Tag…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value').fill('release-9');
    await dialog.getByLabel('Value').press('Tab');
    await dialog.getByText('250 flags will change.').waitFor();
    await expectAccessible(page, 'the dialog of many flags');
    await watchProgress(page);
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByText(`${OTHERS} flags were not changed`).waitFor();
    await dialog.getByText(`${OWN} flags changed`).waitFor();
    await expectAccessible(page, 'the outcome of many flags');
    expect(await refusedIn(dialog)).toEqual(range(OWN, OWN + OTHERS));
    expect(await dialog.getByRole('listitem').first().innerText()).toMatch(/UPDATE_FEATURE/);
    const seen = (await page.evaluate('window.progressSeen')) as number[];
    expect(seen).toEqual([...seen].sort((left, right) => left - right));
    expect(new Set(seen).size).toBeGreaterThanOrEqual(3);
    expect(await found('tag=INCLUDE:simple:release-9')).toEqual(new Set(range(0, OWN)));
  });

  it('are switched; one that was archived in the meantime does not hold back the others', async () => {
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const page = await openAndSelect();
    await page.getByRole('button', { name: 'Switch on…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('250 flags will change.').waitFor();
    await accepted(world.service, 'archiveFeature', { params: { projectId: 'default', featureName: nameOf(150) } });
    // The list does not have it any more, and the dialog still does.
    await page.getByText('249 selected', { exact: true }).waitFor({ state: 'attached' });
    await dialog.getByText('250 flags will change.').waitFor();
    await watchProgress(page);
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog
      .getByText('were not changed')
      .waitFor()
      .catch(() => undefined);
    await dialog.getByText(`${OTHERS + 1} flags were not changed`).waitFor();
    await dialog.getByText(`${OWN - 1} flags changed`).waitFor();
    expect(await refusedIn(dialog)).toEqual([nameOf(150), ...range(OWN, OWN + OTHERS)]);
    const on = new Set(range(0, OWN).filter((name) => name !== nameOf(150)));
    expect(await found('status[]=development:enabled')).toEqual(on);
    for (const index of [0, 99, 100, 149, 151, OWN - 1, OWN, OWN + OTHERS - 1])
      expect(await sdk.isEnabled(nameOf(index)), nameOf(index)).toBe(index < OWN);
    sdk.end();
  });
});
