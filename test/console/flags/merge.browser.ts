import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const GRACE = 201;
let ada: Record<string, string>;
let grace: Record<string, string>;

beforeAll(async () => {
  await putUser(world.service, GRACE, { name: 'Grace', username: 'grace', rootRole: 1 });
  ada = await browserOf(world.service, ADMIN.id);
  grace = await browserOf(world.service, GRACE);
});

const paramsOf = (featureName: string) => ({ projectId: 'default', featureName, environment: 'development' });
const strategyOf = async (name: string) => {
  const { body } = await accepted(world.service, 'getFeatureEnvironment', { params: paramsOf(name) });
  return body.strategies[0];
};
const VALUES = { inverted: false, caseInsensitive: false };
const SHOPS = { contextName: 'appName', operator: 'IN', values: ['shop'], ...VALUES };
const parametersOf = (name: string, rollout: string) => ({ rollout, stickiness: 'userId', groupId: name });

/** A flag that is on with one strategy. Returns its id. */
async function prepareFlag(name: string): Promise<string> {
  await accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
  const { body } = await accepted(world.service, 'addFeatureStrategy', {
    params: paramsOf(name),
    body: { name: 'flexibleRollout', title: 'All users', parameters: parametersOf(name, '0'), constraints: [] },
  });
  await accepted(world.service, 'toggleFeatureEnvironmentOn', { params: paramsOf(name) });
  return body.id;
}

const cardOf = (page: Page) => page.getByRole('region', { name: 'development' });
const editorOf = (page: Page) => page.getByRole('complementary', { name: /Strategy/ });

/** The page of a person who edits the strategy of the flag. */
async function edit(name: string, signedOn: Record<string, string>) {
  const guarded = await world.browser.open(world.service.url, `/projects/default/features/${name}`, { signedOn });
  await cardOf(guarded.page).getByRole('button', { name: 'Edit' }).click();
  await editorOf(guarded.page).getByRole('textbox', { name: 'Rollout' }).waitFor();
  return guarded;
}

const setRollout = (page: Page, percent: string) =>
  editorOf(page).getByRole('textbox', { name: 'Rollout' }).fill(percent);
const setTitle = (page: Page, title: string) => editorOf(page).getByRole('textbox', { name: 'Title' }).fill(title);

async function review(page: Page) {
  await cardOf(page).getByRole('button', { name: 'Review' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('What changes').waitFor();
  return dialog;
}

async function save(page: Page): Promise<void> {
  const dialog = await review(page);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

describe('journey 19: two people edit one strategy', () => {
  it('fields that one of them changed are taken, without a question', async () => {
    await prepareFlag('apart');
    const [first, second] = [await edit('apart', ada), await edit('apart', grace)];
    await setTitle(second.page, 'The first half');
    await cardOf(second.page).getByText(`${ADMIN.email} edits it, too`).waitFor();
    await setRollout(first.page, '50');
    await save(first.page);

    // The stream brings the other's change into the open editor; the own one stays.
    await expect.poll(() => editorOf(second.page).getByRole('textbox', { name: 'Rollout' }).inputValue()).toBe('50');
    expect(await editorOf(second.page).getByRole('textbox', { name: 'Title' }).inputValue()).toBe('The first half');
    const dialog = await review(second.page);
    expect(await dialog.innerText()).not.toContain('Both changed the same');
    expect(await dialog.getByRole('listitem').first().innerText()).toContain('Title: All users → The first half');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await strategyOf('apart')).toMatchObject({
      title: 'The first half',
      parameters: parametersOf('apart', '50'),
    });
  });

  it.each([
    ['Keep mine', '100'],
    ['Take theirs', '40'],
  ])('a field that both changed is shown for a choice: %s', async (choice, rollout) => {
    const name = `both-${rollout}`;
    const strategyId = await prepareFlag(name);
    const { page } = await edit(name, grace);
    await setRollout(page, '100');
    await setTitle(page, 'By Grace');
    // The other saves the same field, and two that only they changed.
    const params = { ...paramsOf(name), strategyId };
    const saved = await strategyOf(name);
    const theirs = { ...parametersOf(name, '40'), groupId: 'others' };
    await accepted(world.service, 'updateFeatureStrategy', {
      params,
      token: null,
      headers: ada,
      body: { ...saved, parameters: theirs, constraints: [SHOPS] },
    });
    await expect.poll(() => cardOf(page).innerText()).toContain('shop');
    const dialog = await review(page);
    const conflict = dialog.getByRole('group', { name: 'Both changed the same: Rollout' });
    await conflict.waitFor();
    expect(await conflict.innerText()).toMatch(/Yours: 100[\s\S]*Saved by others: 40/);
    const saving = dialog.getByRole('button', { name: 'Save', exact: true });
    expect(await saving.getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page, 'a conflict of two people');
    expect(await strategyOf(name)).toMatchObject({ title: 'All users', parameters: theirs });

    await conflict.getByRole('button', { name: choice }).click();
    await conflict.waitFor({ state: 'detached' });
    await saving.click();
    await dialog.waitFor({ state: 'detached' });
    expect(await strategyOf(name)).toMatchObject({
      id: strategyId,
      title: 'By Grace',
      constraints: [SHOPS],
      parameters: { ...theirs, rollout },
    });
  });

  it('a save between the last read and the write is refused with 412, and merged', async () => {
    const strategyId = await prepareFlag('raced');
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const guarded = await edit('raced', grace);
    guarded.allow(412);
    const { page } = guarded;
    await setRollout(page, '100');
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'PUT') statuses.push(response.status());
    });
    // The other's save arrives after the page has read the newest state, and before its own write.
    let isFirst = true;
    await page.route('**/strategies/*', async (route) => {
      if (route.request().method() === 'PUT' && isFirst) {
        isFirst = false;
        expect(route.request().headers()['if-match']).toMatch(/^"/);
        await accepted(world.service, 'updateFeatureStrategy', {
          params: { ...paramsOf('raced'), strategyId },
          token: null,
          headers: ada,
          body: { ...(await strategyOf('raced')), parameters: parametersOf('raced', '10'), constraints: [SHOPS] },
        });
      }
      await route.continue();
    });
    const dialog = await review(page);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = dialog.getByRole('group', { name: 'Both changed the same: Rollout' });
    await conflict.waitFor();
    expect(statuses).toEqual([412]);
    expect(await strategyOf('raced')).toMatchObject({ parameters: parametersOf('raced', '10'), constraints: [SHOPS] });
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(statuses).toEqual([412, 200]);
    expect(await strategyOf('raced')).toMatchObject({ parameters: parametersOf('raced', '100'), constraints: [SHOPS] });
    expect(await sdk.isEnabled('raced', { userId: '1', appName: 'shop' })).toBe(true);
    expect(await sdk.isEnabled('raced', { userId: '1', appName: 'other' })).toBe(false);
    sdk.end();
  });

  it('a strategy that the other deleted is not lost', async () => {
    const strategyId = await prepareFlag('deleted');
    const { page } = await edit('deleted', grace);
    await setTitle(page, 'Still needed');
    // The page reads the flag again when it learns of the change.
    const isReadAgain = page.waitForResponse((answer) => new URL(answer.url()).pathname.endsWith('/features/deleted'));
    await accepted(world.service, 'deleteFeatureStrategy', {
      params: { ...paramsOf('deleted'), strategyId },
      token: null,
      headers: ada,
    });
    await isReadAgain;
    const dialog = await review(page);
    const conflict = dialog.getByRole('group', { name: 'Both changed the same: The whole strategy' });
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const restored = await strategyOf('deleted');
    expect(restored).toMatchObject({ title: 'Still needed', parameters: parametersOf('deleted', '0') });
    expect(restored.id).not.toBe(strategyId);
  });
});
