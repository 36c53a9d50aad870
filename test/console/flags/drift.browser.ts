import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const projectId = 'default';
const AUTHOR = 201;
let signedOn: Record<string, string>;
let sdk: Sdk;

const at = (featureName: string, environment: string) => ({ projectId, featureName, environment });
const rollout = (percent: number, groupId: string) => ({
  name: 'flexibleRollout',
  parameters: { rollout: String(percent), stickiness: 'userId', groupId },
});

async function addRollout(name: string, environment: string, percent: number): Promise<void> {
  await accepted(world.service, 'addFeatureStrategy', { params: at(name, environment), body: rollout(percent, name) });
}
const switchOn = (name: string, environment: string) =>
  accepted(world.service, 'toggleFeatureEnvironmentOn', { params: at(name, environment) });

/** Fingerprints of a flag in development and production, from the first block of the index. */
async function fingerprints(name: string): Promise<readonly [string, string]> {
  const { body } = await accepted(world.service, 'getFlagIndex', { query: 'fields=fingerprints' });
  const index = body.environments.indexOf.bind(body.environments);
  const [block] = body.blocks;
  let known = '';
  const at = block.names.split(' ').findIndex((rest: string, position: number) => {
    known = known.slice(0, block.shared.charCodeAt(position) - 48) + rest;
    return known === name;
  });
  return [block.fingerprints[index('development')][at], block.fingerprints[index('production')][at]];
}

beforeAll(async () => {
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  for (const name of ['same', 'rules', 'switched', 'reviewed'])
    await accepted(service, 'createFeature', { params: { projectId }, body: { name } });
  for (const name of ['same', 'switched'])
    for (const environment of ['development', 'production']) await addRollout(name, environment, 100);
  await addRollout('rules', 'development', 100);
  await addRollout('rules', 'production', 0);
  await addRollout('reviewed', 'development', 40);
  await switchOn('switched', 'development');
  for (const environment of ['development', 'production']) await switchOn('rules', environment);
  const body = { type: 'client', tokenName: 'production', environment: 'production' };
  sdk = await Sdk.start(service.url, (await accepted(service, 'createApiToken', { body })).body.secret);
});
afterAll(() => sdk?.end());

const open = async (search = '') => (await world.browser.open(world.service.url, `/drift${search}`, { signedOn })).page;
const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('gridcell') });
const names = async (page: Page) => (await rows(page).getByRole('link').allInnerTexts()).sort();

describe('the drift matrix', () => {
  it('shows for each flag whether an environment is as the base, as the fingerprints say', async () => {
    const page = await open('?base=development&show=all');
    await page.getByRole('link', { name: 'same' }).waitFor();
    expect(await names(page)).toEqual(['reviewed', 'rules', 'same', 'switched']);
    const equal = async (name: string) => {
      const [development, production] = await fingerprints(name);
      return development === production;
    };
    expect([await equal('same'), await equal('rules'), await equal('switched')]).toEqual([true, false, true]);
    await page.getByRole('button', { name: 'same: production is as development' }).waitFor();
    await page.getByRole('button', { name: 'rules: the rules in production differ from development' }).waitFor();
    await page.getByRole('button', { name: 'switched: off in production, on in development' }).waitFor();
    await expectAccessible(page, 'the drift matrix');
  });

  it('lists what differs, by the chosen base and kind, as the address says', async () => {
    const page = await open('?base=production');
    await page.getByRole('link', { name: 'rules' }).waitFor();
    expect(await names(page)).toEqual(['reviewed', 'rules', 'switched']);
    await page.getByRole('button', { name: 'switched: on in development, off in production' }).waitFor();
    await page.getByRole('radio', { name: 'Different rules' }).check({ force: true });
    await expect.poll(() => names(page)).toEqual(['reviewed', 'rules']);
    expect(new URL(page.url()).search).toBe('?base=production&show=rules');
  });

  it('shows the exact difference, and copies the base: afterwards both are equal, and SDKs have it', async () => {
    expect(await sdk.isEnabled('rules', { userId: 'anna' })).toBe(false);
    const page = await open('?base=development&filter=rules');
    const keyboard = new Keyboard(page);
    await page.getByRole('link', { name: 'rules' }).waitFor();
    await keyboard.press('j', 'Enter');
    const panel = page.getByRole('complementary');
    const { body: preview } = await accepted(world.service, 'copyFeatureEnvironment', {
      params: at('rules', 'development'),
      query: 'preview=true',
      body: { targets: ['production'] },
    });
    expect(preview.targets[0].changedStrategies).toHaveLength(1);
    await panel.getByText('Rollout: 0% → 100%').waitFor();
    await expectAccessible(page, 'a difference between environments');
    await panel.getByLabel('Why?').fill('Released');
    await panel.getByRole('button', { name: 'Copy to production' }).click();
    await page.getByText('Nothing differs').waitFor();
    const [development, production] = await fingerprints('rules');
    expect(production).toBe(development);
    expect(await sdk.isEnabled('rules', { userId: 'anna' })).toBe(true);
    const { body } = await accepted(world.service, 'getEvents', { query: 'limit=1' });
    expect(body.events[0].reason).toBe('Released');
  });

  it('follows what others change, without being read anew', async () => {
    const page = await open('?base=development&show=all');
    await page.getByRole('button', { name: 'same: production is as development' }).waitFor();
    await addRollout('same', 'production', 7);
    await page.getByRole('button', { name: 'same: the rules in production differ from development' }).waitFor();
  });
});

describe('promotion into a reviewed environment', () => {
  it('becomes a change request with the same difference', async () => {
    const { service } = world;
    await putUser(service, AUTHOR, { name: 'Grace', username: 'grace' });
    const { body: access } = await accepted(service, 'getProjectAccess', { params: { projectId } });
    const owner = access.roles.find(({ name }: { name: string }) => name === 'Owner').id;
    await accepted(service, 'addAccessToProject', {
      params: { projectId },
      body: { roles: [owner], groups: [], users: [AUTHOR] },
    });
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params: { projectId, environment: 'production' },
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    const author = await browserOf(service, AUTHOR);
    const address = '/drift?base=development&flag=reviewed&to=production';
    const { page } = await world.browser.open(service.url, address, { signedOn: author });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Strategy added').waitFor();
    await dialog.getByRole('button', { name: 'Add to a change request' }).click();
    await page
      .getByText(/Added to change request \d+/)
      .first()
      .waitFor();
    const { body } = await accepted(service, 'getOpenChangeRequests', {
      token: null,
      headers: author,
      params: { projectId },
    });
    const { body: request } = await accepted(service, 'getChangeRequest', { params: { projectId, id: body[0].id } });
    expect(request.features[0]).toMatchObject({ name: 'reviewed' });
    expect(request.features[0].changes).toMatchObject([
      { action: 'addStrategy', payload: { name: 'flexibleRollout', parameters: { rollout: '40' } } },
    ]);
    const { strategies } = (await accepted(service, 'getFeatureEnvironment', { params: at('reviewed', 'production') }))
      .body;
    expect(strategies).toEqual([]);
  });
});
