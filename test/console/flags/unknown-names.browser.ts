import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const FLAG = 'shipping';
const PLACE = { projectId: 'default', environment: 'development', featureName: FLAG };
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  const { service } = world;
  await accepted(service, 'createContextField', { body: { name: 'country', legalValues: [{ value: 'NO' }] } });
  await accepted(service, 'createFeature', { params: PLACE, body: { name: FLAG } });
  await accepted(service, 'addTag', { params: { featureName: FLAG }, body: { type: 'simple', value: 'mobile' } });
  const body = { appName: 'shop', instanceId: 'one', strategies: [], started: new Date(), interval: 10 };
  await accepted(service, 'registerClientApplication', { body });
});

const open = async (path: string): Promise<Page> =>
  (await world.browser.open(world.service.url, path, { signedOn })).page;

/** Types the name of a field and a value, by keyboard alone. */
async function constrain(page: Page, editor: Locator, at: number, name: string, value: string): Promise<void> {
  const keyboard = new Keyboard(page);
  await keyboard.activate(editor.getByRole('button', { name: 'Add constraint' }));
  const field = editor.getByRole('combobox', { name: 'Context field' }).nth(at);
  await keyboard.fill(field, name);
  await page.getByRole('option').first().and(page.locator('[data-highlighted]')).waitFor();
  await keyboard.press('Tab');
  await expect.poll(() => field.inputValue()).not.toBe('');
  await keyboard.fill(editor.getByRole('textbox', { name: 'Values' }).last(), value);
  await keyboard.press('Enter');
}

describe('a name that nothing has', () => {
  const UNDEFINED = 'The context field contry is not defined. Only applications that send exactly this name have it.';
  const UNREGISTERED = 'No application that you may see has registered as shpo.';
  const NOT_MADE_UP =
    'No values are made up for contry, because this context field is not defined: none of these contexts has it.';

  it('is warned of in a constraint and in its review, which makes up no values for it', async () => {
    const page = await open(`/projects/default/features/${FLAG}`);
    const keyboard = new Keyboard(page);
    const card = page.getByRole('region', { name: 'development' });
    await keyboard.activate(card.getByRole('button', { name: 'Add strategy' }));
    const editor = page.getByRole('complementary');
    await constrain(page, editor, 0, 'contry', 'NO');
    await editor.getByText(UNDEFINED).waitFor();
    await constrain(page, editor, 1, 'appN', 'shop, shpo');
    await editor.getByText(UNREGISTERED).waitFor();
    await expectAccessible(page, 'a constraint on a field that is not defined');
    await keyboard.activate(card.getByRole('button', { name: 'Review' }));
    const dialog = page.getByRole('dialog');
    for (const text of [UNDEFINED, UNREGISTERED, NOT_MADE_UP]) await dialog.getByText(text).waitFor();
    await dialog.getByText(/made-up values of userId, combined with 3 values of appName/).waitFor();
    expect(await dialog.getByText(/contexts meet the constraints/).count()).toBe(0);
    await expectAccessible(page, 'a review with names that nothing has');
    await keyboard.activate(dialog.getByRole('button', { name: 'Save', exact: true }));
    await dialog.waitFor({ state: 'detached' });

    // The next review says what cannot be tried, and does not repeat the warnings.
    await card.getByRole('button', { name: 'Add strategy' }).click();
    await card.getByRole('button', { name: 'Review' }).click();
    await dialog.getByText(NOT_MADE_UP).waitFor();
    expect(await dialog.getByText(UNDEFINED).count()).toBe(0);
  });

  it('is offered last where a field is typed, with what it is, and a known one is taken without a warning', async () => {
    const page = await open('/segments');
    await page.getByRole('button', { name: 'Create segment' }).first().click();
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Add constraint' }).click();
    const field = panel.getByRole('combobox', { name: 'Context field' });
    await field.fill('countr');
    await page.getByRole('option', { name: 'country', exact: true }).waitFor();
    expect((await page.getByRole('option').allInnerTexts()).map((text) => text.split('\n'))).toEqual([
      ['country'],
      ['New: countr', 'A context field that is not defined'],
    ]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('country');
    expect(await panel.getByText(/is not defined/).count()).toBe(0);
    await field.fill('contry');
    await page.getByRole('option', { name: /^New: contry/ }).click();
    await panel.getByText(UNDEFINED).waitFor();
  });

  it('is warned of in a question of the playground', async () => {
    const page = await open('/playground');
    const field = page.getByRole('combobox', { name: 'Field' }).first();
    await field.fill('contry');
    await page.getByRole('option', { name: /^New: contry/ }).click();
    await page.getByText(UNDEFINED).waitFor();
  });

  it('is warned of where a tag is typed', async () => {
    const page = await open('/import-export?tab=export&which=tag');
    const tag = page.getByRole('combobox', { name: 'Tag', exact: true });
    await tag.fill('simple:mobil');
    await page.getByRole('option', { name: 'simple:mobile', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => tag.inputValue()).toBe('simple:mobile');
    expect(await page.getByText(/No flag that you may see has the tag/).count()).toBe(0);
    await tag.fill('simple:mobie');
    await page.getByRole('option', { name: /^New: simple:mobie/ }).click();
    await page.getByText('No flag that you may see has the tag simple:mobie.').waitFor();
    await expectAccessible(page, 'a tag that no flag has');
  });
});

describe('a name that is typed', () => {
  const tagsOf = async () => {
    const { body } = await accepted(world.service, 'listTags', { params: { featureName: FLAG } });
    return body.tags.map(({ value }: { value: string }) => value);
  };

  it('counts before it is chosen in the list, and Escape takes it back', async () => {
    const page = await open('/segments/create');
    const keyboard = new Keyboard(page);
    const panel = page.getByRole('complementary');
    const create = panel.getByRole('button', { name: 'Create segment' });
    await panel.getByRole('textbox', { name: 'Name' }).fill('typed');
    await keyboard.activate(panel.getByRole('button', { name: 'Add constraint' }));
    const field = panel.getByRole('combobox', { name: 'Context field' });
    await keyboard.fill(field, 'country');
    await page.getByRole('option').first().and(page.locator('[data-highlighted]')).waitFor();
    await keyboard.press('Tab');
    await panel.getByRole('checkbox', { name: 'NO' }).check();
    await keyboard.fill(field, 'contry');
    await panel.getByRole('group', { name: 'contry in NO' }).waitFor();
    await keyboard.press('Escape');
    await panel.getByRole('group', { name: 'country in NO' }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('country');
    await keyboard.fill(field, 'a field');
    await panel.getByRole('group', { name: 'a field in NO' }).waitFor();
    await keyboard.fill(field, 'app');
    // The best match is still taken by Tab.
    await page.getByRole('option', { name: 'appName' }).and(page.locator('[data-highlighted]')).waitFor();
    await keyboard.press('Tab');
    await expect.poll(() => field.inputValue()).toBe('appName');
    await keyboard.fill(field, 'tenant');
    await create.click();
    await page.getByText('Segment typed created').first().waitFor();
    const { body } = await accepted(world.service, 'getSegments');
    const [made] = body.segments.filter(({ name }: { name: string }) => name === 'typed');
    expect(made.constraints[0]).toMatchObject({ contextName: 'tenant', values: ['NO'] });
  });

  it('is added as a tag, and as one of several values', async () => {
    const page = await open(`/projects/default/features/${FLAG}/settings`);
    await page.getByRole('combobox', { name: 'New tag' }).fill('tablet');
    await page.locator('form').filter({ hasText: 'New tag' }).getByRole('button', { name: 'Add' }).click();
    await expect.poll(tagsOf).toContain('tablet');

    await page.goto(`${world.service.url}/admin/groups?panel=create`);
    const panel = page.getByRole('complementary');
    await panel.getByRole('textbox', { name: 'Name' }).fill('mapped');
    const mappings = panel.getByRole('combobox', { name: 'Groups at the identity provider' });
    await mappings.fill('one');
    await mappings.press('Enter');
    await mappings.fill('two');
    await panel.getByRole('textbox', { name: 'Name' }).click();
    await panel.getByRole('button', { name: 'Remove two' }).waitFor();
    expect(await mappings.inputValue()).toBe('');
    await mappings.fill('three');
    await panel.getByRole('button', { name: 'Create group' }).click();
    await page.getByText('mapped created').first().waitFor();
    const { body } = await accepted(world.service, 'getGroups');
    const [made] = body.groups.filter(({ name }: { name: string }) => name === 'mapped');
    expect(made.mappingsSSO).toEqual(['one', 'two', 'three']);
  });
});
