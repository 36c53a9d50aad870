import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../support/admin.ts';
import { browserOf } from '../support/people.ts';
import { expectAccessible } from './support/axe.ts';
import { ADMIN, useWorld } from './support/world.ts';

const world = useWorld();
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  for (const name of ['first', 'second']) {
    await accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
  }
  await accepted(world.service, 'patchFeature', {
    params: { projectId: 'default', featureName: 'first' },
    body: [{ op: 'replace', path: '/description', value: 'Described' }],
  });
});

describe('the audit log', () => {
  it('has the events that the API finds, and filters in the address', async () => {
    const { page } = await world.browser.open(world.service.url, '/history?feature=first', { signedOn });
    const rows = page.getByRole('grid', { name: 'Audit log' }).getByRole('row');
    await rows.nth(1).waitFor();
    const { body } = await accepted(world.service, 'searchEventsByQuery', { query: 'feature=IS:first' });
    expect(await rows.count()).toBe(body.total + 1);
    await expectAccessible(page, 'the audit log');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row').filter({ hasText: 'second' }).first().waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('undoes a change in place', async () => {
    const { page } = await world.browser.open(world.service.url, '/history?feature=first', { signedOn });
    await page.getByRole('row').filter({ hasText: 'first' }).first().click();
    const panel = page.getByRole('complementary').last();
    await panel.getByText('What changed').waitFor();
    await expectAccessible(page, 'the details of an event');
    await panel.getByRole('button', { name: 'Undo this change' }).click();
    await panel.getByLabel('Why?').fill('By mistake');
    await panel.getByRole('button', { name: 'Undo this change' }).click();
    await page
      .getByText(/^r\d+ undone$/)
      .first()
      .waitFor();
    const { body } = await accepted(world.service, 'getFeature', {
      params: { projectId: 'default', featureName: 'first' },
    });
    expect(body.description || null).toBeNull();
  });
});

describe('the undo of other objects than flags', () => {
  it('gives an environment its earlier type, and says what is never restored', async () => {
    const params = { name: 'development' };
    const typeNow = async () => (await accepted(world.service, 'getEnvironment', { params })).body.type;
    const before = await typeNow();
    await accepted(world.service, 'updateEnvironment', { params, body: { type: 'changed-by-mistake' } });
    const { page } = await world.browser.open(world.service.url, '/history', { signedOn });
    await page.getByRole('row').filter({ hasText: 'changed the environment development' }).first().click();
    const panel = page.getByRole('complementary').last();
    await panel.getByRole('button', { name: 'Undo this change' }).click();
    await panel.getByRole('button', { name: 'Undo this change' }).click();
    await page
      .getByText(/^r\d+ undone$/)
      .first()
      .waitFor();
    expect(await typeNow()).toBe(before);
    await accepted(world.service, 'createApiToken', {
      body: { tokenName: 'never', type: 'client', environment: 'development', projects: ['*'] },
    });
    await page.getByRole('row').filter({ hasText: 'created the API token never' }).first().click();
    await page.getByText('An undo never restores this').waitFor();
    expect(await page.getByRole('button', { name: 'Undo this change' }).count()).toBe(0);
    await expectAccessible(page, 'an event that is never undone');
  });
});

describe('journey 37: a search that is cut off', () => {
  it('says how far it came, and goes on or is narrowed', async () => {
    const guarded = await world.browser.open(world.service.url, '/history', { signedOn });
    const { page } = guarded;
    await page.getByRole('row').nth(1).waitFor();
    const event = {
      id: 3,
      createdAt: '2026-01-02T00:00:00.000Z',
      type: 'feature-created',
      createdBy: 'ada',
      createdByUserId: 100,
    };
    const rest = {
      environment: null,
      project: 'default',
      featureName: 'first',
      revision: 3,
      reason: null,
      label: 'Flag created',
      summary: 'an old event',
    };
    // A log that is long enough takes minutes to write: the answers are those of the API when its time is over.
    await page.route('**/api/admin/search/events?*query=needle*', (route) =>
      route.fulfill({
        json: route.request().url().includes('beforeId=40')
          ? { total: 1, events: [{ ...event, ...rest }] }
          : { total: 0, events: [], searchedDownTo: 40, searchedDownToTime: '2026-01-03T00:00:00.000Z' },
      }),
    );
    await page.getByRole('searchbox', { name: 'Find in events' }).fill('needle');
    await page.getByText('The search was cut off: it looked at all events since').waitFor();
    await expectAccessible(page, 'a search that was cut off');
    await page.getByRole('button', { name: 'Search earlier events' }).click();
    await page.getByText('an old event').waitFor();
    expect(new URL(page.url()).searchParams.get('query')).toBe('needle');
  });
});
