import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { isFocused, Keyboard } from '../support/keyboard.ts';
import { choose, panelOf } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const DEVELOPMENT = { projectId: 'default', environment: 'development' };
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
});

const open = async (path: string) => (await world.browser.open(world.service.url, path, { signedOn })).page;

/** Opens the editor of the only strategy of a new flag. */
async function openStrategy(featureName: string, strategy: object): Promise<Page> {
  const params = { ...DEVELOPMENT, featureName };
  await accepted(world.service, 'createFeature', { params, body: { name: featureName } });
  await accepted(world.service, 'addFeatureStrategy', { params, body: strategy });
  const page = await open(`/projects/default/features/${featureName}`);
  await page.getByRole('region', { name: 'development' }).getByRole('button', { name: 'Edit' }).click();
  await panelOf(page).waitFor();
  return page;
}

const rollout = (featureName: string, rest: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: '50', stickiness: 'userId', groupId: featureName },
  ...rest,
});
const on = (contextName: string, ...values: string[]) => ({ contextName, operator: 'IN', values });
const cardOf = (page: Page) => page.getByRole('region', { name: 'development' });

/** Empties the field and types, key by key. */
async function retype(field: Locator, text: string): Promise<void> {
  await field.focus();
  await field.press('ControlOrMeta+a');
  await field.press('Backspace');
  await field.pressSequentially(text);
}

describe('rows', () => {
  it('have buttons with names of their own, also where two rows are called the same', async () => {
    const page = await openStrategy(
      'same',
      rollout('same', { constraints: [on('country', 'NO'), on('country', 'SE')] }),
    );
    const remove = panelOf(page).getByRole('button', { name: /^Remove the constraint on country/ });
    await remove.nth(1).waitFor();
    expect(await remove.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
      'Remove the constraint on country (1)',
      'Remove the constraint on country (2)',
    ]);
    await remove.nth(0).click();
    await panelOf(page).getByRole('button', { name: 'Remove the constraint on country', exact: true }).waitFor();
    await panelOf(page).getByRole('button', { name: 'Remove SE' }).waitFor();
  });

  it('that have no identity keep their fields and the focus when they are moved', async () => {
    const page = await open('/projects/default/settings/actions?panel=create');
    const form = panelOf(page);
    await form.getByRole('button', { name: 'Add step' }).click();
    const steps = form.getByRole('group', { name: /^Step \d$/ });
    await choose(steps.nth(0), 'What happens', 'Switch on');
    await steps.nth(0).evaluate((step) => step.setAttribute('data-was', 'first'));
    const down = steps.nth(0).getByRole('button', { name: 'Move step 1 down' });
    await down.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => steps.nth(1).getAttribute('data-was')).toBe('first');
    expect(await steps.nth(1).getByRole('combobox', { name: 'What happens' }).innerText()).toContain('Switch on');
    expect(await isFocused(steps.nth(1).getByRole('button', { name: 'Move step 2 down' }))).toBe(true);
  });
});

describe('a percentage', () => {
  it('of a rollout with decimals or too many digits is not another, larger one', async () => {
    const page = await openStrategy('tenths', rollout('tenths'));
    const field = panelOf(page).getByRole('textbox', { name: 'Rollout' });
    const read = async (text: string) => {
      await retype(field, text);
      await field.press('Tab');
      return field.inputValue();
    };
    expect([
      await read('12.5'),
      await read('2,75'),
      await read('1000'),
      await read('205'),
      await read('007'),
      await read('0'),
      await read('x'),
    ]).toEqual(['12', '2', '100', '20', '7', '0', '']);
    await field.fill('12.5');
    await cardOf(page).getByText('12%').first().waitFor();
  });

  it('of a variant can have a decimal, and is empty while it is typed again', async () => {
    const variants = ['a', 'b'].map((name) => ({ name, weight: 500, weightType: 'variable', stickiness: 'userId' }));
    const page = await openStrategy('weighed', rollout('weighed', { variants }));
    const first = panelOf(page).getByRole('group', { name: 'a', exact: true });
    await first.getByRole('checkbox', { name: 'Fixed weight' }).check();
    const field = first.getByRole('textbox', { name: 'Weight in percent' });
    await retype(field, '12.5');
    expect(await field.inputValue()).toBe('12.5');
    await cardOf(page).getByText('a 12.5% · b 87.5%').waitFor();
    await retype(field, '0,5');
    expect(await field.inputValue()).toBe('0,5');
    await retype(field, '7.');
    await field.press('Tab');
    expect(await field.inputValue()).toBe('7');
    await cardOf(page).getByText('a 7% · b 93%').waitFor();
  });
});

describe('a variant', () => {
  it('without a name, or with that of another, cannot be saved', async () => {
    const page = await openStrategy('unnamed', rollout('unnamed'));
    const editor = panelOf(page);
    for (let count = 0; count < 2; count++) await editor.getByRole('button', { name: 'Add variant' }).click();
    const review = cardOf(page).getByRole('button', { name: 'Review' });
    await expect.poll(() => review.getAttribute('aria-disabled')).not.toBe('true');
    const second = editor.getByRole('textbox', { name: 'Name' }).nth(1);
    await second.fill('variant-1');
    await expect.poll(() => review.getAttribute('aria-description')).toBe('Two variants have this name.');
    await second.fill(' ');
    await expect.poll(() => review.getAttribute('aria-description')).toBe('Name is missing');
  });
});

describe('a list of values', () => {
  it('takes what is pasted where the cursor is, in place of what is selected', async () => {
    const page = await openStrategy('pasted', rollout('pasted', { constraints: [on('country', 'NO')] }));
    const values = panelOf(page).getByRole('textbox', { name: 'Values' });
    const rule = panelOf(page).getByRole('status', { name: 'In words' });
    await values.fill('abXYef');
    await page.evaluate(`{
      const field = document.querySelector('textarea[rows="1"]');
      field.setSelectionRange(2, 4);
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', 'c,d');
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }`);
    await expect.poll(() => rule.innerText()).toContain('country in (NO, abc, def)');
    expect(await values.inputValue()).toBe('');
  });

  it('has no text that is no value after the draft was discarded', async () => {
    const page = await openStrategy('repeated', rollout('repeated', { constraints: [on('country', 'NO')] }));
    const values = panelOf(page).getByRole('textbox', { name: 'Values' });
    await values.fill('SE');
    await values.press('Enter');
    await values.pressSequentially('SE');
    // The field keeps the focus, as it does when another tab discards the draft.
    await cardOf(page).getByRole('button', { name: 'Discard' }).dispatchEvent('click');
    await cardOf(page).getByRole('button', { name: 'Review' }).waitFor({ state: 'detached' });
    expect(await values.inputValue()).toBe('');
  });

  it('does not take a word whose composition Enter ends', async () => {
    const page = await openStrategy('composed', rollout('composed', { constraints: [on('country', 'NO')] }));
    const values = panelOf(page).getByRole('textbox', { name: 'Values' });
    await values.fill('SE');
    await values.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true });
    expect(await values.inputValue()).toBe('SE');
  });
});

describe('the kind of a strategy', () => {
  it('keeps the parameters when the same one is chosen again', async () => {
    const params = { ...DEVELOPMENT, featureName: 'kind' };
    await accepted(world.service, 'createFeature', { params, body: { name: 'kind' } });
    const page = await open('/projects/default/features/kind');
    await cardOf(page).getByRole('button', { name: 'Add strategy' }).click();
    const editor = panelOf(page);
    await retype(editor.getByRole('textbox', { name: 'Rollout' }), '30');
    await choose(editor, 'Kind', /Gradual rollout/);
    expect(await editor.getByRole('textbox', { name: 'Rollout' }).inputValue()).toBe('30');
  });
});

describe('a name that is typed in a combobox', () => {
  it('is taken back by Escape, also if the field was emptied first', async () => {
    const page = await openStrategy('emptied', rollout('emptied', { constraints: [on('country', 'NO')] }));
    const field = panelOf(page).getByRole('combobox', { name: 'Context field' });
    await retype(field, 'reg');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => field.inputValue()).toBe('country');
    await cardOf(page).getByRole('button', { name: 'Review' }).waitFor({ state: 'detached' });
  });

  it('is one chip after the field is left', async () => {
    const page = await open('/admin/groups');
    await page.getByRole('button', { name: 'Create group' }).first().click();
    const field = panelOf(page).getByRole('combobox', { name: 'Groups at the identity provider' });
    await field.pressSequentially('admins');
    await panelOf(page).getByRole('textbox', { name: 'Name' }).click();
    await panelOf(page).getByText('admins', { exact: true }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
    await field.pressSequentially('ops');
    await page.keyboard.press('Escape');
    expect(await panelOf(page).getByText('ops', { exact: true }).count()).toBe(0);
    await panelOf(page).getByText('admins', { exact: true }).waitFor();
  });
});

describe('the time of a milestone', () => {
  it('can have a decimal, and is the saved one again when the draft is discarded', async () => {
    const parameters = { rollout: '1', stickiness: 'default', groupId: '' };
    const strategies = [{ strategyName: 'flexibleRollout', parameters }];
    const milestones = [
      { name: 'First', strategies, transitionCondition: { intervalMinutes: 1440 } },
      { name: 'All', strategies },
    ];
    const { body } = await accepted(world.service, 'createReleasePlanTemplate', {
      body: { name: 'Timed', milestones },
    });
    const page = await open(`/release-templates/edit/${body.id}`);
    const after = page.getByRole('textbox', { name: 'After' });
    await after.fill('3');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => after.inputValue()).toBe('1');
    await retype(after, '0');
    await page.getByText('At least one minute, and at most 365 days').first().waitFor();
    await retype(after, '1.5');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const params = { templateId: body.id };
    const { body: saved } = await accepted(world.service, 'getReleasePlanTemplate', { params });
    expect(saved.milestones[0].transitionCondition).toEqual({ intervalMinutes: 2160 });
  });
});

describe('the panel of an environment', () => {
  it('is not that of an environment whose name is the word for a new one', async () => {
    await accepted(world.service, 'createEnvironment', { body: { name: 'create', type: 'test' } });
    const page = await open('/environments');
    await page.getByRole('button', { name: 'Create environment' }).click();
    await page.getByRole('complementary').first().waitFor();
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    expect(await page.getByRole('complementary').count()).toBe(1);
  });
});

describe('the fields of a flag in the playground', () => {
  it('are not there twice after one was renamed and Escape took it back', async () => {
    const params = { ...DEVELOPMENT, featureName: 'asked' };
    await accepted(world.service, 'createFeature', { params, body: { name: 'asked' } });
    await accepted(world.service, 'addFeatureStrategy', {
      params,
      body: { name: 'default', constraints: [on('country', 'NO'), on('region', 'x')] },
    });
    const page = await open('/playground?project=default&flag=asked&in=development&projects=default');
    const names = page.getByRole('combobox', { name: 'Field', exact: true });
    const shown = () => names.evaluateAll((all) => all.map((one) => one.value));
    await expect.poll(shown).toContain('country');
    const before = await shown();
    await page.getByRole('textbox', { name: 'Value country' }).fill('NO');
    const field = names.nth(before.indexOf('country'));
    const keyboard = new Keyboard(page);
    await keyboard.fill(field, 'reg');
    await page.getByRole('option').first().waitFor();
    await keyboard.press('Escape');
    await expect.poll(async () => (await shown()).filter((name) => name === 'country').length).toBe(1);
    expect(await shown()).toEqual(before);
  });
});
