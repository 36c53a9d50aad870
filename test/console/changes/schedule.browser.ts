import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Sdk } from '../support/sdk.ts';
import { useWorld } from '../support/world.ts';

const MINUTE_MS = 60_000;
const clock = new ManualClock(Date.now());
const world = useWorld({ clock });
const PROJECT = 'default';
const FLAG = 'launch';
const PRODUCTION = { projectId: PROJECT, featureName: FLAG, environment: 'production' };
const [AUTHOR, REVIEWER] = [201, 202];
let author: Record<string, string>;
let reviewer: Record<string, string>;
let strategyId: string;
let token: string;

const parametersOf = (rollout: string) => ({ rollout, stickiness: 'userId', groupId: FLAG });
const settings = async () => (await accepted(world.service, 'getFeatureEnvironment', { params: PRODUCTION })).body;
const request = async (id: number) =>
  (await accepted(world.service, 'getChangeRequest', { params: { projectId: PROJECT, id } })).body;

beforeAll(async () => {
  const { service } = world;
  await putUser(service, AUTHOR, { name: 'Grace', username: 'grace' });
  await putUser(service, REVIEWER, { name: 'Margaret', username: 'margaret' });
  const { body } = await accepted(service, 'getProjectAccess', { params: { projectId: PROJECT } });
  const owner = body.roles.find(({ name }: { name: string }) => name === 'Owner').id;
  await accepted(service, 'addAccessToProject', {
    params: { projectId: PROJECT },
    body: { roles: [owner], groups: [], users: [AUTHOR, REVIEWER] },
  });
  await accepted(service, 'createFeature', { params: { projectId: PROJECT }, body: { name: FLAG } });
  const added = await accepted(service, 'addFeatureStrategy', {
    params: PRODUCTION,
    body: { name: 'flexibleRollout', parameters: parametersOf('0'), constraints: [] },
  });
  strategyId = added.body.id;
  await accepted(service, 'toggleFeatureEnvironmentOn', { params: PRODUCTION });
  await accepted(service, 'updateProjectChangeRequestConfig', {
    params: { projectId: PROJECT, environment: 'production' },
    body: { changeRequestsEnabled: true, requiredApprovals: 1 },
  });
  const made = await accepted(service, 'createApiToken', {
    body: { tokenName: 'shop', type: 'backend', environment: 'production', projects: ['*'] },
  });
  token = made.body.secret;
  author = await browserOf(service, AUTHOR);
  reviewer = await browserOf(service, REVIEWER);
});

/** A request of the author that rolls the strategy out to all, approved by the reviewer. */
async function approved(): Promise<number> {
  const { body } = await accepted(world.service, 'createChangeRequest', {
    token: null,
    headers: author,
    params: { projectId: PROJECT, environment: 'production' },
    body: [
      {
        feature: FLAG,
        action: 'updateStrategy',
        payload: { id: strategyId, name: 'flexibleRollout', parameters: parametersOf('100'), constraints: [] },
      },
    ],
  });
  for (const [state, headers] of [
    ['In review', author],
    ['Approved', reviewer],
  ] as const)
    await accepted(world.service, 'changeChangeRequestState', {
      token: null,
      headers,
      params: { projectId: PROJECT, id: body.id },
      body: { state },
    });
  return body.id;
}

/** Schedules for a time so many minutes after the one of the service. The field of the time has whole minutes. */
async function schedule(page: Page, button: string, minutes: number): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog');
  const time = new Date(clock.nowMs() + minutes * MINUTE_MS).toISOString().slice(0, 16);
  await dialog.getByLabel('Time').fill(time);
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Scheduled for').waitFor();
}

/** How many events of a type the flag or the request has. */
async function countOf(type: string): Promise<number> {
  const { body } = await accepted(world.service, 'searchEventsByQuery', { query: `type=IS:${type}&limit=100` });
  return body.total;
}

describe('journey 27: a scheduled change request that no longer fits', () => {
  it('says why the schedule failed, is scheduled again, and is applied once', async () => {
    const id = await approved();
    const { page } = await world.browser.open(world.service.url, `/projects/${PROJECT}/change-requests/${id}`, {
      signedOn: reviewer,
    });
    await schedule(page, 'Schedule…', 10);
    expect(await request(id)).toMatchObject({ state: 'Scheduled', schedule: { status: 'pending' } });
    await expectAccessible(page, 'a scheduled request');

    // An admin, who needs no review, deletes the strategy that the request changes.
    await accepted(world.service, 'deleteFeatureStrategy', { params: { ...PRODUCTION, strategyId } });
    const deletion = (await accepted(world.service, 'getHistory', { query: 'limit=1' })).body.entries[0].revision;
    await page.getByText('It no longer fits').first().waitFor();
    clock.advance(11 * MINUTE_MS);
    const failed = page.getByText('The schedule failed');
    await failed.waitFor();
    const { schedule: failure, state } = await request(id);
    expect([state, failure.status]).toEqual(['Scheduled', 'failed']);
    expect(failure.reason).toMatch(/strategy/i);
    await page.getByText(failure.reason).first().waitFor();
    await expectAccessible(page, 'a schedule that failed');
    expect((await settings()).strategies).toEqual([]);

    // The strategy is back, so the request fits again.
    await accepted(world.service, 'undoRevision', { params: { revision: deletion }, body: {} });
    await page.getByText('It no longer fits').first().waitFor({ state: 'detached' });
    const updates = await countOf('feature-strategy-update');
    await schedule(page, 'Reschedule…', 20);
    await failed.waitFor({ state: 'detached' });
    expect(await request(id)).toMatchObject({ state: 'Scheduled', schedule: { status: 'pending' } });
    const sdk = await Sdk.start(world.service.url, token);
    expect(await sdk.isEnabled(FLAG, { userId: '7' })).toBe(false);

    clock.advance(21 * MINUTE_MS);
    await page.getByRole('heading', { level: 1 }).getByText('Applied').waitFor();
    expect((await settings()).strategies).toMatchObject([{ id: strategyId, parameters: parametersOf('100') }]);
    expect(await sdk.isEnabled(FLAG, { userId: '7' })).toBe(true);
    sdk.end();
    // Time goes on, and nothing is applied a second time.
    clock.advance(60 * MINUTE_MS);
    await accepted(world.service, 'createFeature', { params: { projectId: PROJECT }, body: { name: 'later' } });
    expect(await countOf('feature-strategy-update')).toBe(updates + 1);
    expect(await countOf('change-request-applied')).toBe(1);
    expect((await request(id)).state).toBe('Applied');
  });
});
