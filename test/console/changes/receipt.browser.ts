import { once } from 'node:events';
import type { Page, Request } from 'playwright-core';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VisibleProjects } from '../../../src/access/visibility.ts';
import type { Steps } from '../../../src/base/yield-control.ts';
import { combinedContexts } from '../../../src/features/preview/contexts.ts';
import { NOBODY } from '../../../src/model/caller.ts';
import { accepted } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const DEVELOPMENT = { projectId: 'default', environment: 'development' };
const SDKS = 50;
let signedOn: Record<string, string>;
const fleet: Unleash[] = [];

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
});
afterAll(() => {
  for (const sdk of fleet) endSdk(sdk);
});

const create = (name: string) => accepted(world.service, 'createFeature', { params: DEVELOPMENT, body: { name } });
const openFlag = async (name: string) =>
  (await world.browser.open(world.service.url, `/projects/default/features/${name}`, { signedOn })).page;
const poll = (sdk: Unleash) =>
  (sdk as unknown as { readonly repository: { fetch(): Promise<void> } }).repository.fetch();

/** An unmodified SDK that has registered and polls when the test asks for it. */
async function startSdk(appName: string): Promise<Unleash> {
  const sdk = new Unleash({
    skipInstanceCountWarning: true,
    url: `${world.service.url}/api`,
    appName,
    metricsInterval: 3_600_000,
    customHeaders: { Authorization: CLIENT_TOKEN },
    refreshInterval: 3_600_000,
    storageProvider: { set: async () => {}, get: async () => undefined },
  });
  fleet.push(sdk);
  await Promise.all([once(sdk, UnleashEvents.Synchronized), once(sdk, UnleashEvents.Registered)]);
  return sdk;
}

describe('journey 21: the receipt of a save', () => {
  it('names the one stopped SDK of fifty, and reaches all of them when it polls', async () => {
    await create('delivered');
    for (let index = 1; index < SDKS; index++) await startSdk('runs');
    const stopped = await startSdk('stopped-app');
    const page = await openFlag('delivered');
    await page.clock.install();
    const card = page.getByRole('region', { name: 'development' });
    await card.getByText('OFF. When it is switched on, it is ON for: everyone').waitFor();
    await card.getByRole('switch', { name: 'delivered in development' }).click();
    const bar = page.getByRole('group', { name: 'Delivery of the change' });
    await bar.getByText(`given to 0% of ${SDKS} SDKs`).waitFor();

    for (const sdk of fleet.filter((one) => one !== stopped)) await poll(sdk);
    await bar.getByText(`given to 98% of ${SDKS} SDKs`).waitFor();
    await bar.getByText('slowest: stopped-app (development)').waitFor();
    await expectAccessible(page, 'a receipt that is not complete');
    await card.getByRole('button', { name: /^Edit/ }).first().click();
    const panel = await page.getByRole('complementary').last().boundingBox();
    const top = (await page.getByRole('region', { name: 'The last save' }).boundingBox())?.y;
    expect([(panel?.y ?? 0) + (panel?.height ?? 0)], 'the panel ends above the receipt').toEqual([top]);
    await page.keyboard.press('Escape');
    await page.clock.fastForward(60_000);
    await bar.getByRole('button', { name: 'Undo' }).waitFor();
    const revision = Number(/r(\d+)/.exec(await bar.innerText())?.[1]);
    const spread = async () => (await accepted(world.service, 'getPropagation', { params: { revision } })).body;
    const before = await spread();
    expect(before).toMatchObject({ concerned: SDKS, have: SDKS - 1, unknown: 0 });
    expect(before.lagging).toMatchObject([{ appName: 'stopped-app', environment: 'development', connections: 1 }]);
    expect([fleet[0]?.isEnabled('delivered'), stopped.isEnabled('delivered')]).toEqual([true, false]);

    await bar.getByRole('button', { name: 'Undo' }).focus();
    await poll(stopped);
    await bar.getByText(`given to all ${SDKS} SDKs`).waitFor();
    expect(await spread()).toMatchObject({ concerned: SDKS, have: SDKS });
    expect(fleet.filter((sdk) => sdk.isEnabled('delivered'))).toHaveLength(SDKS);
    expect(await bar.innerText()).not.toContain('slowest');

    // Complete, it goes by itself, and never while it has the focus.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.clock.runFor(60_000);
    await bar.getByRole('button', { name: 'Undo' }).blur();
    await page.clock.runFor(10_000);
    expect(await bar.getByRole('button', { name: 'Undo' }).isVisible()).toBe(true);
    await page.clock.runFor(5_000);
    await bar.waitFor({ state: 'detached' });
  });
});

describe('the undo of a receipt', () => {
  const params = { ...DEVELOPMENT, featureName: 'twice' };
  const isOn = async () => (await accepted(world.service, 'getFeatureEnvironment', { params })).body.enabled;

  it('opens the form of each undo, and a double click undoes nothing', async () => {
    await create('twice');
    const page = await openFlag('twice');
    await page.getByRole('switch', { name: 'twice in development' }).click();
    const last = page.getByRole('region', { name: 'The last save' });
    const undo = last.getByRole('button', { name: 'Undo', exact: true });
    const save = last.locator('button:not([aria-busy])', { hasText: /^Undo r\d+$/ });
    await undo.waitFor();
    const at = await undo.boundingBox();
    await undo.dblclick();
    await save.waitFor();
    const saveAt = await save.boundingBox();
    expect((saveAt?.y ?? 0) + (saveAt?.height ?? 0)).toBeLessThanOrEqual(at?.y ?? 0);
    expect([await isOn(), await undo.count()]).toEqual([true, 0]);
    await last.getByText('It makes this change:').waitFor();
    await expectAccessible(page, 'the undo of a receipt');

    await page.keyboard.press('Escape');
    await undo.waitFor();
    expect(await undo.evaluate((button) => button.matches(':focus'))).toBe(true);
    await undo.click();
    await save.click();
    await last.getByText(/^Undone: .*twice/).waitFor();
    expect(await isOn()).toBe(false);
    // The undo of the undo asks, too.
    await undo.click();
    await save.waitFor();
    expect(await isOn()).toBe(false);
  });

  it('of a save with several commits undoes all of them, or requests that in one draft', async () => {
    const several = { ...DEVELOPMENT, featureName: 'several' };
    await create('several');
    const body = { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'userId', groupId: 'several' } };
    await accepted(world.service, 'addFeatureStrategy', { params: several, body });
    const settings = async () => (await accepted(world.service, 'getFeatureEnvironment', { params: several })).body;
    const page = await openFlag('several');
    const card = page.getByRole('region', { name: 'development' });
    const rollout = page.getByRole('complementary').getByRole('textbox', { name: 'Rollout' });
    await card.getByRole('switch', { name: 'several in development' }).waitFor();
    await card.getByRole('button', { name: /^Edit/ }).first().click();
    await rollout.fill('75');
    await page.keyboard.press('Escape');
    await card.getByRole('switch', { name: 'several in development' }).click();
    await card.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    const last = page.getByRole('region', { name: 'The last save' });
    const undo = last.getByRole('button', { name: 'Undo', exact: true });
    await undo.waitFor();
    expect(await settings()).toMatchObject({ enabled: true, strategies: [{ parameters: { rollout: '75' } }] });
    const config = { params: several, body: { changeRequestsEnabled: true, requiredApprovals: 1 } };
    await accepted(world.service, 'updateProjectChangeRequestConfig', config);
    await undo.click();
    await last.getByRole('button', { name: 'Request undo of 2 changes' }).click();
    await page
      .getByText(/^Added to change request/)
      .first()
      .waitFor();
    // A draft is only for its author.
    const own = { token: null, headers: signedOn };
    const found = (await accepted(world.service, 'searchChangeRequests', { ...own, query: 'state=Draft' })).body;
    expect(found.changeRequests).toHaveLength(1);
    const request = { projectId: 'default', id: found.changeRequests[0].id };
    const drafted = await accepted(world.service, 'getChangeRequest', { ...own, params: request });
    expect(drafted.body.features[0].changes).toHaveLength(2);

    await undo.click();
    await last.getByRole('combobox', { name: 'How to save it' }).click();
    await page.getByRole('option', { name: 'Save without a review' }).click();
    await last.getByRole('button', { name: 'Undo 2 changes' }).click();
    await expect.poll(settings).toMatchObject({ enabled: false, strategies: [{ parameters: { rollout: '50' } }] });
    await accepted(world.service, 'updateProjectChangeRequestConfig', {
      params: several,
      body: { changeRequestsEnabled: false },
    });
  });
});

const finish = <T>(steps: Steps<T>): T => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
  }
};

/** The contexts of a preview that the page asked for. */
function contextsOf(request: Request) {
  const { contexts } = request.postDataJSON();
  const visible = { has: () => true } as unknown as VisibleProjects;
  const reading = { reader: world.service.running.services.state, visible, caller: NOBODY };
  const made = finish(combinedContexts(contexts, reading, 10_000, { environment: 'development', nowMs: Date.now() }));
  if (!('sent' in made)) throw new Error(made.message);
  return Array.from({ length: made.count }, (_, index) => made.sent(index));
}

/** The numbers beside "off → on" and so on, in the open dialog. */
async function shownCounts(page: Page): Promise<Record<string, number>> {
  const text = await page.getByRole('dialog').innerText();
  const count = (words: string) =>
    Number((new RegExp(`([\\d,]+) ${words}`).exec(text)?.[1] ?? '0').replaceAll(',', ''));
  return { offToOn: count('off → on'), onToOff: count('on → off'), unchanged: count('the same') };
}

describe('journey 20: who changes, on 10,000 contexts', () => {
  it('shows the counts that an SDK gives before and after the save', async () => {
    await create('counted');
    const params = { ...DEVELOPMENT, featureName: 'counted' };
    const constraints = [{ contextName: 'appName', operator: 'IN', values: ['shop', 'store'] }];
    const parameters = { rollout: '30', stickiness: 'userId', groupId: 'counted' };
    const body = { name: 'flexibleRollout', parameters, constraints };
    const { body: strategy } = await accepted(world.service, 'addFeatureStrategy', { params, body });
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const page = await openFlag('counted');
    const card = page.getByRole('region', { name: 'development' });
    await card.getByRole('button', { name: /^Edit/ }).first().click();
    const rollout = page.getByRole('complementary').getByRole('textbox', { name: 'Rollout' });
    await rollout.fill('65');
    await card.getByRole('button', { name: 'Review' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/the same/).waitFor();
    const asked = page.waitForRequest(
      (request) => request.url().endsWith('/api/admin/preview') && (request.postData() ?? '').includes('madeUp'),
    );
    await dialog.getByRole('radio', { name: '10,000' }).check({ force: true });
    const contexts = contextsOf(await asked);
    await dialog
      .getByText(/Of 9,999 contexts: 3,333 made-up values of userId, combined with 3 values of appName/)
      .waitFor();
    await dialog.getByText('6,666 contexts meet the constraints: appName in (shop, store).').waitFor();
    expect(contexts.length).toBeGreaterThan(9_900);

    const evaluate = () => contexts.map((context) => sdk.isEnabledNow('counted', context as never));
    const before = evaluate();
    const shown = await shownCounts(page);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await sdk.isEnabled('counted');
    const after = evaluate();
    sdk.end();
    const count = (from: boolean, to: boolean) =>
      before.filter((was, index) => was === from && after[index] === to).length;
    const brute = { offToOn: count(false, true), onToOff: count(true, false) };
    expect(brute.offToOn).toBeGreaterThan(500);
    expect(shown).toEqual({ ...brute, unchanged: contexts.length - brute.offToOn - brute.onToOff });
    const saved = (
      await accepted(world.service, 'getFeatureStrategy', { params: { ...params, strategyId: strategy.id } })
    ).body;
    expect(saved.parameters.rollout).toBe('65');
  });
});
