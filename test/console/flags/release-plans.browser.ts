import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accepted, flag, prepare, switchedOn } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { panelOf } from '../support/panel.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const VIEWER = 801;
const OWNER = 802;
const FLAG = 'checkout';
const DEVELOPMENT = { projectId: 'default', featureName: FLAG, environment: 'development' };
const PRODUCTION = { ...DEVELOPMENT, environment: 'production' };
let admin: Record<string, string>;
let viewer: Record<string, string>;
let owner: Record<string, string>;

beforeAll(async () => {
  const { service } = world;
  await putUser(service, VIEWER, { name: 'Vic', username: 'vic', rootRole: 3 });
  await putUser(service, OWNER, { name: 'Olga', username: 'olga', rootRole: 3 });
  const { body } = await accepted(service, 'getProjectAccess', { params: { projectId: 'default' } });
  const role = body.roles.find(({ name }: { name: string }) => name === 'Owner').id;
  await accepted(service, 'addAccessToProject', {
    params: { projectId: 'default' },
    body: { roles: [role], groups: [], users: [OWNER] },
  });
  admin = await browserOf(service, ADMIN.id);
  owner = await browserOf(service, OWNER);
  viewer = await browserOf(service, VIEWER);
});

beforeEach(async () => {
  for (const { id } of await templates())
    await accepted(world.service, 'deleteReleasePlanTemplate', { params: { templateId: id } });
  await prepare(world.service, (draft) => draft.put('features', flag(FLAG)));
});

const open = async (path: string, signedOn = admin) =>
  (await world.browser.open(world.service.url, path, { signedOn })).page;
const flagPath = `/projects/default/features/${FLAG}`;
const templates = async () => (await accepted(world.service, 'getReleasePlanTemplates')).body;
const planOf = async (params: Readonly<Record<string, string>>) =>
  (await accepted(world.service, 'getReleasePlans', { params })).body[0];
const column = (page: Page, environment: string) => page.getByRole('region', { name: environment, exact: true });
const rollout = (percent: string) => ({
  strategyName: 'flexibleRollout',
  parameters: { rollout: percent, stickiness: 'default', groupId: '' },
});

async function template(): Promise<string> {
  const milestones = [
    { name: 'First users', strategies: [rollout('0')] },
    { name: 'Everyone', strategies: [rollout('100')] },
  ];
  return (await accepted(world.service, 'createReleasePlanTemplate', { body: { name: 'Two steps', milestones } })).body
    .id;
}

/** Asks in a dialog of the plan, and answers it. */
async function confirm(page: Page, label: string, reason = ''): Promise<void> {
  const dialog = page.getByRole('dialog');
  if (reason !== '') await dialog.getByLabel('Why?').fill(reason);
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function planMenu(page: Page, environment: string, entry: string): Promise<void> {
  await column(page, environment).getByRole('button', { name: 'Actions for the release plan' }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

describe('release plans in the console', () => {
  it('by keyboard: a template, its plan for a flag, and its second milestone, which an SDK then sees', async () => {
    const page = await open('/release-templates');
    await page.getByText('There is no release template yet.').waitFor();
    const keyboard = new Keyboard(page);
    await keyboard.activate(page.getByRole('button', { name: 'Create release template' }));
    await keyboard.fill(page.getByLabel('Name'), 'Two steps');
    expect(await page.getByText(/unsaved change/).count()).toBe(0);
    await keyboard.activate(page.getByRole('button', { name: 'Edit “10% by user or session”' }));
    await keyboard.fill(panelOf(page).getByRole('textbox', { name: 'Rollout' }), '0');
    await expectAccessible(page, 'the strategy of a milestone');
    await keyboard.press('Escape');
    await keyboard.activate(page.getByRole('button', { name: 'Remove Half' }));
    await keyboard.tabTo(page.getByRole('button', { name: 'Move Everyone up' }));
    await keyboard.press('Enter');
    await expect.poll(() => page.getByRole('textbox', { name: /^Milestone 1/ }).inputValue()).toBe('Everyone');
    await keyboard.activate(page.getByRole('button', { name: 'Move Everyone down' }));
    await expect.poll(() => page.getByRole('textbox', { name: /^Milestone 2/ }).inputValue()).toBe('Everyone');
    await expectAccessible(page, 'the editor of a template');
    await keyboard.activate(page.getByRole('button', { name: 'Create', exact: true }));
    await page.getByRole('heading', { level: 1, name: 'Two steps' }).waitFor();
    await page.getByText('To use it, open a flag').waitFor();
    expect(await templates()).toMatchObject([
      {
        name: 'Two steps',
        milestones: [
          { name: 'First users', strategies: [{ parameters: { rollout: '0' } }] },
          { name: 'Everyone', strategies: [{ parameters: { rollout: '100' } }] },
        ],
      },
    ]);

    const flagPage = await open(flagPath);
    const keys = new Keyboard(flagPage);
    const menu = column(flagPage, 'development').getByRole('button', { name: 'Actions for development' });
    await keys.activate(menu);
    await flagPage.getByRole('menuitem', { name: 'Add release plan…' }).waitFor();
    await keys.press('Escape');
    await keys.activate(column(flagPage, 'development').getByRole('button', { name: 'Add release plan' }));
    await flagPage.getByRole('dialog').getByText('starts when the flag is switched on.').waitFor();
    await expectAccessible(flagPage, 'the dialog that adds a plan');
    await keys.activate(flagPage.getByRole('button', { name: 'Add the plan' }));
    const plan = column(flagPage, 'development').getByRole('region', { name: 'Release plan: Two steps' });
    await plan.getByText('It starts when the flag is switched on.').waitFor();
    await keys.activate(column(flagPage, 'development').getByRole('switch'), 'Space');
    await plan.getByText('Active').waitFor();
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    try {
      expect(await sdk.isEnabled(FLAG)).toBe(false);
      await keys.activate(plan.getByRole('button', { name: 'Start Everyone…' }));
      await flagPage.getByRole('dialog').getByText('take the place of those of First users').waitFor();
      await keys.activate(flagPage.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }));
      await plan.locator('[aria-current=step]').getByText('Everyone', { exact: true }).waitFor();
      await flagPage.getByText('Milestone Everyone started').first().waitFor();
      expect(await sdk.isEnabled(FLAG)).toBe(true);
    } finally {
      sdk.end();
    }
    await expectAccessible(flagPage, 'a flag with a release plan');
  });

  it('are timed, paused with a reason, guarded, and removed', async () => {
    const { service } = world;
    await accepted(service, 'addReleasePlan', { params: DEVELOPMENT, body: { templateId: await template() } });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params: DEVELOPMENT });
    const page = await open(flagPath);
    const plan = column(page, 'development').getByRole('region', { name: 'Release plan: Two steps' });
    await plan.getByText('A person starts the next one.').waitFor();
    await plan.getByRole('button', { name: 'Actions for First users' }).click();
    await page.getByRole('menuitem', { name: 'Change the time…' }).click();
    await page.getByLabel('Start the next milestone by itself').check();
    await page.getByRole('dialog').getByLabel('After').fill('2');
    await confirm(page, 'Save');
    await plan.getByText('The next one starts').waitFor();
    expect((await planOf(DEVELOPMENT)).milestones[0].transitionCondition).toEqual({ intervalMinutes: 2880 });

    await planMenu(page, 'development', 'Pause…');
    await confirm(page, 'Pause', 'Waits for the price list');
    await plan.getByText('Waits for the price list').waitFor();
    expect(await planOf(DEVELOPMENT)).toMatchObject({ pauseReason: 'Waits for the price list', nextMilestoneAt: null });
    await expectAccessible(page, 'a paused plan');
    await plan.getByRole('button', { name: 'Continue…' }).click();
    await confirm(page, 'Continue');
    await plan.getByText('Paused').first().waitFor({ state: 'detached' });

    await plan.getByRole('button', { name: 'Add safeguard…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Metric that SDKs report').fill('checkout_errors');
    await dialog.getByLabel('Limit').fill('5');
    await expectAccessible(page, 'the dialog of a safeguard');
    await confirm(page, 'Save');
    await plan.getByText('checkout_errors').waitFor();
    const condition = { metricName: 'checkout_errors', aggregation: 'count', operator: '>', threshold: 5 };
    expect((await planOf(DEVELOPMENT)).safeguards).toMatchObject([
      { ...condition, windowMinutes: 15, action: 'pause' },
    ]);
    await plan.getByRole('button', { name: 'Remove the safeguard of checkout_errors' }).click();
    await confirm(page, 'Remove');

    await planMenu(page, 'development', 'Remove the plan…');
    await confirm(page, 'Remove', 'Not needed');
    await plan.waitFor({ state: 'detached' });
    expect(await planOf(DEVELOPMENT)).toBeUndefined();
  });

  it('are a part of the rule that a review shows: what the switch and a start do, and why no part is deleted', async () => {
    await accepted(world.service, 'addReleasePlan', { params: PRODUCTION, body: { templateId: await template() } });
    const page = await open(flagPath);
    const production = column(page, 'production');
    const plan = production.getByRole('region', { name: 'Release plan: Two steps' });
    await plan.getByText('It starts when the flag is switched on.').waitFor();
    await production.getByText('OFF. When it is switched on, it is ON for:').waitFor();
    expect(await production.getByText('Without a strategy').count()).toBe(0);
    await production.getByRole('switch').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Milestone First users of the release plan starts').waitFor();
    await dialog.getByText('1,000 the same').waitFor();
    const rule = dialog.locator('section', { has: page.getByRole('heading', { name: 'Afterwards' }) });
    expect(await rule.innerText()).toMatch(/ON for\s+no one \(0 %\)/);
    await dialog.getByRole('button', { name: 'Save to production' }).click();
    await dialog.waitFor({ state: 'detached' });
    await plan.getByText('Active').waitFor();

    await plan.getByRole('button', { name: 'Start Everyone…' }).click();
    await dialog.getByRole('heading', { name: 'Start milestone “Everyone” in production?' }).waitFor();
    await dialog.getByText('1,000 off → on').waitFor();
    const rules = dialog.locator('section', { has: page.getByRole('heading', { name: /^(Now|Afterwards)$/ }) });
    expect((await rules.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'Now ON for no one (0 %)',
      'Afterwards ON for everyone',
    ]);
    await expectAccessible(page, 'the dialog that starts a milestone');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await production.getByRole('button', { name: 'Actions for strategy “no one (0 %)”' }).click();
    const remove = page.getByRole('menuitem', { name: 'Delete' });
    await remove.getByText('It belongs to the milestone First users: start another milestone').waitFor();
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
  });

  it('go into a change request where changes need a review, and a viewer sees why nothing can be changed', async () => {
    const { service } = world;
    await accepted(service, 'addReleasePlan', { params: PRODUCTION, body: { templateId: await template() } });
    const config = { projectId: 'default', environment: 'production' };
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params: config,
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    const page = await open(flagPath, owner);
    await column(page, 'production').getByRole('button', { name: 'Start First users…' }).click();
    await page.getByRole('dialog').getByText('Changes in this environment need a review.').waitFor();
    await confirm(page, 'Add to a change request', 'Release it');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('Milestone First users started').first().waitFor();
    expect((await planOf(PRODUCTION)).activeMilestoneId).toBeNull();

    const shown = await open('/release-templates', viewer);
    const create = shown.getByRole('button', { name: 'Create release template' });
    await create.waitFor();
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    await shown.getByText('Two steps').first().click();
    await shown.getByRole('heading', { level: 1, name: 'Two steps' }).waitFor();
    const add = shown.getByRole('button', { name: 'Add milestone' });
    await expect.poll(() => add.getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(shown, 'a template for a viewer');
  });
});

it('a template that is deleted elsewhere stays with what was typed, until it is discarded', async () => {
  const id = await template();
  const guarded = await world.browser.open(world.service.url, `/release-templates/edit/${id}`, {
    signedOn: admin,
  });
  guarded.allow(404);
  const { page } = guarded;
  const text = page.getByRole('textbox', { name: 'Description' });
  await text.fill('Typed for long');
  await accepted(world.service, 'deleteReleasePlanTemplate', { params: { templateId: id } });
  await page.getByText('This was deleted in the meantime').waitFor();
  expect(await text.inputValue()).toBe('Typed for long');
  await page.getByRole('button', { name: 'Review', description: 'It was deleted in the meantime' }).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('link', { name: 'Go to the flags' }).waitFor();
});

it('a project has release templates of its own: created and edited there, and offered to its flags only', async () => {
  const ofProject = { projectId: 'default' };
  const page = await open('/release-templates');
  await page.getByLabel('Whose templates').click();
  await page.getByRole('option', { name: 'Of Default' }).click();
  await page.getByRole('heading', { level: 1, name: 'Release templates of default' }).waitFor();
  await page.getByRole('button', { name: 'Create release template' }).click();
  await page.getByLabel('Name').fill('Of the project');
  await expectAccessible(page, 'a new template of a project');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Of the project' }).waitFor();
  const stored = async () =>
    (await accepted(world.service, 'getReleasePlanTemplatesOfProject', { params: ofProject })).body;
  expect(await stored()).toMatchObject([{ name: 'Of the project', project: 'default' }]);
  expect(await templates()).toEqual([]);
  const flagPage = await open(flagPath);
  await column(flagPage, 'development').getByRole('button', { name: 'Add release plan' }).click();
  await flagPage.getByRole('button', { name: 'Add the plan' }).click();
  await column(flagPage, 'development').getByRole('region', { name: 'Release plan: Of the project' }).waitFor();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await confirm(page, 'Delete');
  await page.getByRole('heading', { level: 1, name: 'Release templates of default' }).waitFor();
  expect(await stored()).toEqual([]);
});

describe('a plan beside strategies that are there', () => {
  const strategiesOf = async (params: Readonly<Record<string, string>>) =>
    (await accepted(world.service, 'getFeatureStrategies', { params })).body;
  const addIn = (page: Page, environment: string) =>
    column(page, environment).getByRole('button', { name: 'Add release plan' });
  const counted = (page: Page, text: string) => page.getByRole('dialog').getByText(text, { exact: true }).waitFor();
  const setReviews = (changeRequestsEnabled: boolean) =>
    accepted(world.service, 'updateProjectChangeRequestConfig', {
      params: { projectId: 'default', environment: 'production' },
      body: { changeRequestsEnabled, requiredApprovals: 1 },
    });
  const forEveryone = async () => {
    await setReviews(false);
    await prepare(world.service, (draft) =>
      draft.put('features', flag(FLAG, { environments: [switchedOn('development'), switchedOn('production')] })),
    );
    await template();
  };

  it('says that it does nothing, shows who changes in each milestone, replaces them, and one undo brings them back', async () => {
    await forEveryone();
    const page = await open(flagPath);
    await addIn(page, 'production').click();
    const dialog = page.getByRole('dialog');
    const pointless = dialog.getByText('A strategy that is there already is for everyone.');
    await pointless.waitFor();
    await dialog.getByText('The flag is already on for 1,000 of these 1,000, by another strategy.').waitFor();
    await dialog.getByRole('radio', { name: 'Everyone' }).check();
    await counted(page, '1,000 the same');

    await dialog.getByLabel('Replace the strategies that are there').check();
    await dialog.getByText('These strategies are removed: everyone.').waitFor();
    expect(await pointless.count()).toBe(0);
    await counted(page, '1,000 the same');
    await dialog.getByRole('radio', { name: 'First users' }).check();
    await counted(page, '1,000 on → off');
    const rule = dialog.locator('section', { has: page.getByRole('heading', { name: 'Afterwards' }) });
    expect((await rule.innerText()).replace(/\s+/g, ' ')).toContain('ON for no one (0 %)');
    await expectAccessible(page, 'the dialog that adds a plan beside a strategy');
    await confirm(page, 'Add the plan');

    const plan = column(page, 'production').getByRole('region', { name: 'Release plan: Two steps' });
    await plan.getByText('Active').waitFor();
    const [first] = (await planOf(PRODUCTION)).milestones;
    expect(await strategiesOf(PRODUCTION)).toMatchObject([{ milestoneId: first.id, parameters: { rollout: '0' } }]);
    expect(await strategiesOf(DEVELOPMENT)).toMatchObject([{ name: 'default' }]);
    await page.getByText('Release plan Two steps added').first().waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('button', { name: 'Undo 2 changes' }).click();
    await plan.waitFor({ state: 'detached' });
    expect(await planOf(PRODUCTION)).toBeUndefined();
    expect(await strategiesOf(PRODUCTION)).toMatchObject([{ name: 'default' }]);
  });

  it('by keyboard: of a flag that is off, the milestones are tried as if it were on', async () => {
    await forEveryone();
    await accepted(world.service, 'toggleFeatureEnvironmentOff', { params: DEVELOPMENT });
    const page = await open(flagPath);
    const keys = new Keyboard(page);
    await keys.activate(addIn(page, 'development'));
    const dialog = page.getByRole('dialog');
    await keys.activate(dialog.getByLabel('Replace the strategies that are there'), 'Space');
    await dialog.getByText('The flag is off now. This is when it is switched on:').waitFor();
    await counted(page, '1,000 the same');
    await keys.tabTo(dialog.getByRole('radio', { name: 'First users' }));
    await keys.press('ArrowRight');
    await counted(page, '1,000 off → on');
    await keys.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    const plan = column(page, 'development').getByRole('region', { name: 'Release plan: Two steps' });
    await plan.getByText('It starts when the flag is switched on.').waitFor();
    expect(await strategiesOf(DEVELOPMENT)).toEqual([]);
    expect((await planOf(DEVELOPMENT)).activeMilestoneId).toBeNull();
  });

  it('that stays makes the flag say it; where changes need a review, all of it is one change request', async () => {
    await forEveryone();
    const page = await open(flagPath);
    await addIn(page, 'development').click();
    await confirm(page, 'Add the plan');
    const plan = column(page, 'development').getByRole('region', { name: 'Release plan: Two steps' });
    await plan.getByText('A strategy beside the plan is for everyone.').waitFor();
    expect(await strategiesOf(DEVELOPMENT)).toHaveLength(2);

    await setReviews(true);
    const reviewed = await open(flagPath);
    await addIn(reviewed, 'production').click();
    await reviewed.getByLabel('Replace the strategies that are there').check();
    await counted(reviewed, '1,000 on → off');
    await confirm(reviewed, 'Add to a change request');
    await reviewed.getByRole('button', { name: 'Open', exact: true }).click();
    await reviewed.getByRole('heading', { level: 1 }).waitFor();
    const id = new URL(reviewed.url()).pathname.split('/').at(-1) ?? '';
    const request = (await accepted(world.service, 'getChangeRequest', { params: { projectId: 'default', id } })).body;
    const { changes } = request.features[0];
    expect(changes.map(({ action }: { action: string }) => action)).toEqual(['addReleasePlan', 'deleteStrategy']);
    expect(await planOf(PRODUCTION)).toBeUndefined();
    expect(await strategiesOf(PRODUCTION)).toHaveLength(1);
  });
});
