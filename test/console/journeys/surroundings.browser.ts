import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { browserOf } from '../../support/people.ts';
import { ADMIN, useWorld } from '../support/world.ts';
import { ofFlag, paramsOf, prepareRows, prepareShared, ROWS } from './rows.ts';
import {
  also,
  click,
  DIALOG,
  environment,
  fill,
  like,
  miss,
  missText,
  PANEL,
  read,
  screen,
  see,
  submit,
} from './steps.ts';
import { WAYS, walk } from './ways.ts';

const world = useWorld();
let signedOn: Record<string, string>;

beforeAll(async () => {
  signedOn = await browserOf(world.service, ADMIN.id);
  await prepareShared(world.service);
  await prepareRows(world.service, (key) => [`${key}-zoomed`, `${key}-slow`], signedOn);
});

/** A window of 1280 × 900 with a zoom of 200 %. */
const ZOOMED = { width: 640, height: 450, deviceScaleFactor: 2, colorScheme: 'dark' } as const;

describe('with a zoom of 200 %, dark', () => {
  it.each(ROWS.map((row) => [row.title, row] as const))('%s', async (_title, { key, at, steps }) => {
    const flag = `${key}-zoomed`;
    const guarded = await world.browser.open(world.service.url, at(flag), { signedOn, ...ZOOMED });
    guarded.allow(404, 500);
    const { page } = guarded;
    await page.getByRole('heading', { level: 1 }).waitFor();
    const check = async () => {
      const width = await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth);
      expect(width, page.url()).toBeLessThanOrEqual(ZOOMED.width);
    };
    await walk({ page, service: world.service }, WAYS.pointer, steps(flag), check);
    await check();
  });
});

/** A network of a phone with a weak signal. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 100_000, uploadThroughput: 50_000 };
const OVER_A_SLOW_NETWORK = ['kept', 'planned'];

describe('over a slow network', () => {
  const rows = ROWS.filter(({ key }) => OVER_A_SLOW_NETWORK.includes(key));
  it.each(rows.map((row) => [row.title, row] as const))('%s', async (_title, { key, at, steps }) => {
    const flag = `${key}-slow`;
    const { page } = await world.browser.open(world.service.url, '/health', { signedOn });
    const session = await page.context().newCDPSession(page);
    await session.send('Network.emulateNetworkConditions', SLOW);
    await page.goto(world.service.url + at(flag));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await walk({ page, service: world.service }, WAYS.pointer, steps(flag));
  });
});

describe('without a network', () => {
  it('the page says so, keeps the draft, and continues when the network is back', async () => {
    const flag = 'offline';
    await accepted(world.service, 'createFeature', { params: { projectId: 'default' }, body: { name: flag } });
    const guarded = await world.browser.open(world.service.url, ofFlag(flag), { signedOn });
    guarded.allowOutages();
    const { page, context } = guarded;
    const development = environment('development');
    await walk({ page, service: world.service }, WAYS.pointer, [
      click('button', 'Add strategy', development),
      fill('Rollout', '33', PANEL),
      also(() => context.setOffline(true)),
      read(/^Burgee cannot be reached/),
      click('button', like('Review'), development),
      submit('Save', DIALOG),
      read(/cannot be reached/, DIALOG),
      also(() => context.setOffline(false)),
      missText(/^Burgee cannot be reached/),
      submit('Save', DIALOG),
      miss(DIALOG.role, DIALOG.name),
    ]);
    const { body } = await accepted(world.service, 'getFeatureStrategies', { params: paramsOf(flag, 'development') });
    expect(body).toMatchObject([{ parameters: { rollout: '33' } }]);
  });

  it('a screen whose code is not there yet is shown when the network is back', async () => {
    const guarded = await world.browser.open(world.service.url, '/projects', { signedOn });
    guarded.allowOutages();
    const { page, context } = guarded;
    await walk({ page, service: world.service }, WAYS.pointer, [
      see('link', 'Default'),
      also(() => context.setOffline(true)),
      screen('Playground'),
      read(/^Burgee cannot be reached/),
      also(async () => {
        expect(new URL(page.url()).pathname).toBe('/playground');
        await context.setOffline(false);
      }),
      see('heading', 'Playground'),
      missText(/^Burgee cannot be reached/),
      missText('A new version of this page is available.'),
    ]);
  });
});
