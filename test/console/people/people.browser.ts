import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, refused } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const GRACE = { id: 101, username: 'grace', email: 'grace@example.org', name: 'Grace' } as const;
const NEW_PASSWORD = 'Another-Horse-10!';
let signedOn: Record<string, string>;

beforeAll(async () => {
  await putUser(world.service, GRACE.id, { ...GRACE, rootRole: 3 });
  await accepted(world.service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
  signedOn = await browserOf(world.service, ADMIN.id);
});

const open = (path: string) => world.browser.open(world.service.url, path, { signedOn });
const panel = (page: Page, name: string) => page.getByRole('complementary', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const notice = (page: Page, text: string) => page.getByRole('region', { name: 'Notices' }).getByText(text);

/** The secret of a panel that shows it once. */
async function shownOnce(page: Page, panelName: string, label: string): Promise<string> {
  const field = panel(page, panelName).getByRole('textbox', { name: label });
  await field.waitFor();
  return field.inputValue();
}

/** The page of a link, on the host of the test. */
async function followLink(link: string, password: string): Promise<Page> {
  const { pathname, search } = new URL(link);
  const { page } = await world.browser.open(world.service.url, pathname + search);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('The same password again').fill(password);
  await expectAccessible(page, pathname);
  await page.getByRole('button').click();
  await page.getByRole('link', { name: 'Sign on to Burgee' }).waitFor();
  await expectAccessible(page, `${pathname}, done`);
  return page;
}

const signOn = (username: string, password: string) =>
  world.service.call('login', { body: { username, password }, headers: { 'sec-fetch-site': 'same-origin' } });

describe('journey 5: links of invitation and of a new password', () => {
  it('make an account usable, and are dead afterwards', async () => {
    const { page } = await open('/admin/users');
    await page.getByRole('grid', { name: 'Users' }).waitFor();
    await expectAccessible(page, 'the users');
    await button(page, 'Invite user').click();
    const form = panel(page, 'Invite a user');
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Lin');
    await form.getByRole('textbox', { name: 'Email' }).fill('lin@example.org');
    await expectAccessible(page, 'an invitation');
    await form.getByRole('button', { name: 'Invite user' }).click();
    const link = await shownOnce(page, 'Send the invitation', 'Link');
    await expectAccessible(page, 'the link of an invitation');
    expect(new URL(link).pathname).toBe('/new-user');
    const lin = await accepted(world.service, 'searchUsers', { query: 'q=lin@example.org' });
    expect(lin.body.users ?? lin.body).toMatchObject([{ name: 'Lin', email: 'lin@example.org', rootRole: 3 }]);
    await page.reload();
    await page.getByRole('grid', { name: 'Users' }).waitFor();
    expect(await page.getByText(link).count()).toBe(0);

    await followLink(link, NEW_PASSWORD);
    expect((await signOn('lin@example.org', NEW_PASSWORD)).status).toBe(200);
    const token = new URL(link).searchParams.get('token') ?? '';
    expect((await world.service.call('validateToken', { query: `token=${token}` })).status).toBeGreaterThanOrEqual(400);

    const actions = button(page, 'Actions for Lin');
    await actions.click();
    await page.getByRole('menuitem', { name: 'Create a link for a new password' }).click();
    const reset = await shownOnce(page, 'Send the link', 'Link');
    expect(new URL(reset).pathname).toBe('/reset-password');
    await followLink(reset, `${NEW_PASSWORD}-2`);
    expect((await signOn('lin@example.org', NEW_PASSWORD)).status).toBe(401);
    expect((await signOn('lin@example.org', `${NEW_PASSWORD}-2`)).status).toBe(200);
  });

  it('are for accounts that an admin can change and delete', async () => {
    const { page } = await open('/admin/users');
    await page.getByRole('grid', { name: 'Users' }).getByText('Lin', { exact: true }).click();
    const edit = panel(page, 'Lin');
    await edit.getByRole('combobox', { name: 'Role in the whole instance' }).click();
    await page.getByRole('option', { name: 'Editor' }).click();
    await edit.getByText('Role in the whole instance: Viewer → Editor').waitFor();
    await edit.getByRole('textbox', { name: 'Why?' }).fill('Takes over from Ada');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    const users = async () =>
      (await accepted(world.service, 'getUsers')).body.users as { name: string; rootRole: number }[];
    expect((await users()).find(({ name }) => name === 'Lin')?.rootRole).toBe(2);

    await button(page, 'Actions for Lin').click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Lin?' });
    await dialog.getByRole('textbox', { name: 'Type Lin to confirm' }).fill('Lin');
    await expectAccessible(page, 'the deletion of a user');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await users()).map(({ name }) => name)).not.toContain('Lin');
  });
});

describe('journey 38: roles and groups', () => {
  it('give a second person rights that count at once', async () => {
    const grace = await browserOf(world.service, GRACE.id);
    const create = (name: string) => ({
      params: { projectId: 'shop' },
      body: { name },
      token: null,
      headers: grace,
    });
    await refused(world.service, 'createFeature', [403, 'NoAccessError'], create('before'));

    const { page } = await open('/admin/roles');
    await page.getByRole('grid', { name: 'Roles' }).waitFor();
    await expectAccessible(page, 'the roles');
    const keyboard = new Keyboard(page);
    await keyboard.press('c');
    const role = panel(page, 'New role');
    await role.waitFor();
    await keyboard.fill(role.getByRole('textbox', { name: 'Name' }), 'Flag maker');
    const permission = role.getByRole('checkbox', { name: 'Create flags CREATE_FEATURE' });
    await keyboard.activate(permission, 'Space');
    await expectAccessible(page, 'a new role');
    await keyboard.activate(role.getByRole('button', { name: 'Create role' }));
    await role.waitFor({ state: 'detached' });
    const { body: roles } = await accepted(world.service, 'getRoles');
    const { id: roleId } = roles.roles.find(({ name }: { name: string }) => name === 'Flag maker');
    const { body: made } = await accepted(world.service, 'getRoleById', { params: { roleId } });
    expect(made).toMatchObject({ type: 'custom', permissions: [{ name: 'CREATE_FEATURE' }] });

    await page.goto(`${world.service.url}/admin/groups`);
    await page.getByText('There is no group yet').waitFor();
    await expectAccessible(page, 'no groups');
    await button(page, 'Create group').click();
    const group = panel(page, 'New group');
    await group.getByRole('textbox', { name: 'Name' }).fill('Makers');
    await group.getByRole('combobox', { name: 'Members' }).click();
    await page.getByRole('option', { name: 'Grace' }).click();
    await page.keyboard.press('Escape');
    await group.getByRole('button', { name: 'Create group' }).click();
    const edit = panel(page, 'Makers');
    await edit.waitFor();
    await edit.getByRole('combobox', { name: 'Project' }).click();
    await page.getByRole('option', { name: 'Shop' }).click();
    await edit.getByRole('checkbox', { name: 'Flag maker' }).check();
    await expectAccessible(page, 'a group');
    await edit.getByRole('button', { name: 'Save the roles' }).click();
    await edit.getByRole('link', { name: 'Shop' }).waitFor();

    const { body: groups } = await accepted(world.service, 'getGroups');
    expect(groups.groups).toMatchObject([{ name: 'Makers', projects: ['shop'], users: [{ user: { id: GRACE.id } }] }]);
    await accepted(world.service, 'createFeature', create('after'));
    const hers = await world.browser.open(world.service.url, '/admin/users', { signedOn: grace });
    hers.allow(403);
    await hers.page.getByText('You may not see this.').waitFor();
    await expectAccessible(hers.page, 'the users without permission');
  });
});

describe('service accounts', () => {
  it('get a token that is shown once and works', async () => {
    const { page } = await open('/admin/service-accounts');
    await page.getByText('No program has an account yet.').waitFor();
    await expectAccessible(page, 'no service accounts');
    await button(page, 'Create account').click();
    const form = panel(page, 'New service account');
    await form.getByRole('textbox', { name: 'Name required' }).fill('Terraform');
    await form.getByRole('button', { name: 'Create account' }).click();
    const account = panel(page, 'Terraform');
    await account.getByRole('button', { name: 'New token' }).click();
    await account.getByRole('textbox', { name: 'Description' }).fill('pipeline');
    await account.getByRole('button', { name: 'Create token' }).click();
    const secret = await shownOnce(page, 'Terraform', 'Token');
    await expectAccessible(page, 'the token of a service account');
    const me = await accepted(world.service, 'getMe', { token: secret });
    expect(me.body.user).toMatchObject({ name: 'Terraform', accountType: 'Service Account' });
    await page.reload();
    await panel(page, 'Terraform').getByText('pipeline').waitFor();
    expect(await page.content()).not.toContain(secret);
    await panel(page, 'Terraform').getByRole('button', { name: 'Delete the token pipeline' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await panel(page, 'Terraform').getByText('There is no token yet.').waitFor();
    expect((await world.service.call('getMe', { token: secret })).status).toBe(401);
  });
});

describe('the own profile', () => {
  it('has tokens that are shown once, sessions that can be ended, and the choice of theme, rows and keys', async () => {
    const { id } = await putUser(world.service, 102, { username: 'linus', name: 'Linus', rootRole: 3 });
    const mine = await browserOf(world.service, id);
    const other = await browserOf(world.service, id);
    const guarded = await world.browser.open(world.service.url, '/profile/tokens', { signedOn: mine });
    guarded.allow(400);
    const { page } = guarded;
    await page.getByText('There is no token yet.').waitFor();
    await button(page, 'New token').click();
    await page.getByRole('textbox', { name: 'Description' }).fill('laptop');
    await button(page, 'Create token').click();
    const field = page.getByRole('textbox', { name: 'Token' });
    await field.waitFor();
    const secret = await field.inputValue();
    await expectAccessible(page, 'an own token');
    expect((await accepted(world.service, 'getMe', { token: secret })).body.user.id).toBe(id);

    await page.getByRole('tab', { name: 'Sessions' }).click();
    await page.getByText('this one').waitFor();
    await expectAccessible(page, 'own sessions');
    await button(page, 'End all other sessions').click();
    await notice(page, 'The other sessions ended').waitFor();
    expect((await world.service.call('getMe', { token: null, headers: other })).status).toBe(401);

    await page.getByRole('tab', { name: 'Display and keys' }).click();
    await page.getByRole('radio', { name: 'Dark' }).check();
    const rowHeight = () =>
      page.evaluate<string>('getComputedStyle(document.documentElement).getPropertyValue("--row")');
    expect(await rowHeight()).toBe('36px');
    await page.getByRole('radio', { name: 'Compact' }).check();
    expect(await rowHeight()).toBe('28px');
    await page.getByRole('checkbox', { name: 'Shortcuts with single keys' }).uncheck();
    await page.reload();
    expect(await page.getByRole('radio', { name: 'Compact' }).isChecked()).toBe(true);
    expect(await rowHeight()).toBe('28px');
    expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Shortcuts with single keys' }).isChecked()).toBe(false);
    await expectAccessible(page, 'settings of the page, dark');

    await page.getByRole('tab', { name: 'Account' }).click();
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByLabel('New password again').fill(NEW_PASSWORD);
    await button(page, 'Change password').click();
    await page.getByText('The old password is wrong.').waitFor();
    await page.getByLabel('Current password').fill(ADMIN.password);
    await button(page, 'Change password').click();
    await notice(page, 'Password changed').waitFor();
    expect((await signOn('linus', NEW_PASSWORD)).status).toBe(200);
    await expectAccessible(page, 'the own account');
  });
});
