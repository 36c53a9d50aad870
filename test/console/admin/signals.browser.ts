import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, prepare } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { alertmanager, datadog, signalWorld, switching } from '../../support/signals.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { addCondition, choose, expectInWindow, expectOneRow, panelOf, takeSecret } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const run = promisify(execFile);
const VIEWER = 702;
const DEFAULT = { projectId: 'default' };
const NARROW = { width: 360, height: 740 };
let admin: Record<string, string>;
let viewer: Record<string, string>;

beforeAll(async () => {
  const { service } = world;
  await putUser(service, VIEWER, { name: 'Vic', username: 'vic', rootRole: ROLE_ID.viewer });
  admin = await browserOf(service, ADMIN.id);
  viewer = await browserOf(service, VIEWER);
});

const guarded = (path: string, signedOn = admin, more: object = {}) =>
  world.browser.open(world.service.url, path, { signedOn, ...more });
const open = async (path: string, signedOn = admin, more: object = {}) => (await guarded(path, signedOn, more)).page;
const dialogOf = (page: Page) => page.getByRole('dialog');
const bodyOf = async (operationId: string, params: Readonly<Record<string, string | number>> = {}) =>
  (await accepted(world.service, operationId, { params })).body;
/** Sends JSON as a monitor does. */
const post = (path: string, token: string, body: object) =>
  fetch(world.service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('signals and actions in the console', () => {
  let actorId: number;
  let featureName: string;
  let count = 0;

  beforeEach(async () => {
    count += 1;
    featureName = `checkout-${count}`;
    const { service } = world;
    const account = { name: `Kill switch ${count}`, rootRole: ROLE_ID.viewer };
    actorId = (await accepted(service, 'createServiceAccount', { body: account })).body.id;
    await prepare(service, (draft) => give(draft, 'default', 'user', actorId, [ROLE_ID.member]));
    await accepted(service, 'createFeature', { params: DEFAULT, body: { name: featureName } });
    const params = { ...DEFAULT, featureName, environment: 'production' };
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  });

  afterEach(async () => {
    // A page that is open would ask for what is deleted here.
    await world.browser.closePages();
    for (const { id } of (await bodyOf('getActionSets', DEFAULT)).actions)
      await accepted(world.service, 'deleteActionSet', { params: { ...DEFAULT, id } });
    for (const { id } of (await bodyOf('getSignalEndpoints')).signalEndpoints)
      await accepted(world.service, 'deleteSignalEndpoint', { params: { id } });
  });

  const executions = (page: Page) => page.getByRole('region', { name: 'Last executions' }).getByRole('listitem');

  it('an endpoint and an action are made here; an alert of Alertmanager switches the flag off, which its page shows', async () => {
    const page = await open('/signals');
    await page.getByText('No monitor can send a signal yet.').waitFor();
    await page.locator('main a[href="/projects/default/settings/actions"]').getByText('Default').waitFor();
    await expectInWindow(page.getByRole('navigation').getByRole('link', { name: 'Signals', exact: true }));
    await expectAccessible(page, 'no signal endpoint');
    const keyboard = new Keyboard(page);
    await keyboard.activate(page.getByRole('button', { name: 'Create endpoint' }));
    await keyboard.fill(panelOf(page).getByLabel('Name'), 'alert manager');
    await panelOf(page).getByText('Only letters, digits, and - _ . ~ are possible').first().waitFor();
    await keyboard.fill(panelOf(page).getByLabel('Name'), 'alertmanager');
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'alertmanager' }).waitFor();
    await page.getByText('it has no token').waitFor();
    await keyboard.fill(panelOf(page).getByLabel('Name'), 'production');
    await keyboard.press('Enter');
    const panel = panelOf(page);
    const url = `${world.service.url}/api/signal-endpoint/alertmanager`;
    const curl = await panel.getByRole('region', { name: 'curl with the token' }).innerText();
    await expectAccessible(page, 'the token of an endpoint');
    await panel.locator('figcaption', { hasText: 'In a shell' }).getByRole('button', { name: /^Copy/ }).waitFor();
    await choose(panel, 'Monitor', 'Prometheus Alertmanager');
    const yaml = await panel.getByRole('region', { name: 'Prometheus Alertmanager with the token' }).innerText();
    await choose(panel, 'Monitor', 'Datadog');
    expect(await panel.getByRole('region', { name: 'Datadog with the token' }).innerText()).toContain(`URL: ${url}`);
    const token = await takeSecret(page, 'Token of the signal endpoint');
    expect(token).toMatch(/^signal:[0-9a-f]{56}$/);
    expect(yaml).toContain(`url: ${url}`);
    expect(yaml).toContain(`credentials: ${token}`);

    // The text is pasted into a shell: its signal appears, with its content.
    await page.getByText('No signal has arrived yet.').waitFor();
    await run('sh', ['-c', curl], { env: { PATH: process.env.PATH } });
    await page.getByText('by the token production').waitFor();
    await page.getByText('Content', { exact: true }).click();
    await page
      .getByRole('region', { name: /Content of signal/ })
      .getByText('CheckoutErrors')
      .waitFor();
    await expectAccessible(page, 'an endpoint with a signal');

    const project = await open('/projects/default/settings/actions');
    await project.getByText('No signal of a monitor switches a flag of this project.').waitFor();
    await expectAccessible(project, 'a project without actions');
    await project.getByRole('button', { name: 'Create action' }).click();
    const form = panelOf(project);
    await form.getByLabel('Name').fill('Checkout off after errors');
    await choose(form, 'Signal endpoint', /^alertmanager/);
    await form.getByText('Content of the last signal of this endpoint').waitFor();
    await addCondition(form, 'status', 'firing');
    await addCondition(form, 'commonLabels.alertname', 'CheckoutErrors');
    await form.getByRole('combobox', { name: 'Flag' }).fill(featureName);
    await project.getByRole('option', { name: featureName }).click();
    await choose(form, 'Environment', /^production/);
    const idle = { name: 'No rights', rootRole: ROLE_ID.viewer };
    const { id: idleId } = (await accepted(world.service, 'createServiceAccount', { body: idle })).body;
    await choose(form, 'Service account', 'No rights');
    await form.getByText(/^No rights may not make these changes in this project.*Member of this project/).waitFor();
    await expectAccessible(project, 'the form of an action whose account has no rights');
    const [tab] = await Promise.all([
      project.context().waitForEvent('page'),
      form.getByRole('link', { name: 'Access of the project' }).click(),
    ]);
    await tab.waitForURL('**/projects/default/settings/access');
    await tab.close();
    await prepare(world.service, (draft) => give(draft, 'default', 'user', idleId, [ROLE_ID.member]));
    await form.getByText(/may not make these changes/).waitFor({ state: 'detached' });
    await choose(form, 'Service account', `Kill switch ${count}`);
    await expectAccessible(project, 'the form of an action');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await project.getByRole('heading', { level: 1, name: 'Checkout off after errors' }).waitFor();
    const rule = project.getByRole('region', { name: 'What it does' });
    const said = (await rule.innerText()).replace(/\s+/g, ' ');
    expect(said).toContain(
      'When a signal of alertmanager arrives with status in firing and commonLabels.alertname in CheckoutErrors:',
    );
    expect(said).toContain(`Switch off ${featureName} in production`);
    expect(said).toContain(`It is done as Kill switch ${count}.`);
    await project.getByText('It has not been started yet.').waitFor();

    const flag = await open(`/projects/default/features/${featureName}`);
    const production = flag.getByRole('region', { name: 'production' });
    await production.getByText(/^ON/).waitFor();
    await flag.getByText(/^Actions change this flag:/).waitFor();
    await flag.getByText('in production', { exact: true }).waitFor();
    await flag.getByRole('link', { name: 'Checkout off after errors' }).waitFor();
    const resolved = await post('/api/signal-endpoint/alertmanager', token, alertmanager('resolved'));
    expect(resolved.status).toBe(202);
    expect((await post('/api/signal-endpoint/alertmanager', token, alertmanager())).status).toBe(202);
    await production.getByText(/^OFF/).waitFor();
    const done = executions(project).filter({ hasText: 'Done' });
    await done.getByText('The flag was switched off.').waitFor();
    expect(await executions(project).count()).toBe(1);
    await expectAccessible(project, 'an action that was executed');
    const signals = page.getByRole('region', { name: 'Last signals' }).getByRole('listitem');
    await signals.filter({ hasText: 'Done' }).getByRole('link', { name: 'Checkout off after errors' }).waitFor();
    expect(await signals.filter({ hasText: 'No execution of it is listed.' }).count()).toBe(2);
    await expectAccessible(page, 'signals with what they started');
    await flag.goto(`${world.service.url}/projects/default/features/${featureName}/logs`);
    await flag.getByText(/Signal \d+ of the endpoint alertmanager, action set Checkout off after errors/).waitFor();
  });

  it('an execution that failed says why, and the change of an action shows its difference', async () => {
    const monitor = await signalWorld(world.service, 'datadog');
    const body = switching(monitor, featureName, { name: 'Off by Datadog', actorId });
    const { id } = (await accepted(world.service, 'createActionSet', { params: DEFAULT, body })).body;
    await prepare(world.service, (draft) => give(draft, 'default', 'user', actorId, [ROLE_ID.viewer]));
    await post('/api/signal-endpoint/datadog', monitor.token, datadog());
    const page = await open(`/projects/default/actions/${id}`);
    const failed = executions(page).filter({ hasText: 'Failed' });
    await failed.getByText(/UPDATE_FEATURE_ENVIRONMENT in the project default/).waitFor();
    await expectAccessible(page, 'an execution that failed');

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const panel = panelOf(page);
    await addCondition(panel, 'title', 'checkout');
    await choose(panel, 'Operator', 'contains');
    await panel.getByRole('button', { name: 'Add step' }).click();
    await panel.getByRole('button', { name: 'Remove step 1' }).click();
    await choose(panel, 'What happens', /^Start a milestone/);
    await panel.getByLabel('Milestone').fill('Everyone');
    await panel.getByRole('combobox', { name: 'Flag' }).fill(featureName);
    await page.getByRole('option', { name: featureName }).click();
    await choose(panel, 'Environment', /^development/);
    await panel.getByText('title contains checkout').last().waitFor();
    await panel.getByText(`Start the milestone “Everyone” of ${featureName} in development`).last().waitFor();
    await panel.getByRole('button', { name: 'Copy as curl' }).click();
    await panel.getByRole('button', { name: 'Copied' }).first().waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`-X PUT '${world.service.url}/api/admin/projects/default/actions/${id}'`);
    await panel.getByLabel('Why?').fill('Only for the checkout');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Action Off by Datadog saved').first().waitFor();
    expect(await bodyOf('getActionSet', { ...DEFAULT, id })).toMatchObject({
      match: { payload: { title: { operator: 'STR_CONTAINS', values: ['checkout'] } } },
      actions: [
        {
          action: 'START_MILESTONE',
          executionParams: { environment: 'development', featureName, milestone: 'Everyone' },
        },
      ],
    });
  });

  it('endpoints, tokens and actions are switched off, renamed and deleted; an endpoint that is used stays', async () => {
    const monitor = await signalWorld(world.service, 'pager');
    const body = switching(monitor, featureName, { name: 'Off at once', actorId });
    const { id } = (await accepted(world.service, 'createActionSet', { params: DEFAULT, body })).body;
    const list = await guarded('/signals');
    // The page of the endpoint may ask for its signals while it is deleted.
    list.allow(404, 409);
    const { page } = list;
    await page.getByRole('switch', { name: 'Accept signals of pager' }).click();
    await expectAccessible(page, 'the dialog that switches an endpoint off');
    await dialogOf(page).getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('pager is off').first().waitFor();
    expect((await post('/api/signal-endpoint/pager', monitor.token, {})).status).toBe(403);
    await page.getByRole('button', { name: 'Actions for pager' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await dialogOf(page).getByText('is the source of 1 action sets').waitFor();

    const actions = await open('/projects/default/settings/actions');
    await actions.getByRole('switch', { name: 'Follow signals with Off at once' }).click();
    await dialogOf(actions).getByRole('button', { name: 'Switch off' }).click();
    await actions.getByText('Off at once is off').first().waitFor();
    expect((await bodyOf('getActionSet', { ...DEFAULT, id })).enabled).toBe(false);
    await expectAccessible(actions, 'the list of actions');
    await actions.getByRole('button', { name: 'Actions for Off at once' }).click();
    await actions.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialogOf(actions).getByRole('button', { name: 'Delete' }).click();
    await actions.getByText('No signal of a monitor switches a flag of this project.').waitFor();

    await page.goto(`${world.service.url}/signals/${monitor.endpointId}`);
    await page.getByText('It is off: signals are refused').waitFor();
    await page.getByRole('button', { name: 'Rename the token cluster' }).click();
    await panelOf(page).getByLabel('Name').fill('cluster 2');
    await panelOf(page).getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the token cluster 2' }).click();
    await expectAccessible(page, 'the dialog that deletes a token');
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no token yet.').waitFor();
    expect((await post('/api/signal-endpoint/pager', monitor.token, {})).status).toBe(401);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No monitor can send a signal yet.').waitFor();
  });

  it('the form of an action keeps what is typed while the first account and endpoint are created', async () => {
    for (const { id } of (await bodyOf('getServiceAccounts')).serviceAccounts)
      await accepted(world.service, 'deleteServiceAccount', { params: { id } });
    const page = await open('/projects/default/settings/actions?panel=create');
    const form = panelOf(page);
    await form.getByLabel('Name').fill('Kept');
    await form.getByLabel(/^Signal endpoint/).waitFor();
    await expectAccessible(page, 'a form with nothing to choose');
    await form.locator('label:has-text("Service account") ~ output a[target=_blank]').waitFor();
    await signalWorld(world.service, 'first');
    await choose(form, 'Signal endpoint', /^first/);
    await accepted(world.service, 'createServiceAccount', { body: { name: 'First', rootRole: ROLE_ID.admin } });
    await choose(form, 'Service account', 'First');
    expect(await form.getByLabel('Name').inputValue()).toBe('Kept');
  });

  it('name the permission that a viewer lacks, and say that an endpoint does not exist', async () => {
    const monitor = await signalWorld(world.service, 'watcher');
    const body = switching(monitor, featureName, { name: 'Off for all', actorId });
    const { id } = (await accepted(world.service, 'createActionSet', { params: DEFAULT, body })).body;
    const reasons = [
      [`/signals/${monitor.endpointId}`, ['Edit', 'Switch off…', 'Delete…', 'New token'], 'Needs ADMIN'],
      [`/projects/default/actions/${id}`, ['Edit', 'Delete…'], 'Needs UPDATE_PROJECT or PROJECT_SETTINGS_WRITE'],
      ['/projects/default/settings/actions', ['Create action'], 'Needs UPDATE_PROJECT or PROJECT_SETTINGS_WRITE'],
    ] as const;
    for (const [path, buttons, reason] of reasons) {
      const page = await open(path, viewer, NARROW);
      for (const name of buttons) {
        const button = page.getByRole('button', { name, exact: true });
        await button.waitFor();
        expect(await button.getAttribute('aria-disabled'), `${path}: ${name}`).toBe('true');
        await button.focus();
        await page.getByText(reason).first().waitFor();
      }
      await expectOneRow(page, buttons.slice(0, 3));
      await expectAccessible(page, `${path} for a viewer`);
    }
    const missing = await guarded('/signals/9999');
    missing.allow(404);
    await missing.page.getByText('There is nothing at this address.').waitFor();
  });
});
