import type { Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, refused } from '../../support/admin.ts';
import { browserOf, PASSWORD, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { panelOf } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const VIEWER = 301;
let admin: Record<string, string>;
let viewer: Record<string, string>;

beforeAll(async () => {
  const { service } = world;
  await putUser(service, VIEWER, { name: 'Vic', username: 'vic', rootRole: 3 });
  admin = await browserOf(service, ADMIN.id);
  viewer = await browserOf(service, VIEWER);
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
  await accepted(service, 'createFeature', { params: { projectId: 'shop' }, body: { name: 'cart' } });
});

const open = async (path: string) => (await world.browser.open(world.service.url, path, { signedOn: admin })).page;
const bodyOf = async (operationId: string, options: object = {}) =>
  (await accepted(world.service, operationId, options)).body;
/** The reason of the newest event of the type. */
async function reasonOf(type: string): Promise<unknown> {
  const { events } = await bodyOf('getEvents', { query: 'limit=50' });
  return events.find((event: { type: string }) => event.type === type)?.reason;
}

describe('tags', () => {
  const type = async () => (await bodyOf('getTagTypes')).tagTypes.find(({ name }: { name: string }) => name === 'team');

  it('a type is created and changed with a reason; a wrong color is refused in the form', async () => {
    const page = await open('/tag-types');
    await page.getByRole('button', { name: 'Create tag type' }).click();
    const panel = panelOf(page);
    await panel.getByLabel('Name').fill('team');
    await panel.getByLabel('Description').fill('Who owns the flag');
    await panel.getByLabel('Color').fill('blue');
    await panel.getByText('# and six digits').waitFor();
    await panel.getByLabel('Color').fill('#3366cc');
    await expectAccessible(page, 'the form of a tag type');
    await panel.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Tag type team created').first().waitFor();
    expect(await type()).toMatchObject({ description: 'Who owns the flag', color: '#3366cc' });

    await page.getByRole('button', { name: 'Actions for team' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await panelOf(page).getByLabel('Description').fill('The team that owns the flag');
    await panelOf(page).getByText('What changes').waitFor();
    await panelOf(page).getByLabel('Why?').fill('Clearer');
    await panelOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Tag type team saved').first().waitFor();
    expect(await type()).toMatchObject({ description: 'The team that owns the flag', color: '#3366cc' });
    expect(await reasonOf('tag-type-updated')).toBe('Clearer');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('Undone: Tag type team saved').first().waitFor();
    expect(await type()).toMatchObject({ description: 'Who owns the flag' });
  });

  it('two people edit a type: the second save is refused, and nothing is lost', async () => {
    const guarded = await world.browser.open(world.service.url, '/tag-types?panel=team', { signedOn: admin });
    guarded.allow(412);
    const panel = panelOf(guarded.page);
    await panel.getByLabel('Description').fill('Mine');
    await accepted(world.service, 'updateTagType', { params: { name: 'team' }, body: { description: 'Theirs' } });
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByText('Another person saved this in the meantime').waitFor();
    expect((await type()).description).toBe('Theirs');
  });

  it('a tag is created, leads to its flags, and is deleted from all flags', async () => {
    const page = await open('/tag-types?panel=team');
    const panel = panelOf(page);
    const values = async () => (await bodyOf('getTagsByType', { params: { type: 'team' } })).tags;
    await panel.getByLabel('New tag').fill('payments');
    await panel.getByLabel('New tag').press('Enter');
    await page.getByText('Tag team:payments created').first().waitFor();
    expect(await values()).toMatchObject([{ type: 'team', value: 'payments' }]);
    const flag = { params: { featureName: 'cart' } };
    await accepted(world.service, 'addTag', { ...flag, body: { type: 'team', value: 'payments' } });
    await panel.getByRole('link', { name: 'Flags with team:payments' }).click();
    await page.getByRole('grid', { name: 'Flags' }).getByRole('link', { name: 'cart' }).waitFor();

    await page.goto(`${world.service.url}/tag-types?panel=team`);
    await panel.getByRole('button', { name: 'Delete the tag team:payments…' }).click();
    await page.getByRole('dialog').getByText('Every flag that has').waitFor();
    await expectAccessible(page, 'the dialog that deletes a tag');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Tag team:payments deleted').first().waitFor();
    expect(await values()).toEqual([]);
    expect((await bodyOf('listTags', flag)).tags).toEqual([]);
  });

  it('a type in use is not deleted, and the dialog shows the reason; then it is deleted', async () => {
    await accepted(world.service, 'addTag', {
      params: { featureName: 'cart' },
      body: { type: 'team', value: 'search' },
    });
    const guarded = await world.browser.open(world.service.url, '/tag-types', { signedOn: admin });
    guarded.allow(409);
    const { page } = guarded;
    await page.getByRole('button', { name: 'Actions for team' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('the feature cart has a tag of this type').waitFor();
    expect(await type()).toBeDefined();
    await accepted(world.service, 'removeTag', { params: { featureName: 'cart', type: 'team', value: 'search' } });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Tag type team deleted').first().waitFor();
    expect(await type()).toBeUndefined();
  });
});

describe('flag types', () => {
  const lifetime = async () =>
    (await bodyOf('getAllFeatureTypes')).types.find(({ id }: { id: string }) => id === 'experiment').lifetimeDays;

  it('a lifetime is changed with a reason and removed, by keyboard alone', async () => {
    const page = await open('/feature-toggle-type');
    const keyboard = new Keyboard(page);
    await page.getByRole('row', { name: /Experiment/ }).waitFor();
    await keyboard.press('j', 'ArrowDown');
    await page.goto(`${world.service.url}/feature-toggle-type?panel=experiment`);
    const panel = panelOf(page);
    await keyboard.fill(panel.getByLabel('Lifetime in days'), '0');
    await panel.getByText('A whole number of days').waitFor();
    await keyboard.fill(panel.getByLabel('Lifetime in days'), '14');
    await keyboard.fill(panel.getByLabel('Why?'), 'Experiments are short');
    await expectAccessible(page, 'the form of a flag type');
    await keyboard.press('Control+Enter');
    await page.getByText('Lifetime of Experiment saved').first().waitFor();
    expect(await lifetime()).toBe(14);
    expect(await reasonOf('feature-type-updated')).toBe('Experiments are short');
    await page.goto(`${world.service.url}/feature-toggle-type?panel=experiment`);
    await panel.getByLabel('Lifetime in days').fill('');
    await panel.getByText('No flag of this type').waitFor();
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Lifetime of Experiment saved').first().waitFor();
    expect(await lifetime()).toBeNull();
  });
});

describe('strategy types', () => {
  const type = async () =>
    (await bodyOf('getAllStrategies')).strategies.find(({ name }: { name: string }) => name === 'byTenant');

  it('a custom type is created with parameters in an order that buttons change', async () => {
    const page = await open('/strategies?panel=create');
    const panel = panelOf(page);
    await panel.getByLabel('Name', { exact: false }).first().fill('byTenant');
    await panel.getByRole('button', { name: 'Add parameter' }).click();
    const first = panel.getByRole('listitem').first();
    await first.getByLabel('Name').fill('share');
    await first.getByRole('combobox').click();
    await page.getByRole('option', { name: 'Percentage' }).click();
    await panel.getByRole('button', { name: 'Add parameter' }).click();
    const second = panel.getByRole('listitem').nth(1);
    await second.getByLabel('Name').fill('tenants');
    await second.getByRole('combobox').click();
    await page.getByRole('option', { name: 'List of texts' }).click();
    await second.getByRole('checkbox', { name: 'Required' }).check();
    await panel.getByRole('button', { name: 'Move tenants up' }).click();
    await expectAccessible(page, 'the form of a strategy type');
    await panel.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Strategy type byTenant created').first().waitFor();
    expect((await type()).parameters).toMatchObject([
      { name: 'tenants', type: 'list', required: true },
      { name: 'share', type: 'percentage', required: false },
    ]);
  });

  it('is edited: the difference is in sentences, and two parameters of one name are refused', async () => {
    const page = await open('/strategies?panel=byTenant');
    const panel = panelOf(page);
    await panel.getByRole('listitem').first().getByLabel('Name').fill('share');
    await panel.getByRole('button', { name: 'Save' }).focus();
    await page.getByText('Two parameters are called share').first().waitFor();
    await panel.getByRole('listitem').first().getByLabel('Name').fill('customers');
    await panel.getByText(/Parameter tenants: Name: tenants → customers/).waitFor();
    await panel.getByRole('button', { name: 'Remove share' }).click();
    await panel.getByText(/Parameter share is removed/).waitFor();
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Strategy type byTenant saved').first().waitFor();
    expect((await type()).parameters).toMatchObject([{ name: 'customers', type: 'list' }]);
  });

  it('is deprecated, reactivated and deleted; a built-in type is only shown', async () => {
    const page = await open('/strategies');
    const act = async (item: string, label: string) => {
      await page.getByRole('button', { name: 'Actions for byTenant' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('dialog').getByRole('button', { name: label }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await act('Deprecate…', 'Deprecate');
    expect((await type()).deprecated).toBe(true);
    await act('Reactivate…', 'Reactivate');
    expect((await type()).deprecated).toBe(false);
    await act('Delete…', 'Delete');
    expect(await type()).toBeUndefined();
    await page.goto(`${world.service.url}/strategies/flexibleRollout`);
    await panelOf(page).getByText('Built-in types cannot be changed.').waitFor();
    await panelOf(page).getByText('stickiness', { exact: true }).waitFor();
    expect(await panelOf(page).getByRole('textbox').count()).toBe(0);
    await expectAccessible(page, 'a built-in strategy type');
  });
});

describe('default strategies', () => {
  it('are saved for an environment with their difference, and a flag gets them when it is switched on', async () => {
    const page = await open('/projects/shop/settings/default-strategy');
    await page.getByRole('button', { name: 'Edit the default strategy in development' }).click();
    const panel = panelOf(page);
    await panel.getByRole('textbox', { name: 'Rollout' }).fill('25');
    await panel.getByText(/Rollout: 100% → 25%/).waitFor();
    await panel.getByLabel('Why?').fill('Careful begin');
    await expectAccessible(page, 'the form of a default strategy');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Default strategy in development saved').first().waitFor();
    const params = { projectId: 'shop', featureName: 'cart', environment: 'development' };
    const { environments } = await bodyOf('getProjectEnvironments', { params });
    const stored = environments.find(({ name }: { name: string }) => name === 'development').defaultStrategy;
    expect(stored).toMatchObject({ name: 'flexibleRollout', parameters: { rollout: '25', groupId: '' } });
    // The notice stays while it has the focus.
    await page.getByRole('button', { name: 'Undo' }).focus();
    const flag = await open('/projects/shop/features/cart');
    const development = flag.getByRole('region', { name: 'development' });
    await development.getByText('OFF. When it is switched on, it is ON for: 25% by user or session').waitFor();
    await development.getByText('No strategy is active here.').waitFor();
    await flag.getByRole('switch', { name: 'cart in production' }).click();
    const dialog = flag.getByRole('dialog');
    await dialog.getByText('The default strategy of the project is added: everyone').waitFor();
    await dialog.getByText('ON for everyone').waitFor();
    await dialog.getByText('1,000 off → on').waitFor();
    await flag.close();
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params });
    const { strategies } = await bodyOf('getFeatureEnvironment', { params });
    expect(strategies).toMatchObject([{ parameters: { rollout: '25', groupId: 'cart' } }]);
    const card = page.getByRole('region', { name: 'development' });
    await card.getByText('of this project').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await card.getByText('standard').waitFor();
  });
});

describe('what a viewer may not do', () => {
  it.each([
    ['/tag-types', 'Create tag type', /Needs CREATE_TAG_TYPE/],
    ['/strategies', 'Create strategy type', /Needs CREATE_STRATEGY/],
    ['/banners', 'Create banner', /Needs ADMIN/],
    ['/maintenance', 'Switch maintenance on', /Needs ADMIN/],
    ['/cors', 'Edit origins', /Needs ADMIN/],
    ['/instance', 'Download a backup', /Needs ADMIN/],
  ])('%s: the button says which permission is missing', async (path, name, reason) => {
    const address = path === '/tag-types' || path === '/strategies' ? path : `/admin${path}`;
    const { page } = await world.browser.open(world.service.url, address, { signedOn: viewer });
    const button = page.getByRole('button', { name }).first();
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.focus();
    await page.getByText(reason).first().waitFor();
    await expectAccessible(page, `${address} as a viewer sees it`);
  });

  it.each(['/admin/auth', '/admin/auth/oidc', '/admin/auth/saml', '/admin/invite-link'])(
    '%s is not shown at all',
    async (path) => {
      const guarded = await world.browser.open(world.service.url, path, { signedOn: viewer });
      guarded.allow(403);
      await guarded.page.getByText('You may not see this.').waitFor();
    },
  );

  it('the side bar has only the screens that everyone may read', async () => {
    const { page } = await world.browser.open(world.service.url, '/tag-types', { signedOn: viewer });
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('link', { name: 'Strategy types' }).waitFor();
    expect(await screens.getByRole('link', { name: 'Banners' }).count()).toBe(0);
    expect(await screens.getByRole('link', { name: 'Sign-up links' }).count()).toBe(0);
  });
});

describe('sign-up links', () => {
  const links = async () => (await bodyOf('getAllPublicSignupTokens')).tokens;

  it('a link is created, people sign up with it, and switched off it creates no accounts', async () => {
    const page = await open('/admin/invite-link');
    await page.getByText('There is no sign-up link.').waitFor();
    await page.getByRole('button', { name: 'Create link' }).first().click();
    const panel = panelOf(page);
    await panel.getByLabel('Name').fill('Summer school');
    await expectAccessible(page, 'the form of a sign-up link');
    await panel.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Link Summer school created').first().waitFor();
    const [{ secret, url, enabled }] = await links();
    expect(enabled).toBe(true);
    expect(await panel.getByLabel('Link', { exact: true }).inputValue()).toBe(url);
    expect(page.url()).not.toContain(secret);

    const person = { email: 'new@example.org', password: PASSWORD };
    await accepted(world.service, 'addPublicSignupTokenUser', { params: { token: secret }, token: null, body: person });
    await page.reload();
    await panel.getByText('new@example.org').first().waitFor();
    await panel.getByLabel('People can sign up with it').uncheck();
    await panel.getByLabel('Why?').fill('The school is over');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Link Summer school saved').first().waitFor();
    expect(await links()).toMatchObject([{ enabled: false }]);
    expect(await reasonOf('public-signup-token-updated')).toBe('The school is over');
    await refused(world.service, 'validatePublicSignupToken', [400, 'ValidationError'], {
      params: { token: secret },
      token: null,
    });
  });

  it('Escape keeps what was only chosen from a list, wherever the focus is, and Discard drops it', async () => {
    const page = await open('/admin/invite-link');
    const fields = page.getByRole('heading', { name: 'New sign-up link' });
    await page.getByRole('button', { name: 'Create link' }).first().click();
    await page.keyboard.press('Escape');
    await fields.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create link' }).first().click();
    await panelOf(page).getByRole('combobox').click();
    await page.getByRole('option', { name: 'In 90 days' }).click();
    await panelOf(page).getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('Escape');
    await fields.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create link' }).first().click();
    const chosen = panelOf(page).getByRole('combobox');
    expect(await chosen.innerText()).toContain('In 90 days');
    await page.getByText('Not saved yet, typed').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => chosen.innerText()).not.toContain('In 90 days');
    expect((await links()).map(({ name }: { name: string }) => name)).toEqual(['Summer school']);
  });

  it('is created once although the key is pressed again, and the panel closes while the list cannot be read', async () => {
    const page = await open('/admin/invite-link');
    await page.getByRole('button', { name: 'Create link' }).first().click();
    const held: Route[] = [];
    let isHeld = true;
    await page.route('**/api/admin/invite-link/tokens', (route) =>
      isHeld && route.request().method() === 'GET' ? void held.push(route) : route.continue(),
    );
    await panelOf(page).getByLabel('Name').fill('Autumn school');
    const created = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.keyboard.press('Control+Enter');
    await created;
    await page.keyboard.press('Control+Enter');
    await page.getByText('Link Autumn school created').first().waitFor();
    expect(await page.getByRole('heading', { name: 'New sign-up link' }).count()).toBe(0);
    expect((await links()).filter(({ name }: { name: string }) => name === 'Autumn school')).toHaveLength(1);
    isHeld = false;
    await Promise.all(held.map((route) => route.continue()));
    await panelOf(page).getByLabel('People can sign up with it').waitFor();
  });
});
