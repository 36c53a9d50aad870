import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../bench/support/free-port.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted } from '../../support/admin.ts';
import { browserFrom } from '../../support/people.ts';
import { type ServiceProcess, spawnService, untilReady } from '../../support/programs/process.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { CLIENT_TOKEN, serviceAt, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { expectAccessible } from '../support/axe.ts';
import { TestBrowser } from '../support/browser.ts';
import { Sdk } from '../support/sdk.ts';

const directory = mkdtempSync(join(tmpdir(), 'burgee-console-'));
const PASSWORD = 'Correct-Horse-9';
const port = String(await freePort());
/** Short, so that the outages of the test end soon. */
const QUICK = { REDIS_COMMAND_TIMEOUT_MS: '500', REDIS_WRITE_TIMEOUT_MS: '1500', REDIS_POLL_MS: '250' };

let redis: RedisServer;
let process: ServiceProcess;
let browser: TestBrowser;
let service: TestService;

async function startProcess(): Promise<void> {
  const env = { HTTP_PORT: port, REDIS_URL: redis.url, UNLEASH_DEFAULT_ADMIN_PASSWORD: PASSWORD, ...QUICK };
  process = await spawnService(directory, env);
  await untilReady(process);
}

beforeAll(async () => {
  redis = await RedisServer.start();
  await startProcess();
  service = serviceAt(process.url) as TestService;
  await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'steady' } });
  browser = await TestBrowser.start();
});
afterEach(() => browser.closePages());
afterAll(async () => {
  await browser.close();
  await process.end();
  await redis.dispose();
  rmSync(directory, { recursive: true, force: true });
});

const PARAMS = { projectId: 'default', featureName: 'steady', environment: 'development' };
const rollouts = async () =>
  (await accepted(service, 'getFeatureEnvironment', { params: PARAMS })).body.strategies.map(
    ({ parameters }: { parameters: { rollout: string } }) => parameters.rollout,
  );
const cardOf = (page: Page) => page.getByRole('region', { name: 'development' });

async function signOn(username: string): Promise<Record<string, string>> {
  // A busy machine may need longer for a write than `QUICK` allows: a person would sign on again.
  const login = () => service.call('login', { body: { username, password: PASSWORD } });
  const { status, headers } = await until(login, (answer) => answer.status !== 503);
  expect(status).toBe(200);
  return browserFrom(headers);
}

/** Opens the flag, and begins a draft with a strategy of this rollout. The mark shows later that the page was not loaded again. */
async function openWithDraft(rollout: string): Promise<Page> {
  const signedOn = await signOn('admin');
  const guarded = await browser.open(service.url, '/projects/default/features/steady', { signedOn });
  guarded.allow(500, 502, 503, 429);
  guarded.allowOutages();
  const { page } = guarded;
  await page.evaluate('window.sameDocument = true');
  // Dialogs are loaded some seconds after the first view.
  const hasDialogs = 'performance.getEntriesByType("resource").some(({ name }) => name.includes("/overlays"))';
  await expect.poll(() => page.evaluate(hasDialogs)).toBe(true);
  await cardOf(page).getByRole('button', { name: 'Add strategy' }).click();
  const field = page.getByRole('complementary').getByRole('textbox', { name: 'Rollout' });
  await field.fill(rollout);
  return page;
}

/** Saves the draft in the same document, and checks that the server has it. */
async function expectSaved(page: Page, rollout: string): Promise<void> {
  expect(await page.evaluate('window.sameDocument')).toBe(true);
  const dialog = page.getByRole('dialog');
  if (!(await dialog.isVisible())) await cardOf(page).getByRole('button', { name: 'Review' }).click();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(rollouts).toContain(rollout);
}

/** Tries to save, and waits until the dialog shows why it could not be. */
async function expectRefused(page: Page, why: RegExp): Promise<void> {
  await cardOf(page).getByRole('button', { name: 'Review' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByText(why).first().waitFor();
}

describe('journey 39: what keeps people from saving', () => {
  it('maintenance: a banner comes and goes by itself, and the draft is saved afterwards', async () => {
    const page = await openWithDraft('11');
    const words = 'Maintenance: you can look at everything, but nothing can be changed now.';
    const banner = page.getByText(words);
    await accepted(service, 'createUser', { body: { username: 'vic', password: PASSWORD, rootRole: ROLE_ID.viewer } });
    const { page: viewers } = await browser.open(service.url, '/features', { signedOn: await signOn('vic') });
    await viewers.getByRole('link', { name: 'steady' }).waitFor();
    await accepted(service, 'toggleMaintenance', { body: { enabled: true } });
    try {
      await banner.waitFor();
      await viewers.getByText(words).waitFor();
      await expectAccessible(page, 'a flag during maintenance');
      await expectRefused(page, /The service is in maintenance/);
    } finally {
      await accepted(service, 'toggleMaintenance', { body: { enabled: false } });
    }
    await banner.waitFor({ state: 'detached' });
    await viewers.getByText(words).waitFor({ state: 'detached' });
    await expectSaved(page, '11');
  });

  it('the store is down: the refusal names it, SDKs go on, and the draft is saved when it is back', async () => {
    const sdk = await Sdk.start(service.url, CLIENT_TOKEN);
    const page = await openWithDraft('22');
    await redis.kill();
    try {
      await expectRefused(page, /The store cannot be written to now/);
      await expectAccessible(page, 'a save without the store');
      expect(await sdk.isEnabled('steady')).toBe(false);
    } finally {
      await redis.start();
    }
    // The replica first compares its newest commits with those of the store.
    let tries = 0;
    const write = async () => {
      tries++;
      const body = { name: `after-the-outage-${tries}` };
      return (await service.call('createFeature', { params: { projectId: 'default' }, body })).status;
    };
    await expect.poll(write, { timeout: 60_000 }).toBe(201);
    await expectSaved(page, '22');
    sdk.end();
  });

  it('the server restarts: a banner while it is away, the draft stays, and the page goes on without a reload', async () => {
    const page = await openWithDraft('33');
    await process.end('SIGKILL');
    // Nothing is asked for meanwhile but the stream of changes.
    await page.getByText(/Burgee cannot be reached/).waitFor();
    await expectRefused(page, /cannot be reached/i);
    await expectAccessible(page, 'a page without its server');
    await startProcess();
    await page.getByText(/Burgee cannot be reached/).waitFor({ state: 'detached' });
    await expectSaved(page, '33');
    // The stream of changes is back, too: a change by somebody else appears.
    await accepted(service, 'toggleFeatureEnvironmentOn', { params: PARAMS });
    await expect
      .poll(() => page.getByRole('switch', { name: 'steady in development' }).getAttribute('aria-checked'), {
        timeout: 60_000,
      })
      .toBe('true');
  });
});
