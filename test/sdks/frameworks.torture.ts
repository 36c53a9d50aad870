import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';
import { Flags, is } from '../support/flags.ts';
import { chromiumFile } from '../support/programs/ensure-chromium.mjs';
import { CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../support/service.ts';
import { untilTrue } from '../support/until.ts';
import { Absence, installNext, removeInstalled } from './toolchains.ts';

/** The clients of a page: the id of the element that each of them writes, which is also the name in its reports. */
const SERVER = 'next-server';
const IN_BROWSER = ['next-browser', 'react', 'open-feature'] as const;

const FLAG = { featureName: 'shown', environment: 'development' };

const service = useService();
let flags: Flags;
let absence: string | undefined;
let next: ChildProcess;
let nextUrl: string;
let browser: Browser;

beforeAll(async () => {
  const executablePath = chromiumFile();
  const installed = await installNext(fileURLToPath(new URL('frameworks', import.meta.url)));
  if (installed instanceof Absence || executablePath === undefined) {
    absence = installed instanceof Absence ? installed.reason : 'Chromium is not available here';
    console.warn(`Next.js and React: ${absence}`);
    return;
  }
  flags = new Flags(service);
  const port = String(await freePort());
  nextUrl = `http://127.0.0.1:${port}`;
  const { PATH = '', HOME = '' } = process.env;
  next = spawn(installed.command, [...installed.given, port], {
    cwd: installed.folder,
    stdio: 'ignore',
    env: {
      PATH,
      HOME,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      UNLEASH_APP_NAME: SERVER,
      UNLEASH_SERVER_API_URL: `${service.url}/api`,
      UNLEASH_SERVER_API_TOKEN: CLIENT_TOKEN,
      UNLEASH_FRONTEND_API_URL: `${service.url}/api/frontend`,
      UNLEASH_FRONTEND_API_TOKEN: FRONTEND_TOKEN,
    },
  });
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  await flags.call('createFeature', {}, { name: FLAG.featureName });
  const payload = { type: 'string', value: 'blue' };
  const variants = [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default', payload }];
  await flags.call('addFeatureStrategy', FLAG, { name: 'default', constraints: [is('userId', '1')], variants });
  await untilTrue(() =>
    fetch(nextUrl).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
});

beforeEach(({ skip }) => skip(absence !== undefined, absence));

afterAll(async () => {
  await browser?.close();
  if (next) {
    const ended = once(next, 'exit');
    next.kill('SIGTERM');
    await ended;
  }
  removeInstalled();
});

const textOf = async (page: Page, id: string) => (await page.locator(`#${id}`).textContent()) ?? '';

/** Waits until the clients in the page show the text. */
async function show(page: Page, text: string): Promise<void> {
  for (const id of IN_BROWSER) await page.locator(`#${id}`, { hasText: text }).waitFor();
}

async function pageOf(user: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${nextUrl}/?user=${user}`);
  return page;
}

describe('a page with Unleash’s SDKs for Next.js and React, and OpenFeature’s provider for Unleash, unmodified', () => {
  it('follows a flag without being loaded again, for its users only', async () => {
    const [one, two] = [await pageOf('1'), await pageOf('2')];
    for (const page of [one, two]) {
      expect(await textOf(page, SERVER)).toBe('false disabled');
      await show(page, 'false disabled');
    }
    await flags.call('toggleFeatureEnvironmentOn', FLAG);
    await show(one, 'true blue');
    await one.reload();
    expect(await textOf(one, SERVER)).toBe('true blue');
    await show(one, 'true blue');
    await two.reload();
    expect(await textOf(two, SERVER)).toBe('false disabled');
    await show(two, 'false disabled');
    await flags.call('toggleFeatureEnvironmentOff', FLAG);
    await show(one, 'false disabled');
  });

  it('reports its use, each client under its own name', async () => {
    const page = await pageOf('1');
    await show(page, 'false disabled');
    const seen = async (): Promise<string[]> =>
      (await flags.call('getFeatureUsageSummary', { name: FLAG.featureName })).body.seenApplications;
    await untilTrue(async () => {
      const applications = await seen();
      return [SERVER, ...IN_BROWSER].every((name) => applications.includes(name));
    });
  });
});
