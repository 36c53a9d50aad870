import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { isFocused, Keyboard } from '../support/keyboard.ts';
import { Sdk } from '../support/sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const DEVELOPMENT = { projectId: 'default', environment: 'development' };
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
});

async function openFlag(name: string, tab = '') {
  const address = `/projects/default/features/${name}${tab}`;
  return (await world.browser.open(world.service.url, address, { signedOn })).page;
}

const create = (name: string) =>
  accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
const environment = async (featureName: string) =>
  (await accepted(world.service, 'getFeatureEnvironment', { params: { ...DEVELOPMENT, featureName } })).body;

/** Adds a constraint to the open editor. */
async function addConstraint(page: Page, keyboard: Keyboard, field: string, values: string): Promise<void> {
  const editor = page.getByRole('complementary');
  const before = await editor.getByRole('combobox', { name: 'Context field' }).count();
  await keyboard.activate(editor.getByRole('button', { name: 'Add constraint' }));
  const fieldBox = editor.getByRole('combobox', { name: 'Context field' }).nth(before);
  await keyboard.fill(fieldBox, field);
  await page.getByRole('option', { name: field, exact: true }).waitFor();
  await keyboard.press('Enter');
  await expect.poll(() => fieldBox.inputValue()).toBe(field);
  await keyboard.fill(editor.getByRole('textbox', { name: 'Values' }).nth(before), values);
  await keyboard.press('Enter');
}

async function save(page: Page, keyboard: Keyboard, within: Locator): Promise<void> {
  await keyboard.activate(within.getByRole('button', { name: 'Review' }));
  const dialog = page.getByRole('dialog');
  await keyboard.activate(dialog.getByRole('button', { name: 'Save', exact: true }));
  await dialog.waitFor({ state: 'detached' });
}

describe('journey 13K: a rollout of 25 % with two constraints, by keyboard alone', () => {
  it('is described by a sentence that equals the evaluation of 1,000 ids', async () => {
    await create('rolled');
    const page = await openFlag('rolled');
    const keyboard = new Keyboard(page);
    const card = page.getByRole('region', { name: 'development' });
    await keyboard.activate(card.getByRole('button', { name: 'Add strategy' }));
    const editor = page.getByRole('complementary');
    await keyboard.fill(editor.getByRole('textbox', { name: 'Rollout' }), '25');
    await addConstraint(page, keyboard, 'appName', 'shop, store');
    await addConstraint(page, keyboard, 'sessionId', 's-1\ns-2');
    await expectAccessible(page, 'the editor of a strategy');
    const sentence = await editor.getByRole('status', { name: 'In words' }).innerText();
    const [, percent, first, second] =
      /^(\d+)\s?% .*appName in \(([^)]*)\).*sessionId in \(([^)]*)\)$/.exec(sentence) ?? [];
    expect([sentence, percent, first, second]).toEqual([sentence, '25', 'shop, store', 's-1, s-2']);
    await keyboard.activate(card.getByRole('switch', { name: 'rolled in development' }), 'Space');
    await save(page, keyboard, card);
    const saved = await environment('rolled');
    expect([saved.enabled, saved.strategies.length]).toEqual([true, 1]);

    // The sentence as a person would enter it elsewhere: a flag with the same group must give the same answers.
    await create('as-in-the-sentence');
    const listed = (values = '') => values.split(', ');
    const params = { ...DEVELOPMENT, featureName: 'as-in-the-sentence' };
    const parameters = { rollout: percent, stickiness: 'default', groupId: saved.strategies[0].parameters.groupId };
    const constraints = [
      { contextName: 'appName', operator: 'IN', values: listed(first) },
      { contextName: 'sessionId', operator: 'IN', values: listed(second) },
    ];
    await accepted(world.service, 'addFeatureStrategy', {
      params,
      body: { name: 'flexibleRollout', parameters, constraints },
    });
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    const sdk = await Sdk.start(world.service.url, CLIENT_TOKEN);
    const counts = { on: 0, matching: 0, different: 0 };
    for (let id = 0; id < 1_000; id++) {
      const context = { userId: `user-${id}`, appName: ['shop', 'store', 'other'][id % 3], sessionId: `s-${id % 4}` };
      const isOn = sdk.isEnabledNow('rolled', context);
      if (isOn !== sdk.isEnabledNow('as-in-the-sentence', context)) counts.different++;
      const isMatching = context.appName !== 'other' && ['s-1', 's-2'].includes(context.sessionId);
      if (isMatching) counts.matching++;
      if (isOn) counts.on++;
      if (isOn && !isMatching) counts.different++;
    }
    sdk.end();
    expect(counts.different).toBe(0);
    expect(counts.on / counts.matching).toBeGreaterThan(0.15);
    expect(counts.on / counts.matching).toBeLessThan(0.35);
  });
});

describe('journey 22: history', () => {
  it('has one sentence for each change, newest first, with its difference', async () => {
    await create('changed');
    const params = { ...DEVELOPMENT, featureName: 'changed' };
    const body = { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'default', groupId: 'changed' } };
    await accepted(world.service, 'addFeatureStrategy', { params, body });
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    const page = await openFlag('changed', '/history');
    const panel = page.getByRole('tabpanel', { name: 'History' });
    await panel
      .getByText(/development/)
      .first()
      .waitFor();
    const items = panel.getByRole('listitem');
    await expect.poll(() => items.count()).toBe(3);
    const firstLines = (await items.allInnerTexts()).map((text) => text.split('\n')[0] ?? '');
    expect(firstLines[0]).toMatch(/switched on in development/i);
    expect(firstLines[1]).toMatch(/strategy added: 50\s?% .*in development/i);
    expect(firstLines[2]).toMatch(/created/i);
    const { body: history } = await accepted(world.service, 'getFeatureHistory', { params });
    expect(history.entries.map(({ types }: { types: string[] }) => types)).toEqual([
      ['feature-environment-enabled'],
      ['feature-strategy-add'],
      ['feature-created'],
    ]);
    const { strategies } = (await accepted(world.service, 'getFeatureEnvironment', { params })).body;
    await accepted(world.service, 'updateFeatureStrategy', {
      params: { ...params, strategyId: strategies[0].id },
      body: { ...strategies[0], title: 'Half', parameters: { ...body.parameters, rollout: '75' } },
    });
    // The difference of a change: exactly the fields that it changed, each with both values.
    await expect.poll(() => panel.locator('ol > li').count()).toBe(4);
    const newest = panel.locator('ol > li').first();
    await newest.getByText('Details').click();
    await newest.getByRole('listitem').first().waitFor();
    expect((await newest.getByRole('listitem').allInnerTexts()).map((text) => text.trim()).sort()).toEqual([
      'Rollout: 50% → 75%',
      'Strategy title: nothing → Half',
    ]);
    await expectAccessible(page, 'the history of a flag');
  });
});

describe('the environments of a flag', () => {
  it('are reached by [ and ] in their order, which stop at both ends', async () => {
    await create('beside');
    const page = await openFlag('beside');
    const keyboard = new Keyboard(page);
    const [first, last] = ['development', 'production'].map((name) =>
      page.getByRole('switch', { name: `beside in ${name}` }),
    ) as [Locator, Locator];
    await last.waitFor();
    for (const [key, target] of [
      [']', first],
      [']', last],
      [']', last],
      // Where brackets have no key of their own, a modifier is part of them.
      ['Alt+[', first],
      ['Control+Alt+]', last],
      ['[', first],
      ['[', first],
    ] as const) {
      await keyboard.press(key);
      expect(await isFocused(target), key).toBe(true);
    }
    await keyboard.press('?');
    await page.getByRole('dialog').getByText('Next environment').waitFor();
  });
});

describe('the tags of a flag', () => {
  it('are not cut on a narrow window', async () => {
    await create('tagged');
    const value = 'a'.repeat(50);
    await accepted(world.service, 'addTag', { params: { featureName: 'tagged' }, body: { type: 'simple', value } });
    const options = { signedOn, width: 360 };
    const { page } = await world.browser.open(world.service.url, '/projects/default/features/tagged', options);
    const tag = page.getByText(value, { exact: true });
    expect(await tag.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
  });
});

describe('a switch of production', () => {
  it('asks also while it is not known yet that the environment is production', async () => {
    await create('pressed-early');
    const page = await openFlag('pressed-early');
    const writes: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') writes.push(new URL(request.url()).pathname);
    });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/admin/projects/default/environments', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('region', { name: 'production' }).getByRole('switch').click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    release();
    await dialog.getByRole('button', { name: 'Save to production' }).waitFor();
    expect(writes.filter((path) => path.endsWith('/on'))).toEqual([]);
  });
});

const MISSING = 'Add a value: without one, this constraint is true for no one.';

async function openStrategy(name: string, constraints: readonly object[]): Promise<Page> {
  await create(name);
  const params = { ...DEVELOPMENT, featureName: name };
  await accepted(world.service, 'addFeatureStrategy', { params, body: { name: 'default', constraints } });
  await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
  const page = await openFlag(name);
  await page.getByRole('region', { name: 'development' }).getByRole('button', { name: 'Edit' }).click();
  return page;
}

describe('production, until the environments are read', () => {
  it('is marked and guarded on the page of a flag and in its review', async () => {
    await create('unread');
    const { page } = await world.browser.open(world.service.url, '/profile', { signedOn });
    await page.getByRole('heading', { level: 1 }).waitFor();
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/api\/admin\/(projects\/default\/)?environments$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${world.service.url}/projects/default/features/unread`);
    const guardOf = (name: string) =>
      page.getByRole('switch', { name: `unread in ${name}`, description: 'Opens the review before it saves' }).count();
    await page.getByRole('switch', { name: 'unread in production' }).waitFor();
    // Whether changes of development need a review or a reason is not known yet either.
    expect([await guardOf('production'), await guardOf('development')]).toEqual([1, 1]);
    await page.getByRole('region', { name: 'production' }).getByRole('button', { name: 'Add strategy' }).click();
    await page.getByRole('region', { name: 'production' }).getByRole('button', { name: 'Review' }).click();
    const save = page.getByRole('dialog').getByRole('button', { name: 'Save to production' });
    await save.waitFor();
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    answer();
    await expect.poll(() => save.getAttribute('aria-disabled')).not.toBe('true');
  });
});

describe('a constraint', () => {
  it('begins without a field, whose list follows what is typed, and is not saved without a value', async () => {
    const page = await openStrategy('constrained', []);
    const { keyboard } = page;
    const card = page.getByRole('region', { name: 'development' });
    const editor = page.getByRole('complementary');
    const field = editor.getByRole('combobox', { name: 'Context field' });
    const values = editor.getByRole('textbox', { name: 'Values' });
    const review = card.getByRole('button', { name: 'Review' });
    await editor.getByRole('button', { name: 'Add constraint' }).click();
    await expect.poll(() => isFocused(field)).toBe(true);
    expect(await field.inputValue()).toBe('');
    await card.getByRole('button', { name: 'Review', description: 'Choose a context field.' }).waitFor();
    /** What the list shows for the text, and what Enter takes. */
    const typed = async (text: string) => {
      await keyboard.type(text);
      await page.getByRole('option').first().waitFor();
      await expect.poll(() => field.inputValue()).toBe(text);
      const shown = await page.getByRole('option').allInnerTexts();
      await keyboard.press('Enter');
      await expect.poll(() => page.getByRole('option').count()).toBe(0);
      return [shown[0]?.split('\n')[0], await field.inputValue()];
    };
    expect(await typed('session')).toEqual(['sessionId', 'sessionId']);
    // Opened again, the list replaces the field; emptied, it follows what is typed.
    await values.focus();
    await field.click();
    expect(await typed('app')).toEqual(['appName', 'appName']);
    await editor.getByRole('button', { name: 'Clear' }).click();
    await field.focus();
    expect(await typed('country')).toEqual(['New: country', 'country']);
    expect(await editor.getByText(/^(Choose a context field|Add a value)/).count()).toBe(0);

    await keyboard.press('ControlOrMeta+Enter');
    await expect.poll(() => isFocused(review)).toBe(true);
    await editor.getByText(MISSING).waitFor();
    expect(await values.getAttribute('aria-invalid')).toBe('true');
    expect(await review.getAttribute('aria-description')).toBe(MISSING);
    await expectAccessible(page, 'a constraint without values');
    await values.fill('NO');
    await keyboard.press('ControlOrMeta+Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('country in NO').first().waitFor();
    await expect.poll(() => isFocused(dialog.getByRole('textbox', { name: 'Why?' }))).toBe(true);
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(values)).toBe(true);
    await review.focus();
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Review', { exact: true }).waitFor();
    await keyboard.press('Escape');
    await expect.poll(() => isFocused(review)).toBe(true);
    await keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await environment('constrained')).strategies[0].constraints).toMatchObject([
      { contextName: 'country', operator: 'IN', values: ['NO'] },
    ]);
    // The button is gone with the draft.
    await expect.poll(() => isFocused(card.getByRole('heading', { name: 'development' }))).toBe(true);
  });

  it('has a value while it is typed: in the rule, in the count and in the review, and without it when it is removed again', async () => {
    const page = await openStrategy('half-typed', [{ contextName: 'country', operator: 'IN', values: ['NO'] }]);
    const keyboard = new Keyboard(page);
    const card = page.getByRole('region', { name: 'development' });
    const editor = page.getByRole('complementary');
    const values = editor.getByRole('textbox', { name: 'Values' });
    const rule = editor.getByRole('status', { name: 'In words' });
    await keyboard.fill(values, 'NO, SE');
    await expect.poll(() => rule.innerText()).toContain('country in (NO, SE)');
    await editor.getByText('2 of at most 250 values').waitFor();
    // They are no tags yet: the text can be changed, and removed.
    expect(await editor.getByRole('button', { name: 'Remove SE' }).count()).toBe(0);
    await keyboard.fill(values, 'N');
    await expect.poll(() => rule.innerText()).toContain('country in (NO, N)');
    await keyboard.press('Backspace');
    await card.getByRole('button', { name: 'Review' }).waitFor({ state: 'detached' });
    await keyboard.type('DK');
    await keyboard.press('Enter');
    await editor.getByRole('button', { name: 'Remove DK' }).waitFor();
    expect(await values.inputValue()).toBe('');
    await keyboard.type('FI');
    // What is discarded takes the text with it.
    await card.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => values.inputValue()).toBe('');
    await keyboard.fill(values, 'IS');
    await page.reload();
    await editor.getByRole('button', { name: 'Remove IS' }).waitFor();
    await keyboard.fill(values, 'FI');
    await keyboard.press('ControlOrMeta+Enter');
    await page.getByRole('dialog').getByText('country in (NO, IS, FI)').first().waitFor();
  });

  it('has its error below the possible values, when it was left without one', async () => {
    await accepted(world.service, 'createContextField', {
      body: { name: 'plan', legalValues: ['free', 'pro', 'team'].map((value) => ({ value })) },
    });
    const page = await openStrategy('planned', []);
    const { keyboard } = page;
    const editor = page.getByRole('complementary');
    await editor.getByRole('button', { name: 'Add constraint' }).click();
    await editor.getByRole('combobox', { name: 'Context field' }).click();
    await page.getByRole('option', { name: 'plan' }).click();
    const values = editor.getByRole('group', { name: 'Values' });
    await values.getByRole('checkbox', { name: 'pro' }).check();
    await values.getByRole('checkbox', { name: 'pro' }).uncheck();
    await editor.getByRole('combobox', { name: 'Operator' }).click();
    await page.getByRole('option').first().waitFor();
    await keyboard.press('Escape');
    await expect.poll(() => page.getByRole('option').count()).toBe(0);
    const error = editor.getByText(MISSING);
    expect(await error.count()).toBe(0);
    await editor.getByRole('textbox', { name: 'Title' }).focus();
    await error.waitFor();
    await editor.getByRole('group', { name: 'Values', description: MISSING }).waitFor();
    const [shown, all, last] = await Promise.all([
      error.boundingBox(),
      values.boundingBox(),
      values.getByRole('checkbox', { name: 'team' }).boundingBox(),
    ]);
    expect(shown?.width).toBe(all?.width);
    expect(shown?.y).toBeGreaterThanOrEqual((last?.y ?? 0) + (last?.height ?? 0));
    await expectAccessible(page, 'a constraint that was left without a value');
    await values.getByRole('checkbox', { name: 'pro' }).check();
    await error.waitFor({ state: 'detached' });
  });

  it('that is saved without values has a warning, and the strategy can be edited', async () => {
    const page = await openStrategy('kept', [{ contextName: 'userId', operator: 'IN', values: [] }]);
    const editor = page.getByRole('complementary');
    await editor.getByText(MISSING).waitFor();
    await editor.getByRole('textbox', { name: 'Title' }).fill('Kept');
    const review = page.getByRole('region', { name: 'development' }).getByRole('button', { name: 'Review' });
    await review.waitFor();
    expect(await review.getAttribute('aria-disabled')).toBeNull();
  });

  it('gives the focus to the next one when it is removed, and the last one to the button', async () => {
    const of = (contextName: string) => ({ contextName, operator: 'IN', values: ['1'] });
    const page = await openStrategy('shortened', [of('userId'), of('appName')]);
    const editor = page.getByRole('complementary');
    const remove = editor.getByRole('button', { name: 'Remove the constraint' }).first();
    await remove.click();
    const next = editor.getByRole('combobox', { name: 'Context field' });
    await expect.poll(() => isFocused(next)).toBe(true);
    expect(await next.inputValue()).toBe('appName');
    await remove.click();
    await expect.poll(() => isFocused(editor.getByRole('button', { name: 'Add constraint' }))).toBe(true);
  });
});

describe('rows', () => {
  it('of variants: the focus goes to a new one, and to the neighbour of one that is removed', async () => {
    const page = await openStrategy('varied', []);
    const keyboard = new Keyboard(page);
    const editor = page.getByRole('complementary');
    const names = editor.getByRole('textbox', { name: 'Name' });
    const add = editor.getByRole('button', { name: 'Add variant' });
    for (const at of [0, 1, 2]) {
      await keyboard.activate(add);
      await expect.poll(() => isFocused(names.nth(at))).toBe(true);
    }
    await keyboard.activate(editor.getByRole('button', { name: 'Remove variant variant-2' }));
    await expect.poll(() => isFocused(names.nth(1))).toBe(true);
    expect(await names.nth(1).inputValue()).toBe('variant-3');
    await keyboard.activate(editor.getByRole('button', { name: 'Remove variant variant-3' }));
    await expect.poll(() => isFocused(names.nth(0))).toBe(true);
    await keyboard.activate(editor.getByRole('button', { name: 'Remove variant variant-1' }));
    await expect.poll(() => isFocused(add)).toBe(true);
  });
});

describe('what was saved', () => {
  it('is shown as soon as the dialog is closed', async () => {
    await create('at-once');
    const page = await openFlag('at-once');
    const card = page.getByRole('region', { name: 'production' });
    await card.getByRole('switch').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save to production' }).waitFor();
    await page.evaluate(`
      globalThis.shownStates = [];
      new MutationObserver(() => {
        if (document.querySelector('[role=dialog]')) return;
        shownStates.push(document.querySelector('[role=switch][aria-label$="in production"]').getAttribute('aria-checked'));
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    `);
    await page.getByRole('dialog').getByRole('button', { name: 'Save to production' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const states = (await page.evaluate('shownStates')) as string[];
    expect([...new Set(states)]).toEqual(['true']);
  });
});

describe('the palette', () => {
  it('moves the focus to the content of the screen, also after another dialog was open', async () => {
    await create('gone-to');
    const { page } = await world.browser.open(world.service.url, '/features', { signedOn });
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Projects' }).focus();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Flag, screen or action' }).fill('gone-to');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'gone-to' }).waitFor();
    await expect.poll(() => isFocused(page.getByRole('main'))).toBe(true);
  });
});
