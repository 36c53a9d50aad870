import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAG = { projectId: 'default', featureName: 'checkout', environment: 'development' };
const COUNTRIES = ['NO', 'SE', 'DK', 'US'];
let signedOn: Record<string, string>;
let segment: number;

/** What was answered when it was now, and the revision of that state. */
interface Recorded {
  readonly revision: string;
  readonly sdk: readonly boolean[];
  readonly api: readonly boolean[];
}

let before: Recorded;
let after: Recorded;

const revision = () => String(world.service.running.services.state.seq);

async function evaluated(at?: string): Promise<boolean[]> {
  const results: boolean[] = [];
  for (const country of COUNTRIES) {
    const { body } = await accepted(world.service, 'getAdvancedPlayground', {
      ...(at && { query: `at=${at}` }),
      body: {
        environments: ['development'],
        projects: ['default'],
        context: { appName: 'x', properties: { country } },
      },
    });
    results.push(body.features[0].environments.development[0].isEnabled);
  }
  return results;
}

/** A flag for a segment; then the segment changes, and only after it the flag. */
beforeAll(async () => {
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  const { body } = await accepted(service, 'createSegment', {
    body: { name: 'nordics', constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }] },
  });
  segment = body.id;
  await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'checkout' } });
  await accepted(service, 'addFeatureStrategy', { params: FLAG, body: { name: 'default', segments: [segment] } });
  await accepted(service, 'toggleFeatureEnvironmentOn', { params: FLAG });
  const sdk = await Sdk.start(service.url, CLIENT_TOKEN);
  const asked = async () => {
    await sdk.isEnabled('checkout');
    return COUNTRIES.map((country) => sdk.isEnabledNow('checkout', { properties: { country } }));
  };
  before = { revision: revision(), sdk: await asked(), api: await evaluated() };
  await accepted(service, 'updateSegment', {
    params: { id: segment },
    body: {
      name: 'nordic countries',
      constraints: [{ contextName: 'country', operator: 'IN', values: ['SE', 'DK'] }],
    },
  });
  after = { revision: revision(), sdk: await asked(), api: await evaluated() };
  await accepted(service, 'toggleFeatureEnvironmentOff', { params: FLAG });
  sdk.end();
});

const open = (address: string) => world.browser.open(world.service.url, address, { signedOn });
const machine = (page: Page) => page.getByRole('region', { name: 'Time machine' });
const difference = (page: Page) => page.getByRole('region', { name: 'What is different now' });
const momentOf = (page: Page) => new URL(page.url()).searchParams.get('at');

describe('journey 24: a flag as of before a change of its segment', () => {
  it('was recorded with other answers than it has now', async () => {
    expect(before.sdk).toEqual([true, true, false, false]);
    expect(after.sdk).toEqual([false, true, true, false]);
    expect(await evaluated()).toEqual([false, false, false, false]);
  });

  it('is shown as it was, read-only, with the segment of that time and the nested difference to now', async () => {
    const { page } = await open('/projects/default/features/checkout');
    await page.getByRole('button', { name: 'Time machine' }).click();
    await page.getByText('Nothing: it is now as it was then.').waitFor();
    await machine(page).getByRole('button', { name: 'Earlier change' }).click();
    await machine(page).getByRole('button', { name: 'Earlier change' }).click();
    await expect.poll(() => momentOf(page)).toBe(before.revision);
    await page.getByText('This is how it was. Nothing can be changed here.').waitFor();
    const development = page.getByRole('region', { name: 'development' });
    expect(await development.innerText()).toMatch(/^development\s+ON if\s+in segment nordics$/);
    const segments = page.getByRole('region', { name: 'Segments as they were' });
    expect(await segments.innerText()).toContain('nordics: country in (NO, SE)');
    expect(await page.getByRole('switch').count()).toBe(0);
    const groups = difference(page).getByRole('region').or(difference(page).locator('section'));
    await groups.first().waitFor();
    const text = await difference(page).innerText();
    expect(text).toContain('Segment nordic countries');
    expect(text).toContain('Values of country: + DK, − NO');
    expect(text).toContain('Name: nordics → nordic countries');
    expect(text).toContain('Switched off');
    await expectAccessible(page, 'a flag of the past');
  });

  it('evaluates to the answers that the SDK had then', async () => {
    for (const { revision: at, sdk, api } of [before, after]) {
      expect(api).toEqual(sdk);
      expect(await evaluated(at)).toEqual(sdk);
      const contexts = JSON.stringify(COUNTRIES.map((country) => ({ country })));
      const query = new URLSearchParams({ environments: 'development', projects: 'default', at, contexts });
      const { page } = await open(`/playground?${query}`);
      const grid = page.getByRole('grid', { name: 'Results' });
      await grid.waitFor();
      const row = grid.getByRole('row').filter({ hasText: 'checkout' });
      expect(await row.innerText()).toContain(`${sdk.filter(Boolean).length} of ${COUNTRIES.length} on`);
      await row.getByText('checkout').click();
      const panel = page.getByRole('complementary', { name: 'checkout' });
      for (const [index, country] of COUNTRIES.entries()) {
        const { searchParams } = new URL(page.url());
        searchParams.set('context', `country=${country}`);
        searchParams.set('flag', 'checkout');
        const { page: linked } = await open(`/playground?${searchParams}`);
        const explained = linked.getByRole('complementary', { name: 'checkout' });
        await explained.getByText(sdk[index] ? 'ON: its only strategy is true' : 'OFF: no strategy is true').waitFor();
      }
      await panel.getByText(`As of r${at}`).waitFor();
    }
  });

  it('has an address that shows the moment again, by a time too', async () => {
    const { body } = await accepted(world.service, 'getFeatureHistory', { params: FLAG });
    const entry = (body.entries as { revision: number; at: string }[]).find(
      (one) => String(one.revision) === before.revision,
    );
    for (const at of [before.revision, entry?.at ?? '']) {
      const { page } = await open(`/projects/default/features/checkout?at=${encodeURIComponent(at)}`);
      const segments = page.getByRole('region', { name: 'Segments as they were' });
      await segments.getByText('country in (NO, SE)').waitFor();
      await page.getByRole('button', { name: 'Back to now' }).click();
      await page.getByRole('switch', { name: 'checkout in development' }).waitFor();
      expect(momentOf(page)).toBeNull();
    }
  });

  it('by keyboard alone: the slider moves from change to change, and says each', async () => {
    const guarded = await open(`/projects/default/features/checkout?at=${after.revision}`);
    guarded.allow(404);
    const { page } = guarded;
    const keyboard = new Keyboard(page);
    const slider = page.getByRole('slider', { name: 'Recorded changes' });
    await keyboard.tabTo(slider);
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/Segment nordic countries/);
    await keyboard.press('ArrowLeft');
    await expect.poll(() => momentOf(page)).toBe(before.revision);
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/switched on in development/i);
    await keyboard.press('Home');
    await page.getByText('At this moment the flag was not in this project').waitFor();
    await keyboard.press('End');
    await page.getByText('Nothing: it is now as it was then.').waitFor();
  });

  it('of a flag that was archived since then, and of one that never existed', async () => {
    const { service } = world;
    const params = { projectId: 'default', featureName: 'gone' };
    await accepted(service, 'createFeature', { params, body: { name: 'gone' } });
    const at = revision();
    await accepted(service, 'archiveFeature', { params });
    const guarded = await open(`/projects/default/features/gone?at=${at}`);
    await guarded.page.getByRole('region', { name: 'development' }).waitFor();
    await difference(guarded.page).getByText('Archived').waitFor();
    const never = await open(`/projects/default/features/never?at=${at}`);
    never.allow(404);
    await never.page.getByText('No change is recorded.').waitFor();
    await never.page.getByText('At this moment the flag was not in this project').waitFor();
  });
});

describe('an explanation as of a moment', () => {
  it('has a link that shows the same after the flag was changed', async () => {
    const contexts = JSON.stringify({ country: 'SE' });
    const query = new URLSearchParams({ environments: 'development', projects: 'default', contexts, flag: 'checkout' });
    const { page, context } = await open(`/playground?${query}`);
    const panel = (shown: Page) => shown.getByRole('complementary', { name: 'checkout' });
    await panel(page).getByText('OFF: the flag is off in development.').waitFor();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async (name: string) => {
      await panel(page).getByRole('button', { name }).click();
      await panel(page).getByRole('button', { name: 'Copied' }).waitFor();
      return new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
    };
    const then = await copied('Copy link as of this moment');
    // A revision, or a time if the revision was not known yet.
    const at = then.searchParams.get('at') ?? '';
    expect(at).toMatch(new RegExp(`^(${revision()}|\\d{4}-.*Z)$`));
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params: FLAG });
    const { page: linked } = await open(then.pathname + then.search);
    await panel(linked).getByText('OFF: the flag is off in development.').waitFor();
    await panel(linked)
      .getByText(`As of ${/^\d+$/.test(at) ? `r${at}` : ''}`)
      .first()
      .waitFor();
    await expectAccessible(linked, 'an explanation as of a moment');
    await panel(linked).getByRole('link', { name: 'Open the flag' }).click();
    await linked.getByText('This is how it was. Nothing can be changed here.').waitFor();
    await accepted(world.service, 'toggleFeatureEnvironmentOff', { params: FLAG });
  });

  it('starts from the flag as it was', async () => {
    const { page } = await open(`/projects/default/features/checkout?at=${before.revision}`);
    await page.getByRole('link', { name: 'Evaluate as of then' }).click();
    const panel = page.getByRole('complementary', { name: 'checkout' });
    await panel.getByText('OFF: no strategy is true for this context.').waitFor();
    await panel.getByText(`As of r${before.revision}`).waitFor();
  });
});

describe('the past of a project and of an environment', () => {
  it('shows the flags of the project as they were', async () => {
    const { page } = await open(`/projects/default?at=${before.revision}`);
    const row = page
      .getByRole('grid', { name: 'Flags at this moment' })
      .getByRole('row')
      .filter({ hasText: 'checkout' });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/checkout\s+ON\s+OFF/);
    await difference(page).getByText('checkout · development').waitFor();
    await expectAccessible(page, 'a project of the past');
    await row.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('region', { name: 'Segments as they were' }).waitFor();
    expect(momentOf(page)).toBe(before.revision);
  });

  it('shows what differs in the environment, from its history', async () => {
    const { page } = await open('/environments/development/history');
    const entry = page.getByRole('listitem').filter({ hasText: `r${before.revision}` });
    await entry.getByRole('link', { name: `State after it r${before.revision}` }).click();
    await difference(page).getByText('checkout').first().waitFor();
    expect(await difference(page).innerText()).toContain('Switched off');
    await page.getByText('It was on.').waitFor();
    await expectAccessible(page, 'an environment of the past');
  });

  it('is not shown to those who may not see the project', async () => {
    const { service } = world;
    await accepted(service, 'createProject', { body: { id: 'hidden', name: 'Hidden', mode: 'private' } });
    await putUser(service, 101, { username: 'vera', email: 'vera@example.org', name: 'Vera', rootRole: 3 });
    const viewer = await browserOf(service, 101);
    const at = revision();
    const guarded = await world.browser.open(service.url, `/projects/hidden?at=${at}`, { signedOn: viewer });
    guarded.allow(403, 404);
    await guarded.page.getByText('There is nothing at this address.').waitFor();
    expect(await guarded.page.getByText('Hidden', { exact: true }).count()).toBe(0);
  });
});
