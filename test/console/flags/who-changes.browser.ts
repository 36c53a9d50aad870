import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAG = 'pasted';
const PLACE = { projectId: 'default', environment: 'development', featureName: FLAG };
const KINDS = { offToOn: 'Off → on', onToOff: 'On → off', otherVariant: 'Another variant' } as const;
/** Some are inside of the rollout before and after, some only after; every third is not in Norway. */
const CONTEXTS = Array.from({ length: 60 }, (_, index) => ({
  userId: `user-${index}`,
  properties: { country: index % 3 === 0 ? 'SE' : 'NO' },
}));
const LINES = CONTEXTS.map((one) => JSON.stringify(one)).join('\n');
let signedOn: Record<string, string>;
let strategy: { readonly id: string };

const variants = [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'userId' }];
const rule = (rollout: number) => ({
  name: 'flexibleRollout',
  parameters: { rollout: String(rollout), stickiness: 'userId', groupId: FLAG },
  constraints: [{ contextName: 'country', operator: 'IN', values: ['NO'] }],
  variants,
});

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  await accepted(world.service, 'createContextField', { body: { name: 'country' } });
  await accepted(world.service, 'createFeature', { params: PLACE, body: { name: FLAG } });
  strategy = (await accepted(world.service, 'addFeatureStrategy', { params: PLACE, body: rule(30) })).body;
  await accepted(world.service, 'toggleFeatureEnvironmentOn', { params: PLACE });
});

/** What the API answers for the change of the rollout to 80 %. */
async function apiAnswer(contexts: object) {
  const changes = [{ action: 'updateStrategy', feature: FLAG, payload: { id: strategy.id, ...rule(80) } }];
  const body = { project: 'default', environment: 'development', changes, contexts, examples: 2 };
  return (await accepted(world.service, 'previewChanges', { body })).body.flags[0];
}

/** The review of the change of the rollout to 80 %, before it is saved. */
async function review(page: Page): Promise<Locator> {
  const card = page.getByRole('region', { name: 'development' });
  if ((await card.getByRole('button', { name: 'Review' }).count()) === 0) {
    await card.getByRole('button', { name: /^Edit/ }).first().click();
    const rollout = page.getByRole('complementary').getByRole('textbox', { name: 'Rollout' });
    await rollout.fill('80');
    await page.getByRole('complementary').getByRole('button', { name: 'Done' }).click();
  }
  await card.getByRole('button', { name: 'Review' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/made-up values of userId/).waitFor();
  return dialog;
}

async function open(width = 1280) {
  const path = `/projects/default/features/${FLAG}`;
  const guarded = await world.browser.open(world.service.url, path, { signedOn, width });
  await guarded.page.getByRole('region', { name: 'development' }).getByText('30%').first().waitFor();
  return guarded;
}

async function choose(page: Page, where: Locator, name: string | RegExp): Promise<void> {
  await where.getByRole('combobox', { name: 'Contexts' }).click();
  await page.getByRole('option', { name }).click();
}

async function paste(page: Page, dialog: Locator, text: string): Promise<void> {
  await choose(page, dialog, 'Paste contexts…');
  await dialog.getByRole('textbox', { name: 'Contexts as JSON' }).fill(text);
  await dialog.getByRole('button', { name: 'Try these contexts' }).click();
}

/** The counts that are shown, of the kinds that are not 0. */
async function shownCounts(where: Locator): Promise<Record<string, number>> {
  const texts = await where.getByRole('status').getByRole('listitem').allInnerTexts();
  return Object.fromEntries(texts.map((text) => [text.replace(/^\s*[\d,]+ /, ''), Number.parseInt(text, 10)]));
}

describe('who changes, of pasted contexts', () => {
  it('shows the counts and the examples that the API answers', async () => {
    const { page, context } = await open();
    const dialog = await review(page);
    await paste(page, dialog, LINES);
    await dialog.getByText('Of 60 pasted contexts.').waitFor();
    const { counts, examples } = await apiAnswer({ given: CONTEXTS });
    expect(counts.offToOn).toBeGreaterThan(5);
    expect(counts.unchanged).toBeGreaterThan(20);
    expect(await shownCounts(dialog)).toEqual({ 'off → on': counts.offToOn, 'the same': counts.unchanged });

    await dialog.getByText('Examples', { exact: true }).click();
    const changed = examples.filter(({ kind }: { kind: string }) => kind !== 'unchanged');
    expect(changed.length).toBe(2);
    for (const { kind, context: sent, before, after } of changed) {
      const shown = dialog
        .getByRole('region', { name: KINDS[kind as keyof typeof KINDS] })
        .getByRole('listitem')
        .filter({ hasText: `userId=${sent.userId}, country=${sent.properties.country}` });
      const [{ rollout }] = before.strategies.data;
      expect([before.isEnabled, after.isEnabled, after.variant.name]).toEqual([false, true, 'blue']);
      const position = `Position ${rollout.position} of 100; the rollout covers`;
      await shown.getByText(`Before: OFF: no strategy is true for this context. ${position} 30.`).waitFor();
      await shown.getByText(`After: ON: its only strategy is true for this context. ${position} 80.`).waitFor();
      await shown.getByText('Variant blue').waitFor();
    }
    await expectAccessible(page, 'examples of who changes');

    const opened = context.waitForEvent('page');
    await dialog.getByRole('link', { name: 'Explain as saved now' }).first().click();
    const explained = (await opened).getByRole('complementary', { name: FLAG });
    await explained.getByText('OFF: no strategy is true for this context.').waitFor();
    await explained.getByText(`userId=${changed[0].context.userId}, country=NO`).first().waitFor();
  });

  it('names a bad line, one that the server refuses, and too many lines; then there are no counts', async () => {
    const guarded = await open();
    guarded.allow(400);
    const { page } = guarded;
    const dialog = await review(page);
    await paste(page, dialog, LINES);
    await dialog.getByText('Of 60 pasted contexts.').waitFor();
    const text = dialog.getByRole('textbox', { name: 'Contexts as JSON' });
    const use = async (lines: readonly string[]) => {
      await text.fill(lines.join('\n'));
      await dialog.getByRole('button', { name: 'Try these contexts' }).click();
    };
    await use(['{"userId":"1"}', '', '{"userId": }']);
    await dialog.getByText('Line 3 is not JSON: there is } where a value must be.').waitFor();
    expect(await text.getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByText(/off → on|the same/).count()).toBe(0);
    await expectAccessible(page, 'a bad line among contexts');
    await use(['{"userId":"1"}', '', '{"currentTime":"yesterday"}']);
    await dialog.getByText(/^Line 3: /).waitFor();
    expect(await dialog.getByText(/off → on|the same/).count()).toBe(0);
    await use([JSON.stringify(Array.from({ length: 10_001 }, () => ({})))]);
    await dialog.getByText('These are more than 10,000 contexts').waitFor();
    const long = Array.from({ length: 6_000 }, (_, index) => ({ userId: `u${index}`, properties: { country: 'NO' } }));
    await use([JSON.stringify(long)]);
    const tooLarge = await dialog.getByText(/^These contexts are too large for one request/).innerText();
    const fitting = Number(/first ([\d,]+)$/.exec(tooLarge)?.[1]?.replace(',', ''));
    expect(fitting).toBeGreaterThan(5_000);
    await use([JSON.stringify(long.slice(0, fitting))]);
    await dialog.getByText(`Of ${fitting.toLocaleString('en')} pasted contexts.`).waitFor();
    await use(['{"userId":"1"}']);
    await dialog.getByText('Of 1 pasted contexts.').waitFor();
    await choose(page, dialog, 'Made-up contexts');
    await dialog.getByText(/made-up values of userId/).waitFor();
  });

  it('fits into 360 px', async () => {
    const { page } = await open(360);
    const dialog = await review(page);
    await paste(page, dialog, LINES);
    await dialog.getByText('Examples', { exact: true }).click();
    await dialog.getByText('Off → on', { exact: true }).waitFor();
    await expectAccessible(page, 'examples of who changes at 360 px');
    const wider = '(element) => [element, ...element.querySelectorAll("*")].some((one) => one.scrollWidth > 360)';
    expect(await dialog.evaluate(`(${wider})(document.querySelector('[role=dialog]'))` as never)).toBe(false);
  });
});

describe('who changes, of a saved set of contexts', () => {
  const SET = CONTEXTS.slice(0, 12);
  const ofAda = {
    token: null,
    get headers() {
      return signedOn;
    },
  } as const;
  const sets = async () => (await accepted(world.service, 'getOwnContextSets', ofAda)).body.contextSets;

  it('is kept after a reload, by keyboard alone', async () => {
    const { page } = await open();
    const keyboard = new Keyboard(page);
    const dialog = await review(page);
    await keyboard.tabTo(dialog.getByRole('combobox', { name: 'Contexts' }));
    await keyboard.press('Enter', 'End', 'Enter');
    await keyboard.fill(dialog.getByRole('textbox', { name: 'Contexts as JSON' }), JSON.stringify(SET));
    await keyboard.activate(dialog.getByRole('button', { name: 'Try these contexts' }));
    const save = dialog.getByRole('button', { name: 'Save the set' });
    await save.waitFor();
    expect(await save.getAttribute('aria-description')).toBe('Enter a name');
    await keyboard.fill(dialog.getByRole('textbox', { name: 'Name of the set' }), 'Staff');
    await keyboard.activate(save);
    await dialog.getByText('Of the 12 contexts of “Staff”.').waitFor();
    const [{ id, name }] = await sets();
    const stored = await accepted(world.service, 'getOwnContextSet', { ...ofAda, params: { id } });
    expect([name, stored.body.contexts]).toEqual(['Staff', SET]);

    await page.reload();
    const again = await review(page);
    await choose(page, again, /^Staff/);
    await again.getByText('Of the 12 contexts of “Staff”.').waitFor();
    const { counts } = await apiAnswer({ given: SET });
    expect(counts.offToOn).toBeGreaterThan(0);
    expect(await shownCounts(again)).toEqual({ 'off → on': counts.offToOn, 'the same': counts.unchanged });
    await expectAccessible(page, 'who changes of a saved set');
  });

  it('shows the effects of a change request, with examples of each kind', async () => {
    await accepted(world.service, 'createOwnContextSet', { ...ofAda, body: { name: 'All', contexts: CONTEXTS } });
    const params = { ...PLACE, environment: 'production' };
    const { body: live } = await accepted(world.service, 'addFeatureStrategy', { params, body: rule(70) });
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    const changeRequestsOn = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await accepted(world.service, 'updateProjectChangeRequestConfig', { params, body: changeRequestsOn });
    const payload = { id: live.id, ...rule(35), variants: [{ ...variants[0], name: 'red' }] };
    const changes = [{ feature: FLAG, action: 'updateStrategy', payload }];
    const { id } = (await accepted(world.service, 'createChangeRequest', { ...ofAda, params, body: changes })).body;
    const path = `/projects/default/change-requests/${id}`;
    const { page } = await world.browser.open(world.service.url, path, { signedOn });
    const main = page.getByRole('main');
    await main.getByText(/made-up values of userId/).waitFor();
    await choose(page, main, /^All/);
    await main.getByText('Of the 60 contexts of “All”.').waitFor();
    const body = { changeRequest: id, contexts: { given: CONTEXTS }, examples: 2 };
    const [{ counts, examples }] = (await accepted(world.service, 'previewChanges', { body })).body.flags;
    expect(await shownCounts(main)).toEqual({
      'on → off': counts.onToOff,
      'another variant': counts.otherVariant,
      'the same': counts.unchanged,
    });
    await main.getByText('Examples', { exact: true }).click();
    for (const [kind, before, after] of [
      ['onToOff', /^Before: ON: .* Variant blue$/, /^After: OFF: no strategy is true for this context\./],
      ['otherVariant', /^Before: ON: .* Variant blue$/, /^After: ON: .* Variant red$/],
    ] as const) {
      const shown = main.getByRole('region', { name: KINDS[kind] }).getByRole('listitem');
      const answered = examples.filter((one: { kind: string }) => one.kind === kind);
      expect(answered).toHaveLength(2);
      for (const [at, { context }] of answered.entries()) {
        await shown.nth(at).getByText(`userId=${context.userId}, country=NO`).waitFor();
        for (const side of [before, after]) await shown.nth(at).getByText(side).waitFor();
      }
      expect(await shown.count()).toBe(2);
    }
    expect(await main.getByRole('region', { name: KINDS.offToOn }).count()).toBe(0);
    await expectAccessible(page, 'the effects of a change request on a saved set');
  });

  it('is deleted, and its contexts stay in the field', async () => {
    await accepted(world.service, 'createOwnContextSet', { ...ofAda, body: { name: 'Guests', contexts: SET } });
    const { page } = await open();
    const dialog = await review(page);
    await choose(page, dialog, /^Guests/);
    await dialog.getByText('Of the 12 contexts of “Guests”.').waitFor();
    await dialog.getByRole('button', { name: 'Delete the set' }).click();
    const text = dialog.getByRole('textbox', { name: 'Contexts as JSON' });
    expect(await text.inputValue()).toBe(SET.map((one) => JSON.stringify(one)).join('\n'));
    expect((await sets()).map(({ name }: { name: string }) => name)).not.toContain('Guests');
    await dialog.getByRole('combobox', { name: 'Contexts' }).click();
    await page.getByRole('option', { name: 'Made-up contexts' }).waitFor();
    expect(await page.getByRole('option', { name: /^Guests/ }).count()).toBe(0);
  });
});
