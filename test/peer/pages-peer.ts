import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BurgeeProcess } from '../support/programs/burgee-process.ts';
import { until } from '../support/until.ts';
import { Chromium } from './chromium.ts';
import { pagesInFrontOf } from './pages-front.ts';
import { PEER } from './unleash.ts';

const PASSWORD = 'Correct-Horse-9';
const [ADMIN, CLIENT, FRONTEND] = ['*:*.pages-admin', '*:development.pages-client', '*:development.pages-frontend'];

let directory: string;
let burgee: BurgeeProcess;
let url: string;
let front: Awaited<ReturnType<typeof pagesInFrontOf>>;
let browser: Chromium;
/** Without a sign-on no page shows anything: then each of the other tests fails early. */
let isSignedOn = false;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-pages-'));
  burgee = new BurgeeProcess({
    DATA_DIR: directory,
    UNLEASH_DEFAULT_ADMIN_PASSWORD: PASSWORD,
    INIT_ADMIN_API_TOKENS: ADMIN,
    INIT_CLIENT_API_TOKENS: CLIENT,
    INIT_FRONTEND_API_TOKENS: FRONTEND,
  });
  url = await burgee.url();
  await fill();
  front = await pagesInFrontOf(url, PEER.url);
  browser = await Chromium.start(process.env.PEER_CHROMIUM ?? 'chromium');
});

afterAll(async () => {
  await browser?.close();
  front?.close();
  await burgee?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function call(method: string, path: string, body: object | undefined, token = ADMIN) {
  const headers = { authorization: token, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  const text = await answer.text();
  return text.startsWith('{') ? JSON.parse(text) : undefined;
}

/** Presses the first element that the selector finds and whose text begins with `label`, once it exists. */
async function press(selector: string, label = ''): Promise<void> {
  const [all, text] = [selector, label.toLowerCase()].map((each) => JSON.stringify(each));
  const find = `[...document.querySelectorAll(${all})].find((each) => each.innerText.trim().toLowerCase().startsWith(${text}))`;
  await until(
    () => browser.evaluate<boolean>(`(() => { const found = ${find}; found?.click(); return !!found; })()`),
    (isThere) => isThere === true,
  );
}

/** A live flag, an archived one, and an application that runs on a server and in browsers. */
async function fill(): Promise<void> {
  for (const flag of [{ name: 'pages-live' }, { name: 'pages-archived', archived: true }])
    await call('POST', '/api/admin/projects/default/features', flag);
  const started = {
    appName: 'pages-app',
    strategies: ['default', 'own'],
    interval: 10,
    started: new Date().toISOString(),
  };
  const server = { ...started, instanceId: 'server', sdkVersion: 'unleash-client-node:6.1.0' };
  await call('POST', '/api/client/register', server, CLIENT);
  const page = { ...started, instanceId: 'page', sdkVersion: 'unleash-client-js:3.7.0' };
  await call('POST', '/api/frontend/client/register', page, FRONTEND);
}

describe('Unleash’s own pages, in front of Burgee', () => {
  it('sign on', async () => {
    await browser.open(`${front.url}/login`);
    await browser.type('input[name="username"], #username', 'admin');
    await browser.type('input[type="password"]', PASSWORD);
    await browser.click('Sign in');
    await until(
      () => browser.evaluate<boolean>('document.querySelector("input[type=password]") === null'),
      (isGone) => isGone === true,
    );
    isSignedOn = true;
  });

  it.each<[path: string, ...texts: string[]]>([
    ['/personal', 'default'],
    ['/projects', 'default'],
    ['/projects/default', 'pages-live'],
    ['/projects/default/features/pages-live', 'pages-live', 'development', 'production'],
    ['/search', 'pages-live'],
    ['/archive', 'pages-archived'],
    ['/applications', 'pages-app'],
    ['/applications/pages-app', 'unleash-client-node:6.1.0', 'unleash-client-js:3.7.0'],
    ['/context', 'userId', 'sessionId'],
    ['/segments', 'segments'],
    ['/strategies', 'gradual rollout'],
    ['/tag-types', 'simple'],
    ['/playground', 'playground'],
    ['/history', 'pages-archived'],
    ['/admin/users', 'admin'],
    ['/admin/create-user', 'viewer'],
    ['/admin/api', 'init-admin-1'],
    ['/profile', 'admin'],
    ['/profile/change-password', 'password'],
    ['/profile/personal-api-tokens', 'new token'],
    ['/projects/default/logs', 'event log', 'pages-archived'],
    ['/projects/default/settings/environments', 'environments (2)'],
    ['/projects/default/settings/api-access', 'no tokens available'],
    ['/projects/default/settings/segments', 'new segment'],
    ['/projects/default/settings/default-strategy', 'customize your default strategy'],
    ['/projects/default/features/pages-live/metrics', 'exposure metrics'],
    ['/context/edit/userId', 'edit context'],
    ['/segments/create', 'create segment'],
    ['/strategies/default', 'on for all users'],
    ['/tag-types/create', 'create tag type'],
    ['/feature-toggle-type', 'operational', 'sunset'],
    ['/admin/api/create-token', 'create api token'],
    ['/admin/cors', 'cors origins'],
    ['/admin/instance', 'instance statistics', 'feature flags'],
    ['/admin/maintenance', 'maintenance'],
    ['/admin/invite-link', 'create invite link'],
  ])('show their content at %s, and send no request that is refused', async (path, ...texts) => {
    expect(isSignedOn).toBe(true);
    const before = browser.failed.length;
    await browser.open(front.url + path);
    await browser.shows(...texts);
    expect(browser.failed.slice(before).filter((one) => one.path.startsWith('/api/'))).toEqual([]);
  });

  it('offer to revive or to delete an archived flag, and revive it', async () => {
    await browser.open(`${front.url}/archive`);
    await browser.shows('pages-archived', 'revive', 'delete');
    await browser.click('Revive');
    await browser.shows('you are about to revive feature flag: pages-archived');
    const path = `${url}/api/admin/projects/default/features/pages-archived`;
    // The dialog ignores clicks before it has opened.
    const confirm = async () => {
      await browser.evaluate('document.querySelector("[role=dialog] button")?.click()');
      await new Promise((resolve) => setTimeout(resolve, 500));
      return (await fetch(path, { headers: { authorization: ADMIN } })).status;
    };
    await until(confirm, (status) => status === 200);
  });

  it('make a link with which a user sets a new password', async () => {
    const user = { email: 'vera@example.com', username: 'vera', name: 'Vera', rootRole: 3, sendEmail: false };
    const { id } = await call('POST', '/api/admin/user-admin', user);
    await browser.open(`${front.url}/admin/users`);
    await browser.shows('vera@example.com');
    await press(`#user-${id}-actions`);
    await press('[role=menuitem]', 'Reset password');
    await press('[role=dialog] button', 'Generate link');
    await browser.shows('reset password link created', '/reset-password?token=');
  });

  it('create an account with an invite link, and go on', async () => {
    const link = { name: 'pages', expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
    const { secret } = await call('POST', '/api/admin/invite-link/tokens', link);
    await browser.open(`${front.url}/new-user?invite=${secret}`);
    await browser.type('input#email', 'guest@example.com');
    await browser.type('input#username', 'Guest');
    await browser.type('input[type=password]', PASSWORD);
    await browser.evaluate('document.querySelectorAll("input[type=password]")[1].id = "again"');
    await browser.type('#again', PASSWORD);
    await browser.click('Submit');
    // The page takes every status but 201 for a failure, and stays.
    await until(
      () => browser.evaluate<string>('location.pathname'),
      (path) => path !== undefined && path !== '/new-user',
    );
  });

  it('sign out, and show it', async () => {
    await browser.evaluate(
      '{ const form = document.createElement("form"); form.method = "post"; form.action = "/logout"; document.body.append(form); form.submit(); }',
    );
    await browser.shows('signed out');
    expect(await browser.evaluate<string>('location.pathname')).toBe('/signed-out');
    await browser.open(`${front.url}/projects`);
    await browser.shows('sign in');
  });
});
