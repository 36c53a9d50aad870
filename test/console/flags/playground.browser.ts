import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const ENVIRONMENTS = ['development', 'production', 'staging'];
let signedOn: Record<string, string>;

interface Result {
  readonly isEnabled: boolean;
  readonly context: { readonly userId: string };
  readonly strategies: { readonly data: readonly unknown[] };
}

/** Flags for half of the users, for Norwegians, for everybody, and one that is off. */
beforeAll(async () => {
  const { service } = world;
  const flags = new Flags(service);
  await accepted(service, 'createEnvironment', { body: { name: 'staging', type: 'preproduction' } });
  await accepted(service, 'addEnvironmentToProject', {
    params: { projectId: 'default' },
    body: { environment: 'staging' },
  });
  const rules: Record<string, object | null> = {
    half: { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'userId', groupId: 'half' } },
    norway: { name: 'default', constraints: [{ contextName: 'country', operator: 'IN', values: ['NO'] }] },
    everybody: { name: 'default' },
    nothing: null,
  };
  for (const [featureName, strategy] of Object.entries(rules)) {
    await flags.call('createFeature', { projectId: 'default' }, { name: featureName });
    for (const environment of strategy ? ['development', 'staging'] : []) {
      await flags.call('addFeatureStrategy', { projectId: 'default', featureName, environment }, strategy);
      await flags.call('toggleFeatureEnvironmentOn', { projectId: 'default', featureName, environment });
    }
  }
  signedOn = await browserOf(service, ADMIN.id);
});

const open = (query = '') => world.browser.open(world.service.url, `/playground${query}`, { signedOn });
const grid = (page: Page) => page.getByRole('grid', { name: 'Results' });
const panel = (page: Page, flag: string) => page.getByRole('complementary', { name: flag });

/** The texts of the cells of each row. */
async function shownRows(page: Page): Promise<string[][]> {
  const rows = await grid(page).getByRole('row').all();
  const texts = await Promise.all(rows.map((row) => row.getByRole('gridcell').allInnerTexts()));
  return texts.filter((cells) => cells.length > 0).map((cells) => cells.map((text) => text.trim()));
}

async function apiResults(context: object): Promise<Map<string, Record<string, Result[]>>> {
  const { body } = await accepted(world.service, 'getAdvancedPlayground', {
    body: { environments: ENVIRONMENTS, projects: '*', context },
  });
  const features = body.features as { name: string; environments: Record<string, Result[]> }[];
  return new Map(features.map(({ name, environments }) => [name, environments]));
}

async function paste(page: Page, text: string): Promise<void> {
  await page.getByRole('radio', { name: 'Paste' }).check();
  await page.getByRole('textbox', { name: 'Contexts as JSON' }).fill(text);
  await page.getByRole('button', { name: 'Evaluate', exact: true }).click();
}

describe('journey 31: the playground with 3 environments and 20 contexts', () => {
  it('shows what the API answers, and an error clears the results', async () => {
    const guarded = await open();
    guarded.allow(400);
    const { page } = guarded;
    await page.getByText('Enter a context, such as the id of a user').waitFor();
    await expectAccessible(page, 'the empty playground');
    const contexts = Array.from({ length: 20 }, (_, index) => ({
      userId: String(index),
      country: index % 2 === 0 ? 'NO' : 'SE',
    }));
    await paste(page, contexts.map((one) => JSON.stringify(one)).join('\n'));
    await grid(page).waitFor();
    const expected = new Map<string, Record<string, number>>();
    for (const { userId, country } of contexts) {
      for (const [flag, environments] of await apiResults({ appName: 'x', userId, properties: { country } })) {
        const counts = expected.get(flag) ?? {};
        expected.set(flag, counts);
        for (const name of ENVIRONMENTS)
          counts[name] = (counts[name] ?? 0) + Number(environments[name]?.[0]?.isEnabled ?? false);
      }
    }
    expect(expected.get('half')?.development).toBeGreaterThan(0);
    expect(expected.get('half')?.development).toBeLessThan(20);
    expect(expected.get('norway')).toEqual({ development: 10, production: 0, staging: 10 });
    const order = await grid(page).getByRole('columnheader').allInnerTexts();
    const rows = await shownRows(page);
    expect(rows.map(([name]) => name)).toEqual([...expected.keys()].sort());
    for (const cells of rows) {
      const counts = expected.get(cells[0] ?? '') ?? {};
      for (const name of ENVIRONMENTS) expect(cells[order.indexOf(name)]).toBe(`${counts[name]} of 20 on`);
    }
    await expectAccessible(page, 'the results of the playground');

    const tooMany = Array.from({ length: 20_000 }, (_, index) => index).join(',');
    await paste(page, JSON.stringify({ userId: tooMany }));
    await page.getByText('This was not evaluated.').waitFor();
    expect(await grid(page).count()).toBe(0);
    await expectAccessible(page, 'the playground with an error');

    await paste(page, 'userId=7');
    await page.getByText('Line 1 is not JSON: there is userId=7 where a value must be.').waitFor();
  });

  it('works by keyboard alone', async () => {
    const { page } = await open();
    const keyboard = new Keyboard(page);
    await keyboard.fill(page.getByRole('textbox', { name: 'Value userId' }), '7');
    await keyboard.press('Enter');
    await grid(page).waitFor();
    const api = await apiResults({ appName: 'playground', userId: '7' });
    const order = await grid(page).getByRole('columnheader').allInnerTexts();
    const half = (await shownRows(page)).find(([name]) => name === 'half') ?? [];
    expect(half[order.indexOf('development')]?.split('\n')[0]).toBe(
      api.get('half')?.development?.[0]?.isEnabled ? 'ON' : 'OFF',
    );
    await keyboard.tabTo(grid(page).locator('[role=row][tabindex="0"]'));
    await keyboard.press('Enter');
    await panel(page, 'everybody').waitFor();
    await keyboard.press('Escape');
    await panel(page, 'everybody').waitFor({ state: 'detached' });
  });
});

describe('journey 32: one context is explained', () => {
  it('with the reasons of the API, and its link shows them again', async () => {
    const { page } = await open();
    await paste(page, JSON.stringify({ userId: '7', country: 'SE' }));
    await grid(page).waitFor();
    await grid(page).getByText('norway', { exact: true }).click();
    const { page: other } = await open(new URL(page.url()).search);
    for (const shown of [page, other]) {
      const explained = panel(shown, 'norway');
      await explained.getByText('OFF: no strategy is true for this context.').waitFor();
      const condition = explained.getByRole('listitem').filter({ hasText: 'country in NO' }).last();
      expect(await condition.getByRole('img').getAttribute('aria-label')).toBe('false');
      expect(await condition.innerText()).toContain('(given: SE)');
    }
    const api = await apiResults({ appName: 'playground', userId: '7', properties: { country: 'SE' } });
    expect(api.get('norway')?.development?.[0]).toMatchObject({
      isEnabled: false,
      strategies: { data: [{ constraints: [{ contextName: 'country', result: false }], result: { enabled: false } }] },
    });
    await expectAccessible(other, 'an explained result');
    await panel(other, 'norway').getByRole('combobox', { name: 'Environment' }).click();
    await other.getByRole('option', { name: 'production' }).click();
    await panel(other, 'norway').getByText('OFF: the flag is off in production.').waitFor();
  });

  it('with the position of the user in a rollout, which decides', async () => {
    const { page } = await open();
    const seen = new Set<boolean>();
    for (let user = 0; seen.size < 2; user++) {
      const { development } = (await apiResults({ appName: 'playground', userId: String(user) })).get('half') ?? {};
      const [verdict] = (development?.[0]?.strategies.data ?? []) as { rollout: { position: number } }[];
      const isOn = development?.[0]?.isEnabled === true;
      const position = verdict?.rollout.position ?? 0;
      expect(position <= 50).toBe(isOn);
      if (seen.has(isOn)) continue;
      seen.add(isOn);
      await paste(page, JSON.stringify({ userId: String(user) }));
      await grid(page).getByText('half', { exact: true }).click();
      await panel(page, 'half').getByText(`Position ${position} of 100; the rollout covers 50.`).first().waitFor();
      await page.keyboard.press('Escape');
    }
  });

  it('of the environment whose result was pressed', async () => {
    const { page } = await open();
    await paste(page, JSON.stringify({ userId: '7' }));
    await grid(page).waitFor();
    const order = await grid(page).getByRole('columnheader').allInnerTexts();
    const row = grid(page).getByRole('row').filter({ hasText: 'everybody' });
    for (const [environment, reason] of [
      ['staging', 'ON: its only strategy is true for this context.'],
      ['production', 'OFF: the flag is off in production.'],
    ] as const) {
      await row.getByRole('gridcell').nth(order.indexOf(environment)).click();
      await panel(page, 'everybody').getByText(reason).waitFor();
      await page.keyboard.press('Escape');
      await panel(page, 'everybody').waitFor({ state: 'detached' });
    }
  });

  it('numbers the strategies as the cards of the flag do', async () => {
    const flags = new Flags(world.service);
    const FLAG = { projectId: 'default', featureName: 'two-rules' };
    await flags.call('createFeature', { projectId: 'default' }, { name: 'two-rules' });
    const params = { ...FLAG, environment: 'development' };
    const constraints = [{ contextName: 'country', operator: 'IN', values: ['NO'] }];
    await flags.call('addFeatureStrategy', params, { name: 'default', constraints });
    await flags.call('addFeatureStrategy', params, { name: 'default', title: 'The rest' });
    await flags.call('toggleFeatureEnvironmentOn', params);
    const { page } = await open();
    await paste(page, JSON.stringify({ userId: '7' }));
    await grid(page).getByRole('row').filter({ hasText: 'two-rules' }).getByRole('gridcell').first().click();
    await panel(page, 'two-rules').getByText('ON: strategy ② is true for this context.').waitFor();
    for (const name of ['Strategy ①', '② The rest']) await panel(page, 'two-rules').getByText(name).waitFor();
    await panel(page, 'two-rules').getByRole('link', { name: 'Open the flag' }).click();
    await page.getByRole('region', { name: 'development' }).getByText('② The rest').waitFor();
  });

  it('from the flag: only the id of the user is left to give, and the next question keeps the explanation', async () => {
    const { page } = await world.browser.open(world.service.url, '/projects/default/features/norway', { signedOn });
    await page.getByRole('link', { name: 'Explain for a user…' }).click();
    await page.getByText('see what norway answers, and why').waitFor();
    const value = page.getByRole('textbox', { name: 'Value userId' });
    expect(await value.evaluate((element) => element.matches(':focus'))).toBe(true);
    for (const user of ['7', '8']) {
      await value.fill(user);
      await page.keyboard.press('Enter');
      await panel(page, 'norway').getByText(`userId=${user}`).waitFor();
      await panel(page, 'norway').getByText('OFF: the flag is off in production.').waitFor();
    }
    expect((await grid(page).getByRole('columnheader').allInnerTexts()).slice(1).sort()).toEqual(ENVIRONMENTS);
  });
});

describe('a flag whose constraints use other fields', () => {
  const FLAG = { projectId: 'default', featureName: 'plans' };
  const address = '/projects/default/features/plans';

  beforeAll(async () => {
    const flags = new Flags(world.service);
    await flags.call('createFeature', { projectId: 'default' }, { name: 'plans' });
    const { body: segment } = await accepted(world.service, 'createSegment', {
      body: {
        name: 'payers',
        constraints: [{ contextName: 'plan', operator: 'IN', values: ['pro'] }],
      },
    });
    const params = { ...FLAG, environment: 'production' };
    const is = (contextName: string, value: string) => ({ contextName, operator: 'IN', values: [value] });
    await flags.call('addFeatureStrategy', params, {
      name: 'default',
      constraints: [is('country', 'NO'), is('email', 'a@example.org')],
      segments: [segment.id],
    });
    await flags.call('toggleFeatureEnvironmentOn', params);
  });

  it('offers them, and names those that are not given and could change the answer', async () => {
    const { page } = await world.browser.open(world.service.url, address, { signedOn });
    await page.getByRole('link', { name: 'Explain for a user…' }).click();
    const value = (field: string) => page.getByRole('textbox', { name: `Value ${field}` });
    const offered = ['userId', 'country', 'email', 'plan'].map(value);
    for (const field of offered) await field.waitFor();
    const widths = await Promise.all(offered.map(async (field) => (await field.boundingBox())?.width));
    expect(new Set(widths).size, 'the fields are equally wide').toBe(1);
    await value('userId').fill('7');
    await page.keyboard.press('Enter');
    const explained = panel(page, 'plans');
    await explained.getByText('The answer may differ: country, email and plan are not given.').waitFor();
    await explained.getByText('OFF: no strategy is true for this context.').waitFor();
    await expectAccessible(page, 'a result that may differ');

    await value('country').fill('NO');
    await value('email').fill('a@example.org');
    await page.keyboard.press('Enter');
    await explained.getByText('The answer may differ: plan is not given.').waitFor();
    await value('plan').fill('pro');
    await page.keyboard.press('Enter');
    await explained.getByText('ON: its only strategy is true for this context.').waitFor();
    expect(await explained.getByText('The answer may differ').count()).toBe(0);

    // A given field makes the strategy false: the others cannot change that.
    await value('country').fill('SE');
    await value('plan').fill('');
    await page.keyboard.press('Enter');
    await explained.getByText('OFF: no strategy is true for this context.').waitFor();
    expect(await explained.getByText('The answer may differ').count()).toBe(0);
  });

  it('is explained above the list where the window is narrow, and nothing is covered', async () => {
    const contexts = encodeURIComponent(JSON.stringify({ userId: '7' }));
    const { page } = await open(`?environments=production&contexts=${contexts}&flag=plans`);
    const boxOf = async (part: Locator) => {
      const box = await part.boundingBox();
      if (!box) throw new Error('it is not shown');
      return box;
    };
    for (const width of [768, 1024, 1101, 1279]) {
      await page.setViewportSize({ width, height: 900 });
      await panel(page, 'plans').waitFor();
      const [explained, list, form] = await Promise.all([
        boxOf(panel(page, 'plans')),
        boxOf(grid(page)),
        boxOf(page.locator('form')),
      ]);
      expect(explained.y + explained.height).toBeLessThanOrEqual(list.y);
      expect(width - explained.x - explained.width).toBeLessThan(40);
      const isBeside = form.x + form.width <= explained.x;
      expect(isBeside || form.y + form.height <= explained.y).toBe(true);
      const acts = panel(page, 'plans').locator('footer').locator('button, a');
      // In one line, or one below the other.
      const lines = await acts.evaluateAll((all) => {
        const boxes = all.map((one) => one.getBoundingClientRect());
        return boxes.map(({ top, height }) => Math.round(top + height / 2));
      });
      expect(lines).toHaveLength(3);
      expect([1, 3]).toContain(new Set(lines).size);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(async () => (await boxOf(panel(page, 'plans'))).y).toBe(0);
  });
});

describe('a form that has changed since its result', () => {
  const changed = (page: Page) => page.getByText('The form has changed since this result.');

  it('says so beside the result until it is evaluated again', async () => {
    const { page } = await open();
    const value = page.getByRole('textbox', { name: 'Value userId' });
    await page.getByRole('button', { name: 'Evaluate an example' }).click();
    await grid(page).waitFor();
    expect(await value.inputValue()).toBe('7');
    expect(await changed(page).count()).toBe(0);
    await value.fill('8');
    await changed(page).waitFor();
    await expectAccessible(page, 'a result that is out of date');
    await value.fill('7');
    await changed(page).waitFor({ state: 'detached' });
    await value.fill('9');
    await page.getByRole('button', { name: 'Evaluate again' }).click();
    await changed(page).waitFor({ state: 'detached' });
    await grid(page).waitFor();
    expect(new URL(page.url()).searchParams.get('contexts')).toContain('"userId":"9"');
    await page.getByRole('radio', { name: 'Paste' }).check();
    await page.getByRole('textbox', { name: 'Contexts as JSON' }).fill('{');
    await changed(page).waitFor();
  });

  it('is evaluated by Enter in each field of one line, but not while a list is open', async () => {
    const { page } = await open();
    const asked = () => new URL(page.url()).searchParams.get('contexts') ?? '';
    const value = page.getByRole('textbox', { name: 'Value userId' });
    const fields = [
      page.getByRole('combobox', { name: 'Environments' }),
      page.getByRole('combobox', { name: 'Projects' }),
      page.getByRole('combobox', { name: 'Field', exact: true }),
      value,
      page.getByLabel('As of'),
    ];
    for (const [at, field] of fields.entries()) {
      await value.fill(`user-${at}`);
      // While an answer is awaited, the form asks nothing else.
      await page.getByRole('button', { name: 'Evaluate', exact: true, disabled: false }).waitFor();
      await field.focus();
      await page.keyboard.press('Enter');
      await expect.poll(asked).toContain(`"user-${at}"`);
    }
    await page.getByRole('button', { name: 'Add field' }).click();
    const name = page.getByRole('combobox', { name: 'Field', exact: true }).nth(1);
    await value.fill('not-yet');
    await name.focus();
    await page.keyboard.type('session');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => name.inputValue()).toBe('sessionId');
    expect(asked()).not.toContain('not-yet');
    await page.keyboard.press('Enter');
    await expect.poll(asked).toContain('not-yet');
  });
});

describe('the fields of a context', () => {
  it('have the focus when they are added, and the neighbour when they are removed', async () => {
    const { page } = await open();
    const add = page.getByRole('button', { name: 'Add field' });
    await add.click();
    const names = page.getByRole('combobox', { name: 'Field', exact: true });
    const isFocused = (locator: Locator) => locator.evaluate((element) => element.matches(':focus'));
    await expect.poll(() => isFocused(names.nth(1))).toBe(true);
    await page.getByRole('button', { name: 'Remove the field' }).click();
    await expect.poll(() => isFocused(names.nth(0))).toBe(true);
  });
});
