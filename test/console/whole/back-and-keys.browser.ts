import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { isFocused } from '../support/keyboard.ts';
import { panelOf } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAGS = 400;
const OTHER = 101;
let signedOn: Record<string, string>;

const create = (name: string) =>
  accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
const settings = async (featureName: string, environment: string) =>
  (
    await accepted(world.service, 'getFeatureEnvironment', {
      params: { projectId: 'default', featureName, environment },
    })
  ).body;

const addStrategy = (featureName: string, environment: string) =>
  accepted(world.service, 'addFeatureStrategy', {
    params: { projectId: 'default', featureName, environment },
    body: { name: 'flexibleRollout', parameters: { rollout: '10', stickiness: 'default', groupId: featureName } },
  });

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  await putUser(world.service, OTHER, { username: 'bo', email: 'bo@example.org', name: 'Bo', rootRole: 1 });
  for (let index = 0; index < FLAGS; index++) await create(`listed-${String(index).padStart(3, '0')}`);
});

const open = async (path: string, session = signedOn): Promise<Page> =>
  (await world.browser.open(world.service.url, path, { signedOn: session })).page;
const flagPath = (name: string) => `/projects/default/features/${name}`;
const column = (page: Page, name: string) => page.getByRole('region', { name });

/** Changes the rollout of the only strategy, without saving it. */
async function draftRollout(page: Page, environment: string, rollout: string): Promise<void> {
  await column(page, environment).getByRole('button', { name: 'Edit' }).first().click();
  await panelOf(page).getByRole('textbox', { name: 'Rollout' }).fill(rollout);
}

describe('the draft of a strategy', () => {
  it('is there after a reload and in no page of another person, and says when it was typed', async () => {
    await create('drafted');
    await addStrategy('drafted', 'development');
    const page = await open(flagPath('drafted'));
    await draftRollout(page, 'development', '35');
    await page.reload();
    const bar = column(page, 'development').getByRole('group', { name: 'Draft' });
    await bar.getByText('1 unsaved change').waitFor();
    await bar.getByText(/typed/).waitFor();
    expect(await panelOf(page).getByRole('textbox', { name: 'Rollout' }).inputValue()).toBe('35');

    // The same browser, another person.
    const theirs = await browserOf(world.service, OTHER);
    const [name = '', value = ''] = (theirs.cookie ?? '').split('=');
    await page.context().addCookies([{ name, value, url: world.service.url }]);
    await page.reload();
    await column(page, 'development').getByRole('switch').waitFor();
    expect(await bar.count()).toBe(0);
  });

  it('is combined with what others saved while the page was closed', async () => {
    await create('combined');
    await addStrategy('combined', 'development');
    const page = await open(flagPath('combined'));
    await draftRollout(page, 'development', '35');
    await page.goto('about:blank');
    await accepted(world.service, 'toggleFeatureEnvironmentOn', {
      params: { projectId: 'default', featureName: 'combined', environment: 'development' },
    });
    await page.goto(world.service.url + flagPath('combined'));
    await column(page, 'development').getByRole('button', { name: 'Review' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/10\s?% → 35\s?%/)
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const { enabled, strategies } = await settings('combined', 'development');
    expect([enabled, strategies[0].parameters.rollout]).toEqual([true, '35']);
    const kept = () => page.evaluate<string>('Object.keys(localStorage).filter((key) => /typed/.test(key)).join()');
    await expect.poll(kept).toBe('');
  });
});

describe('the settings of a flag', () => {
  it('keep what is typed when another tab is chosen', async () => {
    await create('tabs');
    const page = await open(`${flagPath('tabs')}/settings`);
    await page.getByLabel('Description').fill('Half a sentence');
    await page.getByLabel('Address', { exact: false }).first().fill('https://example.org/half');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('tabpanel', { name: 'History' }).waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    expect(await page.getByLabel('Description').inputValue()).toBe('Half a sentence');
    expect(await page.getByLabel('Address', { exact: false }).first().inputValue()).toBe('https://example.org/half');
  });
});

describe('a session that ended', () => {
  it('keeps what was typed until the person signs on again, also in another page', async () => {
    const guarded = await world.browser.open(world.service.url, '/features?panel=create', { signedOn });
    guarded.allow(401);
    const { page } = guarded;
    await panelOf(page).getByLabel('Name').fill('written-before');
    await page.context().clearCookies();
    await page.reload();
    await page.getByLabel('Username', { exact: false }).fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Sign on' }).click();
    await expect.poll(() => panelOf(page).getByLabel('Name').inputValue()).toBe('written-before');
    const storage = await page.evaluate<string>('JSON.stringify(localStorage)');
    expect(storage).not.toContain(ADMIN.password);
  });
});

describe('Back', () => {
  it('closes what was opened last: a dialog, then a panel, then it leaves the screen', async () => {
    const page = await open('/tag-types');
    await page.getByRole('row', { name: /simple/ }).waitFor();
    await page.evaluate(`history.pushState(null, '', '/admin/banners')`);
    await page.getByText('There is no banner.').waitFor();
    await page.evaluate(`history.pushState(null, '', '/tag-types')`);
    await page.getByRole('row', { name: /simple/ }).click();
    await panelOf(page).getByLabel('Description').waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await panelOf(page).getByLabel('Description').waitFor();
    await page.goBack();
    await panelOf(page).waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/tag-types');
    await page.goBack();
    await page.getByText('There is no banner.').waitFor();
  });

  it('does not open again what was closed by its own button', async () => {
    const page = await open('/admin/banners');
    await page.getByText('There is no banner.').waitFor();
    await page.evaluate(`history.pushState(null, '', '/tag-types')`);
    await page.getByRole('row', { name: /simple/ }).click();
    await panelOf(page).getByRole('button', { name: 'Cancel' }).click();
    await panelOf(page).waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByText('There is no banner.').waitFor();
  });

  it('leads from a new flag to the list, not to the panel that created it', async () => {
    const page = await open('/features?q=made-here');
    await page.getByRole('button', { name: 'Create flag' }).first().click();
    await panelOf(page).getByLabel('Name').fill('made-here');
    await panelOf(page).getByLabel('Name').press('Enter');
    await page.waitForURL('**/features/made-here');
    await column(page, 'development').waitFor();
    await page.goBack();
    await page.getByText('made-here').first().waitFor();
    expect(new URL(page.url()).search).toBe('?q=made-here');
    expect(await panelOf(page).count()).toBe(0);
  });

  it('closes a review, and what is chosen in the palette takes its place', async () => {
    await create('reviewed');
    const page = await open(flagPath('reviewed'));
    await column(page, 'production').getByRole('switch').click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(flagPath('reviewed'));
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Flag, screen or action' }).fill('Origins');
    await page.getByRole('option', { name: 'Origins' }).first().click();
    await page.waitForURL('**/admin/cors');
    await page.goBack();
    await column(page, 'production').getByRole('switch').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('returns to the place of a filtered list', async () => {
    const page = await open('/features?q=listed');
    const list = page.getByRole('grid');
    await page.getByText('listed-000').first().waitFor();
    await list.evaluate((element) => {
      element.scrollTop = 6_000;
    });
    const row = page.getByText('listed-170').first();
    await row.waitFor();
    await row.click();
    await page.waitForURL('**/listed-170');
    await column(page, 'development').waitFor();
    await page.goBack();
    await row.waitFor();
    expect(await list.evaluate(({ scrollTop }) => scrollTop)).toBe(6_000);
    expect(new URL(page.url()).search).toBe('?q=listed');
  });
});

describe('Enter', () => {
  it('creates from a field of one line, and Ctrl Enter from a field of several lines', async () => {
    const page = await open('/projects?panel=create');
    const panel = panelOf(page);
    await panel.getByLabel('Name').fill('By Enter');
    await panel.getByLabel('Name').press('Enter');
    await expect
      .poll(async () => (await world.service.call('getProjectOverview', { params: { projectId: 'by-enter' } })).status)
      .toBe(200);
    await page.goto(`${world.service.url}/projects?panel=create`);
    await panel.getByLabel('Name').fill('By Ctrl Enter');
    await panel.getByLabel('Description').press('Enter');
    await panel.getByLabel('Description').press('ControlOrMeta+Enter');
    await expect
      .poll(
        async () => (await world.service.call('getProjectOverview', { params: { projectId: 'by-ctrl-enter' } })).status,
      )
      .toBe(200);
  });

  it('opens the review of production, and saves nothing there', async () => {
    await create('entered');
    await addStrategy('entered', 'production');
    const page = await open(flagPath('entered'));
    await draftRollout(page, 'production', '60');
    await panelOf(page).getByRole('textbox', { name: 'Rollout' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/10\s?% → 60\s?%/)
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    expect((await settings('entered', 'production')).strategies[0].parameters.rollout).toBe('10');
    await page.keyboard.press('ControlOrMeta+Enter');
    await dialog.waitFor({ state: 'detached' });
    expect((await settings('entered', 'production')).strategies[0].parameters.rollout).toBe('60');
  });

  it('goes to the button of a panel that saves to production', async () => {
    const page = await open('/admin/api?panel=create');
    const panel = panelOf(page);
    await panel.getByRole('combobox', { name: 'Environment' }).click();
    await page.getByRole('option', { name: 'production' }).click();
    await panel.getByLabel('Name').fill('by-enter');
    await panel.getByLabel('Name').press('Enter');
    await expect.poll(() => isFocused(panel.getByRole('button', { name: /^Create/ }))).toBe(true);
    const { body } = await accepted(world.service, 'getAllApiTokens', {});
    expect(body.tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).not.toContain('by-enter');
  });
});

describe('a switch', () => {
  it('says before it is pressed whether it saves at once, joins the draft, or opens the review', async () => {
    await create('switched');
    await addStrategy('switched', 'development');
    const page = await open(flagPath('switched'));
    const says = (environment: string) =>
      column(page, environment).getByRole('switch').getAttribute('aria-description');
    await expect.poll(() => says('development')).toBe('Saves at once, and offers to undo it');
    expect(await says('production')).toBe('Opens the review before it saves');
    await draftRollout(page, 'development', '20');
    await expect.poll(() => says('development')).toBe('Joins the unsaved changes');
    await column(page, 'development').getByRole('switch').click();
    await column(page, 'development').getByText('2 unsaved changes').waitFor();
    expect((await settings('switched', 'development')).enabled).toBe(false);

    await page.goto(`${world.service.url}/features?q=switched`);
    const inList = page.getByRole('switch', { name: 'switched in development' });
    await expect.poll(() => inList.getAttribute('aria-description')).toBe('Saves at once, and offers to undo it');
    await inList.click();
    await page.getByRole('region', { name: 'Last save' }).getByRole('button', { name: 'Undo' }).waitFor();
    expect((await settings('switched', 'development')).enabled).toBe(true);
  });
});
