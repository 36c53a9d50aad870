import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, CONFLICT, refused } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const SWITCHER = 104;
const EDITOR = 105;
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
});

const paramsOf = (featureName: string) => ({ projectId: 'default', featureName, environment: 'development' });
const settings = async (name: string) =>
  (await accepted(world.service, 'getFeatureEnvironment', { params: paramsOf(name) })).body;
const parametersOf = (name: string, rollout: string) => ({ rollout, stickiness: 'userId', groupId: name });
const SHOPS = {
  contextName: 'appName',
  operator: 'IN',
  values: ['shop'],
  inverted: false,
  caseInsensitive: false,
};

/** A flag with one strategy, which is then edited: rollout and title first, then three other edits. Returns the id of the strategy. */
async function prepareFlag(name: string): Promise<string> {
  const params = paramsOf(name);
  await accepted(world.service, 'createFeature', { params, body: { name } });
  const before = { name: 'flexibleRollout', title: 'No users', parameters: parametersOf(name, '0'), constraints: [] };
  const { body } = await accepted(world.service, 'addFeatureStrategy', { params, body: before });
  const edit = (changes: object) =>
    accepted(world.service, 'updateFeatureStrategy', {
      params: { ...params, strategyId: body.id },
      body: { ...before, title: 'All users', parameters: parametersOf(name, '100'), ...changes },
    });
  await edit({});
  await edit({ constraints: [SHOPS] });
  await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
  await accepted(world.service, 'patchFeature', {
    params,
    body: [{ op: 'replace', path: '/description', value: 'For the shops' }],
  });
  return body.id;
}

async function openHistory(name: string) {
  const guarded = await world.browser.open(world.service.url, `/projects/default/features/${name}/logs`, { signedOn });
  const entries = guarded.page.getByRole('tabpanel', { name: 'History' }).locator('ol > li');
  await entries.first().waitFor();
  return { guarded, page: guarded.page, entries };
}

/** The entry of the edit of the rollout and the title. */
const edited = (page: Page) =>
  page.getByRole('tabpanel', { name: 'History' }).locator('ol > li').filter({ hasText: 'All users' });

describe('journey 23: a change that is three edits old is undone', () => {
  it('only its fields get their earlier values', async () => {
    await prepareFlag('undone');
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const context = { userId: '7', appName: 'shop' };
    expect(await sdk.isEnabled('undone', context)).toBe(true);
    const before = await settings('undone');
    const { page, entries } = await openHistory('undone');
    const entry = edited(page);
    const position = (await entries.allInnerTexts()).findIndex((text) => text.includes('All users'));
    expect(position).toBe(3);
    await entry.getByText('Details').click();
    await entry.getByRole('listitem').first().waitFor();
    expect((await entry.getByRole('listitem').allInnerTexts()).map((text) => text.trim()).sort()).toEqual([
      'Rollout: 0% → 100%',
      'Strategy title: No users → All users',
    ]);
    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    const does = await entry.getByText('It makes this change:').innerText();
    expect(does).toContain('Rollout: 100% → 0%');
    expect(does).toContain('Strategy title: All users → No users');
    await entry.getByLabel('Why?').fill('Too early');
    await expectAccessible(page, 'the undo of a change');
    expect(await settings('undone')).toEqual(before);
    await entry.getByRole('button', { name: /^Undo r\d+$/ }).click();
    await page
      .getByText(/^Undone: r\d+$/)
      .first()
      .waitFor();

    const [strategy] = before.strategies;
    const after = await settings('undone');
    expect([after.enabled, after.variants]).toEqual([before.enabled, before.variants]);
    expect(after.strategies).toEqual([{ ...strategy, title: 'No users', parameters: parametersOf('undone', '0') }]);
    const { body: flag } = await accepted(world.service, 'getFeature', { params: paramsOf('undone') });
    expect(flag.description).toBe('For the shops');
    expect(await sdk.isEnabled('undone', context)).toBe(false);
    sdk.end();
    await entries.first().getByText('“Too early”').waitFor();
    await expect.poll(() => entries.count()).toBe(7);
  });

  it('a field that was changed again is named with its values before anything is saved, and nothing is undone', async () => {
    const strategyId = await prepareFlag('kept');
    const { strategies } = await settings('kept');
    await accepted(world.service, 'updateFeatureStrategy', {
      params: { ...paramsOf('kept'), strategyId },
      body: { ...strategies[0], parameters: parametersOf('kept', '60') },
    });
    const before = await settings('kept');
    const { guarded, page } = await openHistory('kept');
    guarded.allow(409);
    const entry = edited(page);
    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    await entry.getByText('These fields were changed again since then, so this change cannot be undone:').waitFor();
    const named = await entry.getByRole('listitem').allInnerTexts();
    expect(named.filter((text) => text.includes(', now '))).toEqual([
      'Flag kept: Rollout in development, 100% after this change, now 60%',
    ]);
    expect(await entry.getByText('It makes this change:').count()).toBe(0);
    const save = entry.getByRole('button', { name: /^Undo r\d+$/ });
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    const revision = (await save.innerText()).slice('Undo r'.length);
    const { body: refusal } = await refused(world.service, 'undoRevision', CONFLICT, {
      params: { revision },
      body: {},
    });
    expect(refusal.details).toMatchObject([{ current: '60' }]);
    await expectAccessible(page, 'an undo that is refused');
    expect(await settings('kept')).toEqual(before);

    await entry.getByLabel('Why?').fill('Again');
    await page.keyboard.press('Escape');
    const open = entry.getByRole('button', { name: 'Undo', exact: true });
    await open.waitFor();
    expect(await open.evaluate((button) => button.matches(':focus'))).toBe(true);
    await open.click();
    expect(await entry.getByLabel('Why?').inputValue()).toBe('Again');

    // Another person gives the field its value back: the form says so by itself, and the undo is made.
    await accepted(world.service, 'updateFeatureStrategy', {
      params: { ...paramsOf('kept'), strategyId },
      body: { ...strategies[0], parameters: parametersOf('kept', '100') },
    });
    await entry.getByText('It makes this change:').waitFor();
    expect(await entry.getByText('cannot be undone').count()).toBe(0);
    await save.click();
    await expect.poll(async () => (await settings('kept')).strategies[0].parameters.rollout).toBe('0');
  });
});

describe('the undo of what has no environment', () => {
  it.each([
    ['archived', true],
    ['described', false],
  ])('a flag that was %s: is it marked as production? %s', async (name, isMarked) => {
    const params = { projectId: 'default', featureName: name };
    await accepted(world.service, 'createFeature', { params, body: { name } });
    if (isMarked) await accepted(world.service, 'archiveFeature', { params });
    else {
      const body = [{ op: 'replace', path: '/description', value: 'New' }];
      await accepted(world.service, 'patchFeature', { params, body });
    }
    const revision = world.service.running.services.state.seq;
    const { page } = await world.browser.open(world.service.url, '/recent-changes', { signedOn });
    const entry = page
      .getByRole('list', { name: 'Changes' })
      .locator('> li')
      .filter({ hasText: `r${revision}` });
    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    const button = entry.getByRole('button', { name: `Undo r${revision}` });
    await button.waitFor();
    expect(/production/.test((await button.getAttribute('class')) ?? '')).toBe(isMarked);
  });
});

/** The newest draft of the person in the project `default`. */
async function requestedOf(user: number, headers: Record<string, string>) {
  const asked = { query: `state=Draft&project=default&createdBy=${user}`, token: null, headers };
  const { changeRequests } = (await accepted(world.service, 'searchChangeRequests', asked)).body;
  const params = { projectId: 'default', id: changeRequests[0].id };
  return (await accepted(world.service, 'getChangeRequest', { params })).body;
}

describe('an undo whose answer is slow', () => {
  it('leaves the focus at its entry, and the form of another one open', async () => {
    const params = paramsOf('slow');
    await accepted(world.service, 'createFeature', { params, body: { name: 'slow' } });
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    await accepted(world.service, 'patchFeature', {
      params,
      body: [{ op: 'replace', path: '/description', value: 'For the slow' }],
    });
    const { page, entries } = await openHistory('slow');
    let answer = () => {};
    const isHeld = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/admin/history/*/undo', async (route) => {
      const response = await route.fetch();
      await isHeld;
      await route.fulfill({ response });
    });
    const [described, switched] = ['For the slow', 'Switched on'].map((text) =>
      entries.filter({ hasText: text }).last(),
    );
    await described?.getByRole('button', { name: 'Undo', exact: true }).click();
    await described?.getByRole('button', { name: /^Undo r\d+$/ }).click();
    await described?.getByText('Undone by').waitFor();
    await expect.poll(() => described?.and(page.locator(':focus')).count()).toBe(1);
    await switched?.getByRole('button', { name: 'Undo', exact: true }).click();
    const other = switched?.getByRole('button', { name: /^Undo r\d+$/ });
    await other?.waitFor();
    answer();
    await page
      .getByText(/^Undone: r\d+$/)
      .first()
      .waitFor();
    expect(await other?.count()).toBe(1);
  });
});

describe('what the form of an undo tries', () => {
  const previewsOf = (page: Page) => {
    const previews: Request[] = [];
    page.on('request', (request) => request.url().endsWith('/api/admin/preview') && previews.push(request));
    return previews;
  };

  it('ends when the undo is saved, so that it is not tried on what is undone already', async () => {
    const params = paramsOf('tried');
    await accepted(world.service, 'createFeature', { params, body: { name: 'tried' } });
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    const { page, entries } = await openHistory('tried');
    const previews = previewsOf(page);
    let isHeld = true;
    await page.route('**/api/admin/preview', (route) => (isHeld ? undefined : route.continue()));
    const entry = entries.filter({ hasText: 'Switched on' });
    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => previews.length).toBe(1);
    isHeld = false;
    await entry.getByRole('button', { name: /^Undo r\d+$/ }).click();
    await entry.getByText('Undone by').waitFor();
    expect(previews.map((request) => request.failure()?.errorText)).toEqual(['net::ERR_ABORTED']);
  });

  it('is not tried again while the browser has not gone back', async () => {
    const params = paramsOf('tried-late');
    await accepted(world.service, 'createFeature', { params, body: { name: 'tried-late' } });
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    const { page, entries } = await openHistory('tried-late');
    const previews = previewsOf(page);
    const entry = entries.filter({ hasText: 'Switched on' });
    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    const save = entry.getByRole('button', { name: /^Undo r\d+$/ });
    await expect.poll(() => previews.length).toBe(1);
    // Nothing else closes the form: the list is read slowly.
    await page.route('**/api/**', (route) => (route.request().method() === 'GET' ? undefined : route.continue()));
    await page.evaluate('globalThis.goBack = history.back.bind(history); history.back = () => {};');
    await save.click();
    await page
      .getByText(/^Undone: r\d+$/)
      .first()
      .waitFor();
    await expect.poll(() => save.getAttribute('aria-busy')).not.toBe('true');
    await page.evaluate('goBack()');
    await save.waitFor({ state: 'detached' });
    expect(previews).toHaveLength(1);
  });
});

describe('what an undo needs', () => {
  it('is decided by the server: a person undoes the own switch, and a refusal names the missing permission', async () => {
    const { service } = world;
    const permissions = [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' }];
    const { body: role } = await accepted(service, 'createRole', { body: { name: 'Switcher', permissions } });
    await putUser(service, SWITCHER, { username: 'sam', name: 'Sam', rootRole: 3 });
    await accepted(service, 'addAccessToProject', {
      params: { projectId: 'default' },
      body: { roles: [role.roles.id], groups: [], users: [SWITCHER] },
    });
    await accepted(service, 'createFeature', { params: paramsOf('own'), body: { name: 'own' } });
    const strategy = { name: 'default', parameters: {}, constraints: [] };
    await accepted(service, 'addFeatureStrategy', { params: paramsOf('own'), body: strategy });
    const headers = await browserOf(service, SWITCHER);
    await accepted(service, 'toggleFeatureEnvironmentOn', { params: paramsOf('own'), token: null, headers });
    const guarded = await world.browser.open(service.url, '/projects/default/features/own/logs', { signedOn: headers });
    const entries = guarded.page.getByRole('tabpanel', { name: 'History' }).locator('ol > li');
    const openUndo = async (text: string) => {
      const entry = entries.filter({ hasText: text }).last();
      await entry.getByRole('button', { name: 'Undo', exact: true }).click();
      return entry;
    };
    await (await openUndo('Switched on')).getByRole('button', { name: /^Undo r\d+$/ }).click();
    await expect.poll(async () => (await settings('own')).enabled).toBe(false);
    guarded.allow(403);
    await (await openUndo('Strategy added')).getByText(/permission.*_FEATURE_STRATEGY/).waitFor();
    expect((await settings('own')).strategies).toHaveLength(1);

    await accepted(service, 'updateProjectChangeRequestConfig', {
      params: paramsOf('own'),
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    const reviewed = await openUndo('Switched off');
    await reviewed.getByText('It makes this change: Switched on in development').waitFor();
    await reviewed.getByText('Changes in this environment need a review.').waitFor();
    await reviewed.getByLabel('Why?').fill('It was fine');
    await expectAccessible(guarded.page, 'an undo that is requested');
    await reviewed.getByRole('button', { name: /^Request undo of r\d+$/ }).click();
    await guarded.page
      .getByText(/^Added to change request/)
      .first()
      .waitFor();
    expect(await requestedOf(SWITCHER, headers)).toMatchObject({
      environment: 'development',
      comments: [{ text: 'It was fine' }],
      features: [{ name: 'own', changes: [{ action: 'updateEnabled', payload: { enabled: true } }] }],
    });
    expect((await settings('own')).enabled).toBe(false);
  });

  it('is a review of the environment whose flags use a segment, which can be requested', async () => {
    const { service } = world;
    await accepted(service, 'createEnvironment', { body: { name: 'stage', type: 'development' } });
    const params = { projectId: 'default', featureName: 'segmented', environment: 'stage' };
    await accepted(service, 'addEnvironmentToProject', { params, body: { environment: 'stage' } });
    const segment = { name: 'Shops', constraints: [SHOPS] };
    const { body } = await accepted(service, 'createSegment', { body: segment });
    await accepted(service, 'createFeature', { params, body: { name: 'segmented' } });
    const strategy = { name: 'default', parameters: {}, constraints: [], segments: [body.id] };
    await accepted(service, 'addFeatureStrategy', { params, body: strategy });
    await accepted(service, 'updateSegment', {
      params: { id: body.id },
      body: { ...segment, constraints: [{ ...SHOPS, values: ['store'] }] },
    });
    const revision = service.running.services.state.seq;
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params,
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    await putUser(service, EDITOR, { username: 'eve', name: 'Eve', rootRole: 2 });
    const headers = await browserOf(service, EDITOR);
    const { page } = await world.browser.open(service.url, '/recent-changes', { signedOn: headers });
    const entry = page
      .getByRole('list', { name: 'Changes' })
      .locator('> li')
      .filter({ hasText: `r${revision}` });
    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    await entry.getByRole('button', { name: `Request undo of r${revision}` }).click();
    await page
      .getByText(/^Added to change request/)
      .first()
      .waitFor();
    expect(await requestedOf(EDITOR, headers)).toMatchObject({
      environment: 'stage',
      segments: [{ changes: [{ action: 'updateSegment', payload: { constraints: [SHOPS] } }] }],
    });
  });

  it('is a review that cannot be requested for a flag that was revived', async () => {
    const { service } = world;
    const params = { projectId: 'default', featureName: 'gone' };
    await accepted(service, 'createFeature', { params, body: { name: 'gone' } });
    await accepted(service, 'archiveFeature', { params });
    await accepted(service, 'reviveFeature', { params });
    const revision = service.running.services.state.seq;
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params: { ...params, environment: 'production' },
      body: config,
    });
    const { page } = await world.browser.open(service.url, '/recent-changes', {
      signedOn: await browserOf(service, EDITOR),
    });
    const entry = page
      .getByRole('list', { name: 'Changes' })
      .locator('> li')
      .filter({ hasText: `r${revision}` });
    await entry.getByRole('button', { name: 'Undo', exact: true }).click();
    const save = entry.getByRole('button', { name: `Undo r${revision}` });
    await entry.getByText('a change request cannot have this undo').waitFor();
    expect(await save.getAttribute('aria-disabled')).toBe('true');
  });
});

describe('the undo by a person who may skip the review', () => {
  it('is requested unless they choose to skip it', async () => {
    const { service } = world;
    const params = { projectId: 'guarded', featureName: 'guarded', environment: 'production' };
    await accepted(service, 'createProject', { body: { id: 'guarded', name: 'Guarded' } });
    await accepted(service, 'createFeature', { params, body: { name: 'guarded' } });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    const revision = service.running.services.state.seq;
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await accepted(service, 'updateProjectChangeRequestConfig', { params, body: config });
    const isOn = async () => (await accepted(service, 'getFeatureEnvironment', { params })).body.enabled;
    const { page } = await world.browser.open(service.url, '/recent-changes', { signedOn });
    const entry = page
      .getByRole('list', { name: 'Changes' })
      .locator('> li')
      .filter({ hasText: `r${revision}` });
    const undo = entry.getByRole('button', { name: 'Undo', exact: true });
    await undo.click();
    await entry.getByText('This environment asks for a review.').first().waitFor();
    const way = entry.getByRole('combobox', { name: 'How to save it' });
    expect(await way.innerText()).toBe('New change request');
    await expectAccessible(page, 'an undo whose review can be skipped');
    await entry.getByRole('button', { name: `Request undo of r${revision}` }).click();
    await page
      .getByText(/^Added to change request/)
      .first()
      .waitFor();
    expect(await isOn()).toBe(true);

    await undo.click();
    await way.click();
    await page.getByRole('option', { name: 'Save without a review' }).click();
    await entry.getByText('It is saved at once, without a review.').waitFor();
    await entry.getByRole('button', { name: `Undo r${revision}` }).click();
    await expect.poll(isOn).toBe(false);
  });
});
