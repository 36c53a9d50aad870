import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { isFocused, Keyboard } from '../support/keyboard.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const DEVELOPMENT = 'development';
let signedOn: Record<string, string>;
let productionToken: string;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  const { body } = await accepted(world.service, 'createApiToken', {
    body: { tokenName: 'shop', type: 'backend', environment: 'production', projects: ['*'] },
  });
  productionToken = body.secret;
});

const paramsOf = (featureName: string, environment = DEVELOPMENT) => ({
  projectId: 'default',
  featureName,
  environment,
});
const create = (name: string) =>
  accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
const add = (name: string, body: object, environment = DEVELOPMENT) =>
  accepted(world.service, 'addFeatureStrategy', { params: paramsOf(name, environment), body });
const switchOn = (name: string, environment = DEVELOPMENT) =>
  accepted(world.service, 'toggleFeatureEnvironmentOn', { params: paramsOf(name, environment) });
const settings = async (name: string, environment = DEVELOPMENT) =>
  (await accepted(world.service, 'getFeatureEnvironment', { params: paramsOf(name, environment) })).body;
const openFlag = async (name: string) =>
  (await world.browser.open(world.service.url, `/projects/default/features/${name}`, { signedOn })).page;
const cardOf = (page: Page, environment = DEVELOPMENT) => page.getByRole('region', { name: environment });
/** The cards of strategies. */
const cards = (page: Page) =>
  cardOf(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: 'Duplicate' }) });
const rollout = (percent: number, groupId: string, rest: object = {}) => ({
  name: 'flexibleRollout',
  constraints: [],
  ...rest,
  parameters: { rollout: String(percent), stickiness: 'userId', groupId },
});

interface Stored {
  readonly id: string;
  readonly title: string | null;
  readonly sortOrder: number;
}

/** Without what differs between a strategy and its copy. */
const contentOf = ({ id: _id, sortOrder: _order, ...content }: Stored) => content;
const inOrder = (strategies: readonly Stored[]) => [...strategies].sort((a, b) => a.sortOrder - b.sortOrder);

describe('an environment with strategies', () => {
  it('says each of them once, and offers their order only for several', async () => {
    await create('once');
    await add('once', rollout(30, 'once'));
    await switchOn('once');
    const page = await openFlag('once');
    const column = cardOf(page);
    await column.getByText('ON if:', { exact: true }).waitFor();
    expect(await column.getByText('30%').count()).toBe(1);
    expect(await column.getByRole('button', { name: /^Move/ }).count()).toBe(0);
    await add('once', rollout(60, 'once'));
    await column.getByText('ON if any of:', { exact: true }).waitFor();
    expect(await column.getByText('60%').count()).toBe(1);
    expect(await column.getByRole('button', { name: /^Move/ }).count()).toBe(4);
    await expectAccessible(page, 'an environment with two strategies');
  });
});

describe('journey 15: a duplicated strategy', () => {
  it('is a prefilled draft, and nothing is live before it is saved', async () => {
    await create('duplicated');
    const constraints = [
      { contextName: 'appName', operator: 'IN', values: ['shop', 'store'], inverted: false, caseInsensitive: false },
    ];
    await add('duplicated', rollout(0, 'duplicated', { title: 'The shops', constraints }));
    await add('duplicated', rollout(0, 'duplicated', { title: 'Others' }));
    await switchOn('duplicated');
    const before = await settings('duplicated');
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const page = await openFlag('duplicated');
    const card = cardOf(page);
    const original = cards(page).filter({ hasText: 'The shops' });
    await original.getByRole('button', { name: 'Duplicate' }).click();

    const editor = page.getByRole('complementary', { name: /New strategy/ });
    await editor.waitFor();
    const prefilled = async () => ({
      rollout: await editor.getByRole('textbox', { name: 'Rollout' }).inputValue(),
      title: await editor.getByRole('textbox', { name: 'Title' }).inputValue(),
      field: await editor.getByRole('combobox', { name: 'Context field' }).inputValue(),
      words: await editor.getByRole('status', { name: 'In words' }).innerText(),
    });
    expect(await prefilled()).toEqual({
      rollout: '0',
      title: 'The shops',
      field: 'appName',
      words: expect.stringContaining('appName in (shop, store)'),
    });
    await expectAccessible(page, 'the draft of a duplicated strategy');
    await editor.getByRole('textbox', { name: 'Rollout' }).fill('100');
    await editor.getByRole('textbox', { name: 'Title' }).fill('The shops, all users');
    await card.getByText('1 unsaved change').waitFor();
    expect(await settings('duplicated')).toEqual(before);
    expect(await sdk.isEnabled('duplicated', { appName: 'shop', userId: '7' })).toBe(false);

    await editor.getByRole('button', { name: 'Done' }).click();
    await card.getByRole('button', { name: 'Review' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Strategy added: “The shops, all users”').waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const [first, copied, others, ...rest] = inOrder((await settings('duplicated')).strategies);
    expect([first?.title, others?.title, rest]).toEqual(['The shops', 'Others', []]);
    const saved = inOrder(before.strategies);
    expect(contentOf(first as Stored)).toEqual(contentOf(saved[0] as Stored));
    expect(contentOf(copied as Stored)).toEqual({
      ...contentOf(saved[0] as Stored),
      title: 'The shops, all users',
      parameters: { rollout: '100', stickiness: 'userId', groupId: 'duplicated' },
    });
    expect(await sdk.isEnabled('duplicated', { appName: 'shop', userId: '7' })).toBe(true);
    expect(await sdk.isEnabled('duplicated', { appName: 'other', userId: '7' })).toBe(false);
    sdk.end();
  });
});

describe('journey 16K: the order of strategies, by keyboard alone', () => {
  it('is changed by buttons, announced to screen readers, and stored', async () => {
    await create('ordered');
    const named = (name: string) => [{ name, weight: 1000, weightType: 'variable', stickiness: 'userId' }];
    for (const title of ['alpha', 'beta', 'gamma'])
      await add('ordered', rollout(100, 'ordered', { title, variants: named(title) }));
    await switchOn('ordered');
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    /** All strategies match: an SDK takes the variant of the first. */
    const firstMatch = async () => {
      expect(await sdk.isEnabled('ordered', { userId: '7' })).toBe(true);
      return sdk.variantNow('ordered', { userId: '7' }).name;
    };
    expect(await firstMatch()).toBe('alpha');
    const titles = async () => inOrder((await settings('ordered')).strategies).map(({ title }) => title);
    const page = await openFlag('ordered');
    const keyboard = new Keyboard(page);
    const card = cardOf(page);
    const strategy = (title: string) => cards(page).filter({ hasText: title });
    const shown = async () => (await cards(page).allInnerTexts()).map((text) => text.split('\n')[0]);
    const announced = page.locator('[aria-live=polite]');
    await expect.poll(shown).toEqual(['① alpha', '② beta', '③ gamma']);

    const down = strategy('alpha').getByRole('button', { name: 'Move down' });
    await keyboard.activate(down);
    await announced.filter({ hasText: '“alpha” is now 2 of 3' }).waitFor({ state: 'attached' });
    // The focus stays on the button that moved, so that it can be pressed again.
    expect(await isFocused(down)).toBe(true);
    await keyboard.press('Enter');
    await announced.filter({ hasText: '“alpha” is now 3 of 3' }).waitFor({ state: 'attached' });
    await expect.poll(shown).toEqual(['① beta', '② gamma', '③ alpha']);
    expect(await isFocused(down)).toBe(true);
    expect(await down.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('It is the last').first().waitFor();
    await keyboard.press('Enter');
    await keyboard.activate(strategy('gamma').getByRole('button', { name: 'Move up' }));
    await announced.filter({ hasText: '“gamma” is now 1 of 3' }).waitFor({ state: 'attached' });
    await expect.poll(shown).toEqual(['① gamma', '② beta', '③ alpha']);
    await expectAccessible(page, 'strategies in another order');
    expect([await titles(), await firstMatch()]).toEqual([['alpha', 'beta', 'gamma'], 'alpha']);

    await keyboard.activate(card.getByRole('button', { name: 'Review' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Order of strategies changed').waitFor();
    await keyboard.activate(dialog.getByRole('button', { name: 'Save', exact: true }));
    await dialog.waitFor({ state: 'detached' });
    expect(await titles()).toEqual(['gamma', 'beta', 'alpha']);
    expect(await firstMatch()).toBe('gamma');
    sdk.end();
    await page.reload();
    await expect.poll(shown).toEqual(['① gamma', '② beta', '③ alpha']);
  });
});

describe('journey 17: variants with a JSON payload', () => {
  it('refuse invalid JSON at its line, and weigh 100 % together', async () => {
    await create('varied');
    await add('varied', rollout(100, 'varied'));
    await switchOn('varied');
    const page = await openFlag('varied');
    const card = cardOf(page);
    await card.getByRole('button', { name: 'Edit' }).click();
    const editor = page.getByRole('complementary', { name: /Strategy/ });
    for (let count = 0; count < 3; count++) await editor.getByRole('button', { name: 'Add variant' }).click();
    const weights = editor.getByRole('textbox', { name: 'Weight in percent' });
    const shownWeights = async () =>
      Promise.all((await weights.all()).map(async (field) => Number(await field.inputValue())));
    expect(await shownWeights()).toEqual([33.4, 33.3, 33.3]);
    await editor.getByText('Together 100%').waitFor();

    const first = editor.getByRole('group', { name: 'variant-1' });
    await first.getByRole('combobox', { name: 'Payload' }).click();
    await page.getByRole('option', { name: 'JSON' }).click();
    const payload = first.getByRole('textbox', { name: 'Payload value' });
    await payload.fill('{\n  "colour": "red",\n  "size": }\n}');
    const review = card.getByRole('button', { name: 'Review' });
    const problem = 'Line 3 is not JSON: there is } where a value must be.';
    await first.getByText(problem).waitFor();
    expect(await payload.getAttribute('aria-invalid')).toBe('true');
    expect(await review.getAttribute('aria-disabled')).toBe('true');
    expect(await review.getAttribute('aria-description')).toBe(problem);
    await expectAccessible(page, 'a payload that is no JSON');
    await payload.fill('{\n  "colour": "red",\n  "size": 3\n}');
    await first.getByText(problem).waitFor({ state: 'detached' });

    // Fixed weights above 100 % are refused; below, the others share what is left.
    for (const at of [0, 1]) await editor.getByRole('checkbox', { name: 'Fixed weight' }).nth(at).check();
    await weights.nth(0).fill('80');
    await weights.nth(1).fill('40.5');
    await editor.getByText('The weights are 120.5% together. They must be 100%.').waitFor();
    expect(await review.getAttribute('aria-disabled')).toBe('true');
    await weights.nth(1).fill('4.5');
    expect(await shownWeights()).toEqual([80, 4.5, 15.5]);
    await editor.getByText('Together 100%').waitFor();
    expect((await settings('varied')).strategies[0].variants).toEqual([]);

    await editor.getByRole('button', { name: 'Done' }).click();
    await review.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('variant-1').first().waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const { variants } = (await settings('varied')).strategies[0];
    expect(variants.map(({ weight }: { weight: number }) => weight)).toEqual([800, 45, 155]);
    expect(variants[0].payload).toEqual({ type: 'json', value: '{\n  "colour": "red",\n  "size": 3\n}' });

    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const counts = new Map<string, number>();
    for (let id = 0; id < 1_000; id++) {
      const { name, payload: sent } = sdk.variantNow('varied', { userId: `user-${id}` });
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (name === 'variant-1') expect(JSON.parse(sent?.value ?? '')).toEqual({ colour: 'red', size: 3 });
      else expect(sent).toBeUndefined();
    }
    sdk.end();
    expect([...counts.keys()].sort()).toEqual(['variant-1', 'variant-2', 'variant-3']);
    expect(counts.get('variant-1')).toBeGreaterThan(750);
    expect(counts.get('variant-2')).toBeLessThan(100);
  });
});

describe('journey 18: a copy from development to production', () => {
  it('shows the exact difference first, and both are equal afterwards', async () => {
    const { body: segment } = await accepted(world.service, 'createSegment', {
      body: { name: 'nordics', constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }] },
    });
    await create('copied');
    const variants = [
      {
        name: 'blue',
        weight: 500,
        weightType: 'variable',
        stickiness: 'userId',
        payload: { type: 'string', value: 'b' },
      },
      { name: 'red', weight: 500, weightType: 'variable', stickiness: 'userId' },
    ];
    const constraints = [{ contextName: 'appName', operator: 'IN', values: ['shop'] }];
    await add('copied', rollout(30, 'copied', { title: 'A third', constraints, variants }));
    await add('copied', rollout(60, 'copied', { title: 'Nordics', segments: [segment.id] }));
    await add('copied', rollout(10, 'copied', { title: 'Only here' }), 'production');
    await switchOn('copied');
    const page = await openFlag('copied');
    await cardOf(page).getByRole('button', { name: 'Actions for development' }).click();
    await page.getByRole('menuitem', { name: 'Copy to other environments…' }).click();
    const panel = page.getByRole('complementary', { name: 'Copy development to…' });
    await panel.getByRole('checkbox', { name: /production/ }).check();
    const lines = async () => (await panel.getByRole('listitem').allInnerTexts()).map((text) => text.trim());
    await panel.getByRole('listitem').first().waitFor();
    expect(await lines()).toEqual([
      'Switched on',
      'Strategy added: “Nordics”',
      '“Only here” — Title: Only here → A third',
      '“Only here” — Rollout: 10% → 30%',
      '“Only here” — Constraint added: appName in shop',
      '“Only here” — Variant blue added with 50%',
      '“Only here” — Variant red added with 50%',
    ]);
    const before = await settings('copied', 'production');
    expect([before.enabled, before.strategies.length]).toEqual([false, 1]);
    await expectAccessible(page, 'the difference of a copy');

    await panel.getByRole('textbox', { name: 'Why?' }).fill('Tested in development');
    await panel.getByRole('button', { name: 'Copy to production' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.getByText('copied: development was copied to production').waitFor();
    const [from, to] = [await settings('copied'), await settings('copied', 'production')];
    const compared = ({ enabled, strategies, variants: own }: typeof from) => ({
      enabled,
      own,
      strategies: inOrder(strategies).map(contentOf),
    });
    expect(compared(to)).toEqual(compared(from));
    expect(to.strategies.map(({ id }: Stored) => id)).not.toContain(from.strategies[0].id);
    const { body: events } = await accepted(world.service, 'getEvents', { query: 'limit=1' });
    expect(events.events[0].reason).toBe('Tested in development');

    const sdks = [
      await Sdk.start(world.service.url, CLIENT_TOKEN),
      await Sdk.start(world.service.url, productionToken),
    ] as const;
    let on = 0;
    for (let id = 0; id < 500; id++) {
      const context = {
        userId: `user-${id}`,
        appName: ['shop', 'other'][id % 2] ?? '',
        properties: { country: ['NO', 'SE', 'DK'][id % 3] ?? '' },
      };
      const answers = sdks.map((sdk) => [sdk.isEnabledNow('copied', context), sdk.variantNow('copied', context)]);
      expect(answers[1], JSON.stringify(context)).toEqual(answers[0]);
      if (answers[0]?.[0]) on++;
    }
    for (const sdk of sdks) sdk.end();
    expect(on).toBeGreaterThan(100);
    expect(on).toBeLessThan(450);

    // The panel says so when there is nothing left to copy.
    await cardOf(page).getByRole('button', { name: 'Actions for development' }).click();
    await page.getByRole('menuitem', { name: 'Copy to other environments…' }).click();
    await panel.getByRole('checkbox', { name: /production/ }).check();
    await panel.getByText('No changes').waitFor();
    expect(await panel.getByRole('button', { name: 'Copy to production' }).getAttribute('aria-disabled')).toBe('true');
  });
});

describe('a copy to several environments', () => {
  it('is possible when the difference of all of them is shown, with the reason that one of them demands', async () => {
    await accepted(world.service, 'createEnvironment', {
      body: { name: 'strict', type: 'preproduction', requireReason: true },
    });
    await accepted(world.service, 'addEnvironmentToProject', {
      params: { projectId: 'default' },
      body: { environment: 'strict' },
    });
    await create('spread');
    await add('spread', rollout(40, 'spread', { title: 'Some' }));
    const page = await openFlag('spread');
    await cardOf(page).getByRole('button', { name: 'Actions for development' }).click();
    await page.getByRole('menuitem', { name: 'Copy to other environments…' }).click();
    const panel = page.getByRole('complementary', { name: 'Copy development to…' });
    await panel.getByRole('checkbox', { name: /production/ }).check();
    await panel.getByText('Strategy added: “Some”').waitFor();

    // The answer about both environments comes when the test says so.
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/copy?preview=true', async (route) => {
      await held;
      await route.continue();
    });
    await panel.getByRole('checkbox', { name: /strict/ }).check();
    const copy = panel.getByRole('button', { name: 'Copy to production, strict' });
    await copy.waitFor();
    expect(await copy.getAttribute('aria-disabled')).toBe('true');
    expect(await panel.getByText('Strategy added: “Some”').count()).toBe(0);
    await copy.click({ force: true });
    answer();
    await panel.getByText('Strategy added: “Some”').nth(1).waitFor();
    expect((await settings('spread', 'production')).strategies).toEqual([]);
    await panel.getByRole('button', { name: 'Copy to production, strict', description: 'requires a reason' }).waitFor();

    await panel.getByRole('textbox', { name: 'Why?' }).fill('Both need it');
    await copy.click();
    await panel.waitFor({ state: 'detached' });
    for (const environment of ['production', 'strict'])
      expect((await settings('spread', environment)).strategies, environment).toHaveLength(1);
  });
});

it('a rollout that is stored without a percentage says in its rule and in its editor that it is off for everyone', async () => {
  const content = { id: '', title: null, disabled: false, constraints: [], segments: [], variants: [] };
  const strategies = [{ ...content, name: 'flexibleRollout', parameters: { stickiness: 'default' } }];
  const environments = [{ environment: DEVELOPMENT, enabled: true, strategies, variants: [], isServed: true }];
  await accepted(world.service, 'takeOver', {
    body: { features: [{ name: 'incomplete', project: 'default', environments }] },
  });
  const page = await openFlag('incomplete');
  await cardOf(page).getByText('no one: its percentage is missing').first().waitFor();
  await cardOf(page).getByRole('button', { name: 'Edit' }).first().click();
  const editor = page.getByRole('complementary', { name: /Strategy/ });
  await editor.getByText('No percentage is stored, so this strategy is off for everyone').waitFor();
  const percentage = editor.getByRole('textbox', { name: 'Rollout' });
  expect(await percentage.inputValue()).toBe('');
  await percentage.fill('20');
  await expect.poll(() => editor.getByText('No percentage is stored').count()).toBe(0);
  await expectAccessible(page, 'the editor of a rollout without a percentage');
});
