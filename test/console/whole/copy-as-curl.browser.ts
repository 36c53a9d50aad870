import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, eventsOf } from '../../support/admin.ts';
import { browserOf, personalTokenOf, putUser } from '../../support/people.ts';
import { expectAccessible } from '../support/axe.ts';
import type { GuardedPage } from '../support/browser.ts';
import { isFocused, Keyboard } from '../support/keyboard.ts';
import { panelOf } from '../support/panel.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const BASE = '/flags';
const world = useWorld({ env: { BASE_URI_PATH: BASE } });
const run = promisify(execFile);
let signedOn: Record<string, string>;
let token: string;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  token = await personalTokenOf(world.service, ADMIN.id);
});

const open = async (path: string, session = signedOn): Promise<GuardedPage> => {
  const guarded = await world.browser.open(world.service.url, path, { signedOn: session });
  await guarded.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  return guarded;
};

/** The text that the button copies. */
async function copied(page: Page, within: Locator, name: string): Promise<string> {
  await within.getByRole('button', { name, exact: true }).click();
  await within.getByRole('button', { name: 'Copied' }).first().waitFor();
  return page.evaluate<string>('navigator.clipboard.readText()');
}

/** Runs the text as a person does who pastes it into a shell. */
const inShell = (text: string, variables: Record<string, string> = {}) =>
  run('sh', ['-c', text], { env: { PATH: process.env.PATH, BURGEE_TOKEN: token, ...variables } });

const paramsOf = (featureName: string, environment = 'development') => ({
  projectId: 'default',
  featureName,
  environment,
});
const create = (name: string) =>
  accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
const settings = async (name: string, environment = 'development') =>
  (await accepted(world.service, 'getFeatureEnvironment', { params: paramsOf(name, environment) })).body;

/** What a shell would read as a command, a variable, or the end of a text. */
const NASTY = `it's "50 %" of $HOME, $(exit 3) and \`exit 4\` \\ !!`;

/** A part of the page that has the copy buttons. */
const dialogOf = (page: Page) => page.getByRole('dialog');

describe('S11: a save as curl, and as a link', () => {
  it('creates a flag as the panel would', async () => {
    const { page } = await open('/features?panel=create');
    const panel = panelOf(page);
    await panel.getByLabel('Name').fill('curled');
    await panel.getByLabel('Description').fill(`${NASTY}\nand a second line`);
    await panel.getByLabel('Tags').fill('team-a');
    const text = await copied(page, panel, 'Copy as curl');
    expect(text).toContain(`-X POST '${world.service.url}/api/admin/projects/default/features'`);
    expect(text).toContain('-H "authorization: $BURGEE_TOKEN"');
    expect(text).toContain("-H 'content-type: application/json'");
    const params = { projectId: 'default', featureName: 'curled' };
    expect((await world.service.call('getFeature', { params })).status).toBe(404);
    await expectAccessible(page, 'a panel with its copy buttons');

    await inShell(text);
    const { body } = await accepted(world.service, 'getFeature', { params });
    expect(body).toMatchObject({
      name: 'curled',
      description: `${NASTY}\nand a second line`,
      type: 'release',
      tags: [{ type: 'simple', value: 'team-a' }],
    });
    // The same again is refused: the flag exists. The shell learns it.
    await expect(inShell(text)).rejects.toMatchObject({ code: 22, stdout: expect.stringContaining('NameExistsError') });

    const link = await copied(page, panel, 'Copy link');
    const { page: other } = await open(link.slice(world.service.url.length));
    await other.getByRole('complementary', { name: 'New flag' }).waitFor();
  });

  it('changes the settings of a project, on condition that they are as they were', async () => {
    const { page } = await open('/projects/default/settings?panel=edit');
    const panel = panelOf(page);
    await panel.getByLabel('Description').fill(`${NASTY}\nsecond`);
    await panel.getByLabel('Why?').fill(NASTY);
    const text = await copied(page, panel, 'Copy as curl');
    expect(text).toMatch(/-H 'if-match: \S+'/);
    const events = await eventsOf(world.service, () => inShell(text));
    expect(events).toMatchObject([{ type: 'project-updated', reason: NASTY }]);
    const { body } = await accepted(world.service, 'getProjectOverview', { params: { projectId: 'default' } });
    expect(body.description).toBe(`${NASTY}\nsecond`);
    // The project is another one now, so the condition is not met.
    await expect(inShell(text)).rejects.toMatchObject({ code: 22 });

    // The panel knows it, too.
    await panel.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Others saved changes in the meantime. Save to see them.').first().waitFor();
  });
});

describe('S11: the draft of an environment', () => {
  it('is several requests, of which the later ones send the tag that the earlier ones left', async () => {
    await create('drafted');
    await accepted(world.service, 'addFeatureStrategy', {
      params: paramsOf('drafted'),
      body: { name: 'flexibleRollout', title: 'old', parameters: { rollout: '0', stickiness: 'userId', groupId: 'g' } },
    });
    const before = await settings('drafted');
    const { page } = await open('/projects/default/features/drafted');
    const column = page.getByRole('region', { name: 'development' });
    await column.getByRole('switch').click();
    // Nothing guards development: the switch saves at once. Switched off again, it is a part of the draft below.
    await column.getByRole('button', { name: 'Edit' }).first().click();
    const panel = page.getByRole('complementary', { name: /strategy/i });
    await expect.poll(async () => (await settings('drafted')).enabled).toBe(true);
    await panel.getByRole('textbox', { name: 'Title' }).fill(NASTY);
    await panel.getByRole('textbox', { name: 'Rollout' }).fill('35');
    await column.getByRole('switch').click();
    await column.getByText('2 unsaved changes').waitFor();
    const ofPanel = await copied(page, panel, 'Copy as curl');
    await expectAccessible(page, 'the panel of a strategy with its copy buttons');
    const linkOfPanel = await copied(page, panel, 'Copy link');

    await column.getByRole('button', { name: 'Review' }).click();
    await dialogOf(page).getByLabel('Why?').fill(`${NASTY}\nsecond`);
    const text = await copied(page, dialogOf(page), 'Copy as curl');
    await expectAccessible(page, 'the review with its copy buttons');
    const linkOfReview = await copied(page, dialogOf(page), 'Copy link');
    expect(text.match(/-X (POST|PUT)/g)).toEqual(['-X POST', '-X PUT']);
    expect(ofPanel.match(/-X (POST|PUT)/g)).toEqual(['-X POST', '-X PUT']);
    expect(text).toContain('burgee-reason: ');
    expect(ofPanel).not.toContain('burgee-reason');

    for (const [link, name] of [
      [linkOfPanel, 'panel'],
      [linkOfReview, 'review'],
    ] as const) {
      const { page: other } = await open(link.slice(world.service.url.length));
      if (name === 'panel') {
        await other.getByRole('region', { name: 'development' }).getByText('2 unsaved changes').waitFor();
        const title = other.getByRole('complementary', { name: /strategy/i }).getByRole('textbox', { name: 'Title' });
        await expect.poll(() => title.inputValue()).toBe(NASTY);
      } else {
        // The dialog hides the page behind it.
        await dialogOf(other).getByText('→ 35').first().waitFor();
        await dialogOf(other).getByRole('button', { name: 'Save', exact: true }).waitFor();
      }
      // The draft is not in the address any more.
      expect(new URL(other.url()).hash).toBe('');
    }

    const events = await eventsOf(world.service, () => inShell(text));
    expect(events.map(({ type }) => type)).toEqual(['feature-environment-disabled', 'feature-strategy-update']);
    for (const { reason } of events) expect(reason).toBe(`${NASTY}\nsecond`);
    const after = await settings('drafted');
    expect(after).toMatchObject({
      enabled: false,
      strategies: [
        { ...before.strategies[0], title: NASTY, parameters: { ...before.strategies[0].parameters, rollout: '35' } },
      ],
    });
  });

  it('reads the tag of the environment where another request came before', async () => {
    await create('chained');
    await accepted(world.service, 'addFeatureStrategy', {
      params: paramsOf('chained'),
      body: { name: 'flexibleRollout', parameters: { rollout: '0', stickiness: 'userId', groupId: 'g' } },
    });
    const { page } = await open('/projects/default/features/chained');
    const column = page.getByRole('region', { name: 'development' });
    await column.getByRole('button', { name: 'Edit' }).first().click();
    const panel = page.getByRole('complementary', { name: /strategy/i });
    await panel.getByRole('textbox', { name: 'Rollout' }).fill('35');
    await column.getByRole('switch').click();
    await column.getByText('2 unsaved changes').waitFor();
    const text = await copied(page, panel, 'Copy as curl');
    expect(text).toContain('BURGEE_ETAG=$(curl');
    expect(text).toContain('-H "if-match: $BURGEE_ETAG"');
    await inShell(text);
    expect(await settings('chained')).toMatchObject({ enabled: true, strategies: [{ parameters: { rollout: '35' } }] });
    // The page follows by the stream: what was saved elsewhere is no draft any more.
    await column.getByText('2 unsaved changes').waitFor({ state: 'detached' });
  });

  it('goes into a change request where the environment needs a review', async () => {
    await create('reviewed');
    const author = 731;
    await putUser(world.service, author, { name: 'Noa', username: 'noa', rootRole: 2 });
    await accepted(world.service, 'updateProjectChangeRequestConfig', {
      params: { projectId: 'default', environment: 'production' },
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    const session = await browserOf(world.service, author);
    const guarded = await open('/projects/default/features/reviewed', session);
    const { page } = guarded;
    await page.getByRole('region', { name: 'production' }).getByRole('switch').click();
    await dialogOf(page).getByRole('button', { name: 'Add to a change request' }).waitFor();
    const text = await copied(page, dialogOf(page), 'Copy as curl');
    await inShell(text, { BURGEE_TOKEN: await personalTokenOf(world.service, author) });
    const { body } = await accepted(world.service, 'searchChangeRequests', { token: null, headers: session });
    expect(body.changeRequests).toMatchObject([{ state: 'Draft', environment: 'production', features: ['reviewed'] }]);
    expect((await settings('reviewed', 'production')).enabled).toBe(false);
  });
});

describe('S11: secrets', () => {
  it('the password of a new user is a variable', async () => {
    const { page } = await open('/admin/users?panel=create');
    const panel = panelOf(page);
    await panel.getByLabel('Username').fill('curl-user');
    await panel.getByRole('radio', { name: 'You choose it' }).click();
    await panel.getByLabel('Password').last().fill('Never-copied-7');
    const text = await copied(page, panel, 'Copy as curl');
    expect(text).not.toContain('Never-copied-7');
    await inShell(text, { BURGEE_PASSWORD: 'Given-later-77' });
    const answer = await world.service.call('login', { body: { username: 'curl-user', password: 'Given-later-77' } });
    expect(answer.status).toBe(200);
  });

  it('the token that is deleted is a variable, and no part of the link', async () => {
    const { body } = await accepted(world.service, 'createApiToken', {
      body: { tokenName: 'old jobs', type: 'backend', environment: 'production', projects: ['*'] },
    });
    const { page } = await open('/admin/api');
    await page.getByRole('button', { name: 'Actions for old jobs' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const text = await copied(page, dialogOf(page), 'Copy as curl');
    const link = await copied(page, dialogOf(page), 'Copy link');
    const secret = body.secret.split('.').at(-1);
    expect(text).toContain('/api/admin/api-tokens/');
    expect(text).not.toContain(secret);
    expect(link).not.toContain(secret);
    const { page: other } = await open(link.slice(world.service.url.length));
    await dialogOf(other).getByText('It was never used.').waitFor();
    const encoded = encodeURIComponent(body.secret);
    await inShell(text, { BURGEE_SECRET: encoded });
    const { body: left } = await accepted(world.service, 'getAllApiTokens');
    expect(left.tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).not.toContain('old jobs');
  });
});

describe('S11: dialogs', () => {
  it('work by keyboard alone, and without the clipboard of secure contexts', async () => {
    await create('by-keys');
    const guarded = await open('/projects/default/features/by-keys?panel=archive');
    // The flag is archived at the end: the page asks for it where it was.
    guarded.allow(404);
    const { page } = guarded;
    const dialog = dialogOf(page);
    await dialog.getByRole('heading', { name: /by-keys/ }).waitFor();
    await page.evaluate(`
      globalThis.secureClipboard = navigator.clipboard;
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    `);
    const keyboard = new Keyboard(page);
    const texts: string[] = [];
    for (const name of ['Copy as curl', 'Copy link']) {
      const button = dialog.getByRole('button', { name, exact: true });
      await keyboard.activate(button);
      await dialog.getByRole('button', { name: 'Copied' }).waitFor();
      texts.push(await page.evaluate<string>('globalThis.secureClipboard.readText()'));
      await dialog.getByRole('button', { name, exact: true }).waitFor();
      expect(await isFocused(dialog.getByRole('button', { name, exact: true }))).toBe(true);
    }
    await expectAccessible(page, 'a dialog with its copy buttons');
    const [curl = '', link] = texts;
    expect(link).toBe(`${world.service.url}/projects/default/features/by-keys?panel=archive`);
    await inShell(curl);
    const { body } = await accepted(world.service, 'getArchivedFeatures');
    expect(body.features.map(({ name }: { name: string }) => name)).toContain('by-keys');
  });

  it('of many flags: the requests, and a link that selects the flags', async () => {
    for (const name of ['bulk-1', 'bulk-2']) await create(name);
    const { page } = await open('/features?q=bulk-');
    for (const name of ['bulk-1', 'bulk-2']) await page.getByRole('checkbox', { name: `Select ${name}` }).click();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Mark as stale' }).click();
    const text = await copied(page, dialogOf(page), 'Copy as curl');
    const link = await copied(page, dialogOf(page), 'Copy link');
    const { page: other } = await open(link.slice(world.service.url.length));
    await dialogOf(other).getByText('2 flags will change.').waitFor();
    await inShell(text);
    for (const featureName of ['bulk-1', 'bulk-2']) {
      const { body } = await accepted(world.service, 'getFeature', { params: { projectId: 'default', featureName } });
      expect(body.stale).toBe(true);
    }
  });

  it('the search of the list is a request that finds the same flags', async () => {
    for (const name of ['search-b', 'search-a', 'other']) await create(name);
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params: paramsOf('search-a') });
    await accepted(world.service, 'toggleFeatureEnvironmentOn', { params: paramsOf('search-b') });
    await create('search-off');
    const status = encodeURIComponent('development:enabled');
    const { page } = await open(
      `/features?q=search-&project=default&status=${encodeURIComponent(status)}&sort=name:desc`,
    );
    await page.getByRole('link', { name: 'search-a' }).first().waitFor();
    const text = await copied(page, page.getByRole('search'), 'Copy this search as curl');
    const { stdout } = await inShell(text);
    expect(JSON.parse(stdout).features.map(({ name }: { name: string }) => name)).toEqual(['search-b', 'search-a']);
  });
});
