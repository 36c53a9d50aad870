import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const [VIEWER, SECOND] = [301, 302];
let admin: Record<string, string>;
let viewer: Record<string, string>;
let second: Record<string, string>;

beforeAll(async () => {
  const { service } = world;
  await putUser(service, VIEWER, { name: 'Vic', username: 'vic', rootRole: 3 });
  await putUser(service, SECOND, { name: 'Sam', username: 'sam', rootRole: 3 });
  admin = await browserOf(service, ADMIN.id);
  viewer = await browserOf(service, VIEWER);
  second = await browserOf(service, SECOND);
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
  await accepted(service, 'createProject', { body: { id: 'secret', name: 'Secret plans', mode: 'private' } });
  await accepted(service, 'createFeature', { params: { projectId: 'shop' }, body: { name: 'cart' } });
});

describe('journey 38: environments, roles and groups', () => {
  it('clones an environment with the settings of flags', async () => {
    const on = { projectId: 'shop', featureName: 'cart', environment: 'development' };
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params: on });
    const { page } = await world.browser.open(world.service.url, '/environments', { signedOn: admin });
    await page.getByRole('button', { name: 'Actions for development' }).click();
    await page.getByRole('menuitem', { name: 'Clone…' }).click();
    const panel = page.getByRole('complementary').last();
    await panel.getByLabel('Name').fill('qa');
    await expectAccessible(page, 'the form that clones an environment');
    await panel.getByRole('button', { name: 'Clone', exact: true }).click();
    await page.getByText('qa created as a copy').first().waitFor();
    const { body } = await accepted(world.service, 'getFeatureEnvironment', { params: { ...on, environment: 'qa' } });
    expect(body.enabled).toBe(true);
  });

  it('asks SDKs of an environment to open streams', async () => {
    const { page } = await world.browser.open(world.service.url, '/environments', { signedOn: admin });
    await page.getByRole('button', { name: 'Actions for development' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const panel = page.getByRole('complementary').last();
    await panel.getByRole('combobox', { name: 'How SDKs of servers get changes' }).click();
    await page.getByRole('option', { name: 'Ask polling SDKs to open streams' }).click();
    await expectAccessible(page, 'the form that edits an environment');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Environment development saved').first().waitFor();
    const { body } = await accepted(world.service, 'getEnvironment', { params: { name: 'development' } });
    expect(body.fetchMode).toBe('streaming');
  });

  it('orders environments by buttons, and reports the position to screen readers', async () => {
    const { page } = await world.browser.open(world.service.url, '/environments', { signedOn: admin });
    const names = async () => {
      const { body } = await accepted(world.service, 'getAllEnvironments');
      return body.environments.map(({ name }: { name: string }) => name);
    };
    expect((await names()).slice(0, 2)).toEqual(['development', 'production']);
    await page.getByRole('button', { name: 'Move production up' }).click();
    await page.getByText(/production is now 1 of \d/).waitFor({ state: 'attached' });
    expect((await names()).slice(0, 2)).toEqual(['production', 'development']);
  });

  it('a role through a group has an effect for a second user', async () => {
    const may = async () => {
      const { body } = await world.service.call('getMe', { token: null, headers: second });
      return body.permissions.some(
        ({ permission, project }: { permission: string; project?: string }) =>
          permission === 'CREATE_FEATURE' && project === 'shop',
      );
    };
    expect(await may()).toBe(false);
    await accepted(world.service, 'createGroup', { body: { name: 'Shop team', users: [{ user: { id: SECOND } }] } });
    const { page } = await world.browser.open(world.service.url, '/projects/shop/settings/access?panel=give', {
      signedOn: admin,
    });
    const panel = page.getByRole('complementary').last();
    await panel.getByLabel('Users and groups').fill('Shop');
    await page.getByRole('option', { name: 'Shop team' }).click();
    await panel.getByRole('heading').first().click();
    await panel.getByRole('checkbox', { name: 'Owner' }).check();
    await expectAccessible(page, 'the form that gives access');
    await panel.getByRole('button', { name: 'Give access' }).click();
    await page.getByText('Access given').first().waitFor();
    await expect.poll(may).toBe(true);
  });

  it('a role of its own has the chosen permissions', async () => {
    const { page } = await world.browser.open(world.service.url, '/admin/roles?panel=create', { signedOn: admin });
    const panel = page.getByRole('complementary').last();
    await panel.getByLabel('Name').fill('Releaser');
    await panel.getByRole('searchbox', { name: 'Filter permissions' }).fill('UPDATE_FEATURE_ENVIRONMENT');
    await panel.getByRole('group', { name: 'Environment production' }).getByRole('checkbox').first().check();
    await expectAccessible(page, 'the form of a role');
    await panel.getByRole('button', { name: 'Create role' }).click();
    await page.getByText('Role Releaser created').first().waitFor();
    const { body } = await accepted(world.service, 'getRoles');
    const { id } = body.roles.find(({ name }: { name: string }) => name === 'Releaser');
    const role = await accepted(world.service, 'getRoleById', { params: { roleId: id } });
    expect(role.body.permissions).toEqual([expect.objectContaining({ environment: 'production' })]);
  });
});

describe('journey 33: a viewer in the settings', () => {
  it.each([
    ['/environments', 'Create environment', /Needs CREATE_ENVIRONMENT/],
    ['/segments', 'Create segment', /Needs CREATE_SEGMENT/],
    ['/context', 'Create context field', /Needs CREATE_CONTEXT_FIELD/],
    ['/projects', 'Create project', /Needs CREATE_PROJECT/],
  ])('%s: the button says which permission is missing', async (path, name, reason) => {
    const { page } = await world.browser.open(world.service.url, path, { signedOn: viewer });
    const button = page.getByRole('button', { name }).first();
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.focus();
    await page.getByText(reason).first().waitFor();
    await expectAccessible(page, `${path} as a viewer sees it`);
  });

  it('the users are a page that says what is missing', async () => {
    const guarded = await world.browser.open(world.service.url, '/admin/users', { signedOn: viewer });
    guarded.allow(403);
    await guarded.page.getByText('You may not see this.').waitFor();
  });
});

describe('journey 34: a private project', () => {
  it('is absent from the list, and its address is as if it did not exist', async () => {
    const guarded = await world.browser.open(world.service.url, '/projects', { signedOn: viewer });
    guarded.allow(403, 404);
    const { page } = guarded;
    await page.getByRole('link', { name: 'Shop', exact: true }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('Secret plans');
    for (const path of ['/projects/secret', '/projects/secret/settings', '/projects/none/settings']) {
      await page.goto(world.service.url + path);
      await page.getByText('There is nothing at this address.').waitFor();
    }
    await page.goto(`${world.service.url}/history`);
    await page.getByRole('grid', { name: 'Audit log' }).getByRole('row').nth(1).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('secret');
  });
});

describe('a project', () => {
  it('is created and its settings are changed with a reason', async () => {
    const { page } = await world.browser.open(world.service.url, '/projects?panel=create', { signedOn: admin });
    await page.getByLabel('Name').fill('Mobile apps');
    expect(await page.getByLabel('Identifier').inputValue()).toBe('mobile-apps');
    await expectAccessible(page, 'the form of a project');
    await page.getByRole('button', { name: 'Create project' }).last().click();
    await page.getByRole('radio', { name: 'General' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Edit settings' }).click();
    const panel = page.getByRole('complementary').last();
    await panel.getByLabel('Description').fill('iOS and Android');
    await panel.getByText('What changes').waitFor();
    await panel.getByLabel('Why?').fill('For newcomers');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings of Mobile apps saved').first().waitFor();
    const { body } = await accepted(world.service, 'getProjectOverview', { params: { projectId: 'mobile-apps' } });
    expect(body.description).toBe('iOS and Android');
  });
});
