import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accepted, flag, prepare } from '../../support/admin.ts';
import { ADDON_ENV, type Receiver, refuses, startReceiver, webhookTo } from '../../support/http/receiver.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { until } from '../../support/until.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { panelOf } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld({ env: ADDON_ENV });
const VIEWER = 701;
const TIDIER = 702;
const FLAG = 'checkout';
const SWITCHED = ['feature-environment-enabled', 'feature-environment-disabled'];
let admin: Record<string, string>;
let viewer: Record<string, string>;
let receiver: Receiver;

beforeAll(async () => {
  const { service } = world;
  await putUser(service, VIEWER, { name: 'Vic', username: 'vic', rootRole: 3 });
  admin = await browserOf(service, ADMIN.id);
  viewer = await browserOf(service, VIEWER);
  await prepare(service, (draft) => draft.put('features', flag(FLAG)));
});

beforeEach(async () => {
  for (const { id } of await integrations()) await accepted(world.service, 'deleteAddon', { params: { id } });
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

const open = async (path: string, signedOn = admin, more: object = {}) =>
  (await world.browser.open(world.service.url, path, { signedOn, ...more })).page;
const integrations = async () => (await accepted(world.service, 'getAddons')).body.addons;
const create = async (rest: object = {}, parameters: object = {}): Promise<number> => {
  const body = webhookTo(receiver.url, { description: 'Release calendar', events: SWITCHED, ...rest }, parameters);
  return (await accepted(world.service, 'createAddon', { body })).body.id;
};
let isOn = false;
const switchFlag = () => {
  isOn = !isOn;
  const params = { projectId: 'default', featureName: FLAG, environment: 'production' };
  return accepted(world.service, `toggleFeatureEnvironment${isOn ? 'On' : 'Off'}`, { params });
};
const received = (count: number) =>
  until(
    () => receiver.received.length,
    (length) => length >= count,
  );
const attempts = (page: Page) => page.getByRole('region', { name: 'Last attempts' }).getByRole('listitem');

describe('integrations in the console', () => {
  it('are created by keyboard; the receiver gets a signed event, and the page shows the attempt', async () => {
    const page = await open('/integrations');
    await page.getByText('Nothing is sent to another service yet.').waitFor();
    await expectAccessible(page, 'no integration');
    const keyboard = new Keyboard(page);
    await keyboard.activate(page.getByRole('button', { name: 'Create integration' }));
    const panel = panelOf(page);
    await keyboard.fill(panel.getByLabel('Description'), 'Release calendar');
    await keyboard.fill(panel.getByLabel('Webhook URL'), 'calendar.example.com');
    await panel.getByText('An address begins with https:// or http://').first().waitFor();
    await keyboard.fill(panel.getByLabel('Webhook URL'), receiver.url);
    await keyboard.activate(panel.getByRole('button', { name: 'Add: Switched on or off' }));
    const environments = panel.getByRole('combobox', { name: 'Environments' });
    await keyboard.tabTo(environments);
    await keyboard.type('prod');
    await page.getByRole('option', { name: 'production' }).waitFor();
    await keyboard.press('Enter');
    await panel.getByText('production').waitFor();
    await keyboard.activate(panel.getByRole('button', { name: 'Generate: Signing secret' }));
    const secret = await panel.getByLabel('Signing secret', { exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await expectAccessible(page, 'the form of an integration');
    await keyboard.activate(panel.getByRole('button', { name: 'Create', exact: true }));
    await page.getByRole('heading', { level: 1, name: 'Release calendar' }).waitFor();
    await page.getByText('Nothing was sent yet.').waitFor();
    expect(await integrations()).toMatchObject([
      {
        provider: 'webhook',
        enabled: true,
        events: SWITCHED,
        projects: [],
        environments: ['production'],
        parameters: { url: '*****', signingSecret: '*****' },
      },
    ]);
    expect(await page.content()).not.toContain(secret);

    await switchFlag();
    await received(1);
    const [{ body, headers } = expect.fail('nothing was received')] = receiver.received;
    expect(JSON.parse(body)).toMatchObject({
      type: expect.stringContaining('feature-environment-'),
      featureName: FLAG,
    });
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const computed = createHmac('sha256', key).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${computed}`);
    const attempt = attempts(page).filter({ hasText: FLAG });
    await attempt.getByText('Delivered').waitFor();
    await attempt.getByText('status 200').waitFor();
    await page.getByText('Delivered events: 1').waitFor();
    await expectAccessible(page, 'an integration that delivers');
  });

  it('show a destination that fails, and send again when asked to', async () => {
    receiver.answer = refuses(500);
    const page = await open(`/integrations/${await create()}`);
    await page.getByText('Nothing was sent yet.').waitFor();
    await switchFlag();
    await received(1);
    const banner = page.getByText('Attempts fail.').locator('..');
    await banner.getByText('The next attempt is at').waitFor();
    const failed = attempts(page).filter({ hasText: 'Failed' }).first();
    await failed.getByText('The destination answered with the status 500.').waitFor();
    await expectAccessible(page, 'an integration whose attempts fail');
    const list = await open('/integrations');
    await list
      .getByRole('row', { name: /Release calendar/ })
      .getByText('Failing')
      .waitFor();
    await expectAccessible(list, 'the list of integrations');

    receiver.answer = (_received, response) => void response.end('ok');
    await page.getByRole('button', { name: 'Try now…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('None is skipped.').waitFor();
    await expectAccessible(page, 'the dialog that sends again');
    await dialog.getByRole('button', { name: 'Send now' }).click();
    await attempts(page).first().getByText('Delivered').waitFor();
    await page.getByText('Attempts fail.').waitFor({ state: 'detached' });
  });

  it('show that attempts failed for a day, and continue with the event that failed', async () => {
    const id = await create();
    const at = new Date(Date.now() - 90_000_000).toISOString();
    await prepare(world.service, (draft) => {
      const delivery = draft.get('addonDeliveries', String(id));
      if (!delivery) throw new Error('the delivery is not stored');
      draft.put('addonDeliveries', { ...delivery, failures: 40, failingSince: at, parkedAt: new Date().toISOString() });
    });
    await switchFlag();
    const page = await open(`/integrations/${id}`);
    await page.getByText('Nothing is sent until it is continued.').waitFor();
    await expectAccessible(page, 'a parked integration');
    await page.getByRole('button', { name: 'Continue…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why?').fill('The calendar is back');
    await dialog.getByRole('button', { name: 'Send now' }).click();
    await received(1);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ featureName: FLAG });
    await attempts(page).getByText('Delivered').waitFor();
  });

  it('keep secrets that are not replaced, and show the difference without them', async () => {
    const id = await create({}, { authorization: 'Bearer first' });
    const page = await open(`/integrations/${id}?panel=edit`);
    const panel = panelOf(page);
    await panel.getByText('The stored value is kept. It is never shown.').first().waitFor();
    await panel.getByRole('button', { name: 'Replace: Authorization' }).click();
    await panel.getByLabel('Authorization', { exact: true }).fill('Bearer second');
    await panel.getByLabel('Content-Type').fill('text/plain');
    await panel.getByText('Authorization is replaced').waitFor();
    await panel.getByText(/Content-Type: not set → text\/plain/).waitFor();
    await expectAccessible(page, 'the difference of an integration');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await panel.getByRole('button', { name: 'Copy as curl' }).click();
    await panel.getByRole('button', { name: 'Copied' }).first().waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`-X PUT '${world.service.url}/api/admin/addons/${id}'`);
    expect(copied).toContain('"$BURGEE_AUTHORIZATION"');
    expect(copied).not.toContain('Bearer second');
    await panel.getByLabel('Why?').fill('The token was rotated');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Integration Release calendar saved').first().waitFor();
    await switchFlag();
    await received(1);
    expect(receiver.received[0]?.headers).toMatchObject({
      authorization: 'Bearer second',
      'content-type': 'text/plain',
    });
    const { events } = (await accepted(world.service, 'getEvents')).body;
    const changed = events.find(({ type }: { type: string }) => type === 'addon-config-updated');
    expect(changed.reason).toBe('The token was rotated');
    expect(await page.content()).not.toContain('Bearer second');
  });

  it('are switched off and deleted after a confirmation', async () => {
    await create();
    const page = await open('/integrations');
    const dialog = page.getByRole('dialog');
    await page.getByRole('switch', { name: 'Send with Release calendar' }).click();
    await expectAccessible(page, 'the dialog that switches an integration off');
    await dialog.getByText(/events that wait are skipped/).waitFor();
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page
      .getByRole('row', { name: /Release calendar/ })
      .getByText('Off')
      .waitFor();
    expect(await integrations()).toMatchObject([{ enabled: false }]);
    await page.getByRole('button', { name: 'Actions for Release calendar' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await expectAccessible(page, 'the dialog that deletes an integration');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing is sent to another service yet.').waitFor();
    expect(await integrations()).toEqual([]);
  });

  it('name the permission that a viewer lacks', async () => {
    const id = await create();
    const list = await open('/integrations', viewer);
    await list.getByRole('row', { name: /Release calendar/ }).waitFor();
    const button = list.getByRole('button', { name: 'Create integration' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.focus();
    await list.getByText('Needs CREATE_ADDON').first().waitFor();
    const page = await open(`/integrations/${id}`, viewer, { width: 360, height: 740 });
    await page.getByText('Needs ADMIN').waitFor();
    for (const [name, permission] of [
      ['Edit', 'UPDATE_ADDON'],
      ['Switch off…', 'UPDATE_ADDON'],
      ['Delete…', 'DELETE_ADDON'],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.getByText(`Needs ${permission}`).first().waitFor();
    }
    await expectAccessible(page, 'an integration for a viewer');
  });

  it('can be deleted by a person who may not change them', async () => {
    const { service } = world;
    const id = await create();
    const body = { name: 'Tidier', type: 'root-custom', permissions: [{ name: 'DELETE_ADDON' }] };
    const role = (await accepted(service, 'createRole', { body })).body.roles.id;
    await putUser(service, TIDIER, { name: 'Tia', username: 'tia', rootRole: role });
    const page = await open(`/integrations/${id}`, await browserOf(service, TIDIER));
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await button('Edit').waitFor();
    expect(await button('Edit').getAttribute('aria-disabled')).toBe('true');
    await button('Delete…').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing is sent to another service yet.').waitFor();
    expect(await integrations()).toEqual([]);
  });
});
