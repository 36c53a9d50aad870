import { beforeAll, describe, expect, it } from 'vitest';
import { EventSearch } from '../../../src/features/events/search.ts';
import { MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { accepted, refused } from '../../support/admin.ts';
import { fillAuditLog } from '../../support/audit-log.ts';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const OLD_DAY = daysAgo(5);
/** A log of ten thousand events: one with the text among the few of an old day, and one 50 events before its end. */
const LOG = [
  { events: 5, day: OLD_DAY, text: 'hay' },
  { events: 1, day: OLD_DAY, text: 'a needle' },
  { events: 10_000, day: daysAgo(3), text: 'hay' },
  { events: 1, day: daysAgo(2), text: 'a needle' },
  { events: 50, day: daysAgo(1), text: 'hay' },
];
const { backing } = new MemoryStore();
for (const { events, day, text } of LOG)
  await fillAuditLog(new MemoryStore({ backing }), { events, at: `${day}T12:00:00.000Z`, data: { text } });

const world = useWorld({ store: new MemoryStore({ backing }) });
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
    const { createdBy, createdByUserId } = body.events[0];
    for (const row of (await rows.allInnerTexts()).slice(1)) expect(row.split(createdBy), row).toHaveLength(2);
    await expectAccessible(page, 'the audit log');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row').filter({ hasText: 'second' }).first().waitFor();
    expect(new URL(page.url()).search).toBe('');
    // Each day has its name once, above its events; midnight may pass meanwhile.
    const days = page.getByRole('grid', { name: 'Audit log' }).getByRole('rowgroup', { name: /./ });
    expect(await days.count()).toBe(2);
    await days
      .first()
      .getByText(/^(Today|Yesterday)$/)
      .waitFor();
    await days.first().getByRole('row').filter({ hasText: 'second' }).first().waitFor();
    await expectAccessible(page, 'the audit log of several days');

    await page.getByRole('combobox', { name: 'Flag' }).click();
    await page.keyboard.type('sec');
    await page.getByRole('option', { name: 'second', exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('feature')).toBe('second');
    await page.getByRole('button', { name: 'Clear filters' }).click();

    await page.getByRole('combobox', { name: 'Person' }).click();
    await page
      .getByRole('option', { name: createdByUserId === -42 ? 'By API tokens' : createdBy, exact: true })
      .click();
    await expect.poll(() => new URL(page.url()).searchParams.get('person')).toBe(String(createdByUserId));
    const found = await accepted(world.service, 'searchEventsByQuery', { query: `createdBy=IS:${createdByUserId}` });
    expect(found.body.total).toBeLessThan(10_000);
    await page.getByRole('heading', { level: 1, name: `Audit log ${found.body.total}` }).waitFor();
  });

  it('has the days of the time zone of the reader', async () => {
    // The needle was made at noon in UTC, which is after midnight in Auckland.
    const day = daysAgo(1);
    const options = { signedOn, timezoneId: 'Pacific/Auckland' };
    const { page } = await world.browser.open(world.service.url, `/history?from=${day}&to=${day}`, options);
    await page.getByRole('heading', { level: 1, name: 'Audit log 1', exact: true }).waitFor();
    await page.getByText('Time zone: Pacific/Auckland').waitFor();
    await page.getByRole('row').nth(1).click();
    await page.getByText('needle').first().waitFor();
  });

  it('says what changed, when by the clock, and leads to the flag as it was; kinds of events are in words', async () => {
    const { page } = await world.browser.open(world.service.url, '/history?feature=first', { signedOn });
    const row = page.getByRole('row').filter({ hasText: 'Description' }).first();
    await row.getByText(/: Flag first: Description: nothing → Described/).waitFor();
    await row.getByText(/^\d\d:\d\d · /).waitFor();
    await row.getByRole('link', { name: /^The flag before this r\d+$/ }).click();
    await expect.poll(() => page.url()).toMatch(/\/projects\/default\/features\/first\?at=\d+$/);
    await page.goBack();

    const params = { projectId: 'default', featureName: 'first', environment: 'production' };
    await accepted(world.service, 'addFeatureStrategy', { params, body: { name: 'default' } });
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    await accepted(world.service, 'toggleFeatureEnvironmentOff', { params });
    await page.getByRole('combobox', { name: 'Kind of event' }).fill('switched of');
    await page.getByRole('option', { name: 'Switched off', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('heading', { level: 1, name: 'Audit log 1', exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'off' }).first().waitFor();
    await page.getByRole('combobox', { name: 'Person' }).click();
    await page.getByRole('option', { name: 'By me', exact: true }).click();
    await page.getByText('No event matches these filters.').waitFor();
    await page.getByRole('combobox', { name: 'Person' }).click();
    await page.getByRole('option', { name: 'By API tokens', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log 1', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Last hour' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('minutes')).toBe('60');
    await page.getByRole('heading', { level: 1, name: 'Audit log 1', exact: true }).waitFor();
    await expectAccessible(page, 'the audit log by words');
  });

  it('undoes a change in place', async () => {
    const { page } = await world.browser.open(world.service.url, '/history?feature=first', { signedOn });
    await page.getByRole('row').filter({ hasText: 'Description' }).first().click();
    const panel = page.getByRole('complementary').last();
    await panel.getByText('Description: nothing → Described').waitFor();
    await expectAccessible(page, 'the details of an event');
    await panel.getByRole('button', { name: 'Undo', exact: true }).click();
    await panel.getByLabel('Why?').fill('By mistake');
    await panel.getByRole('button', { name: /^Undo r\d+$/ }).click();
    await page
      .getByText(/^Undone: r\d+$/)
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
    await page
      .getByRole('row')
      .filter({ hasText: /^.*Environment development: / })
      .first()
      .click();
    const panel = page.getByRole('complementary').last();
    await panel.getByRole('button', { name: 'Undo', exact: true }).click();
    await panel.getByRole('button', { name: /^Undo r\d+$/ }).click();
    await page
      .getByText(/^Undone: r\d+$/)
      .first()
      .waitFor();
    expect(await typeNow()).toBe(before);
    await accepted(world.service, 'createApiToken', {
      body: { tokenName: 'never', type: 'client', environment: 'development', projects: ['*'] },
    });
    await page.getByRole('row').filter({ hasText: 'created the API token never' }).first().click();
    await page.getByText('An undo does not restore this: a token is not restored').waitFor();
    expect(await panel.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
    await expectAccessible(page, 'an event that is never undone');
  });
});

describe('the undo of a deleted environment', () => {
  it('shows that its tokens are not restored, and why', async () => {
    await accepted(world.service, 'createEnvironment', { body: { name: 'staging', type: 'test' } });
    await accepted(world.service, 'createApiToken', {
      body: { tokenName: 'of staging', type: 'client', environment: 'staging', projects: ['*'] },
    });
    await accepted(world.service, 'removeEnvironment', { params: { name: 'staging' } });
    const { page } = await world.browser.open(world.service.url, '/history', { signedOn });
    await page.getByRole('row').filter({ hasText: 'staging' }).first().click();
    const panel = page.getByRole('complementary').last();
    await panel.getByRole('button', { name: 'Undo', exact: true }).click();
    await panel.getByRole('button', { name: /^Undo r\d+$/ }).click();
    const receipt = page.getByRole('region', { name: 'The last save' });
    await receipt.getByText(/^Undone: r\d+$/).waitFor();
    await receipt.getByText('Not restored: a token is not restored').waitFor();
    await expectAccessible(page, 'an undo that does not restore all');
    await accepted(world.service, 'getEnvironment', { params: { name: 'staging' } });

    await receipt.getByRole('button', { name: 'Undo', exact: true }).click();
    await receipt.getByRole('button', { name: /^Undo r\d+$/ }).click();
    await receipt.getByText(/^Done again: r\d+$/).waitFor();
    await refused(world.service, 'getEnvironment', [404, 'NotFoundError'], { params: { name: 'staging' } });
  });
});

describe('journey 37: a search that is cut off', () => {
  it('says how far it came, goes on, and is narrowed', async () => {
    // The time of a search is over after the first batch of events, as it is on a log of many gigabytes after ten seconds.
    const { eventIndex: index, bulk, eventSearch } = world.service.running.services;
    const hasty = new EventSearch({ index, pool: bulk.pool, budgetMs: 0 });
    Object.assign(world.service.running.services, { eventSearch: hasty });
    try {
      const { page } = await world.browser.open(world.service.url, '/history', { signedOn });
      const rows = page.getByRole('grid', { name: 'Audit log' }).getByRole('row');
      await rows.nth(1).waitFor();
      const answers: { readonly total: number; readonly searchedDownTo?: number }[] = [];
      page.on('response', async (response) => {
        const { pathname, search } = new URL(response.url());
        if (pathname.startsWith('/api/') && search.includes('query=needle')) answers.push(await response.json());
      });
      await page.getByRole('searchbox', { name: 'Find in events' }).fill('needle');
      const cut = page.getByText('The search was cut off: it looked at all events since');
      await cut.waitFor();
      await expectAccessible(page, 'a search that was cut off');
      expect(await rows.count()).toBe(0);

      // Each click goes on where the search before it stopped, and finds the newer of the two.
      const goOn = page.getByRole('button', { name: 'Search earlier events' });
      for (let clicks = 1; clicks < 20 && (await rows.count()) === 0; clicks++) {
        await goOn.click();
        await expect.poll(() => answers.length).toBe(clicks + 1);
        await expect.poll(async () => (await goOn.getAttribute('aria-busy')) ?? 'false').toBe('false');
      }
      expect(await rows.count()).toBe(2);
      const downTo = answers.map(({ searchedDownTo = 0 }) => searchedDownTo);
      expect(downTo).toEqual([...downTo].sort((a, b) => b - a));
      expect(new Set(downTo).size).toBe(downTo.length);
      expect(answers.at(-1)?.total).toBe(1);
      expect(downTo.at(-1)).toBeGreaterThan(5_000);
      await cut.waitFor();

      // The older one is thousands of events away, but only a few events are of its day.
      await page.getByRole('combobox', { name: 'Time' }).click();
      await page.getByRole('option', { name: 'From … to …' }).click();
      await page.getByLabel('To', { exact: true }).fill(OLD_DAY);
      await cut.waitFor({ state: 'detached' });
      await expect.poll(() => rows.count()).toBe(2);
      const { searchParams } = new URL(page.url());
      expect([searchParams.get('query'), searchParams.get('to')]).toEqual(['needle', OLD_DAY]);
      await page.reload();
      await expect.poll(() => rows.count()).toBe(2);
      expect(await cut.count()).toBe(0);

      // The API finds the same two, with and without the end of the time.
      Object.assign(world.service.running.services, { eventSearch });
      const found = async (query: string) =>
        (await accepted(world.service, 'searchEventsByQuery', { query: `query=needle&${query}` })).body;
      expect(await found('')).toMatchObject({ total: 2 });
      const { events, total } = await found(`to=IS:${OLD_DAY}`);
      expect([total, events[0].createdAt]).toEqual([1, `${OLD_DAY}T12:00:00.000Z`]);
    } finally {
      Object.assign(world.service.running.services, { eventSearch });
    }
  });
});
