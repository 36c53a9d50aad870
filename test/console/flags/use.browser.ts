import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted, prepare } from '../../support/admin.ts';
import { browserOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { expectAccessible } from '../support/axe.ts';
import { ReportingSdk, reportAs } from '../support/reporting-sdk.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const DEVELOPMENT = { projectId: 'default', environment: 'development' };
const FLAG = { ...DEVELOPMENT, featureName: 'banner' };
let signedOn: Record<string, string>;
let sdk: ReportingSdk;

beforeAll(async () => {
  const { service } = world;
  signedOn = await browserOf(service, ADMIN.id);
  await accepted(service, 'createFeature', { params: DEVELOPMENT, body: { name: 'banner' } });
  // Counts from before the creation of a flag are those of an earlier flag with its name.
  await prepare(service, (draft) => {
    const flag = draft.get('features', 'banner');
    if (!flag) throw new Error('the flag is missing');
    draft.put('features', { ...flag, createdAt: new Date(Date.now() - 3 * 86_400_000).toISOString() });
  });
  const variant = { weight: 500, weightType: 'variable', stickiness: 'userId' };
  const parameters = { rollout: '50', stickiness: 'userId', groupId: 'banner' };
  const variants = [
    { ...variant, name: 'blue' },
    { ...variant, name: 'green' },
  ];
  const constraints = [{ contextName: 'appName', operator: 'IN', values: ['web-shop', 'a', 'b', 'c'] }];
  const body = { name: 'flexibleRollout', parameters, variants, constraints };
  await accepted(service, 'addFeatureStrategy', { params: FLAG, body });
  await accepted(service, 'toggleFeatureEnvironmentOn', { params: FLAG });
  sdk = await ReportingSdk.start(service.url, CLIENT_TOKEN, 'web-shop');
});
afterAll(() => sdk?.end());

const open = async (search = '', name = 'banner') =>
  (await world.browser.open(world.service.url, `/projects/default/features/${name}/metrics${search}`, { signedOn }))
    .page;

interface Report {
  readonly appName: string;
  readonly environment: string;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
}
const reports = async (hoursBack = 48): Promise<Report[]> =>
  (
    await accepted(world.service, 'getRawFeatureMetrics', {
      params: { name: 'banner' },
      query: `hoursBack=${hoursBack}`,
    })
  ).body.data;
const sum = (list: readonly Report[], of: (report: Report) => number) =>
  list.reduce((total, one) => total + of(one), 0);

const card = (page: Page) => page.getByRole('region', { name: 'development' }).first();

/** The numbers of the title of a bar together. */
const sumOf = (title: string) =>
  [...title.matchAll(/(\d+) o(?:n|ff)/g)].reduce((total, [, count]) => total + Number(count), 0);

describe('the use of a flag', () => {
  it('says where nothing was reported', async () => {
    await accepted(world.service, 'createFeature', { params: DEVELOPMENT, body: { name: 'untouched' } });
    const page = await open('', 'untouched');
    await page.getByText('No SDK has reported this flag in this period.').waitFor();
  });

  it('has the counts of an SDK, in total, by hour, by variant and by application', async () => {
    const yes = sdk.ask('banner', 40);
    const given = sdk.askVariant('banner', 60);
    await sdk.report();
    await reportAs(world.service, {
      appName: 'night-job',
      instanceId: 'n',
      sdkVersion: 'unleash-client-python:6.0.0',
      hoursAgo: 5,
      flags: { banner: { yes: 0, no: 7 } },
    });
    const data = await reports();
    const [on, off] = [sum(data, (one) => one.yes), sum(data, (one) => one.no)];
    // What the SDK found itself.
    const withVariant = 60 - (given.get('disabled') ?? 0);
    expect([on, off]).toEqual([yes + withVariant, 40 - yes + 60 - withVariant + 7]);

    const page = await open();
    await card(page).getByText(`${on} on`, { exact: true }).waitFor();
    await card(page).getByText(`${off} off`, { exact: true }).waitFor();
    const chart = page.getByRole('img', { name: `Use in development: ${on} times on, ${off} times off` });
    await chart.waitFor();
    expect(await chart.locator('g').count()).toBe(48);
    const titles = await chart.locator('title').allTextContents();
    const used = titles.filter((title) => !title.endsWith('0 on, 0 off'));
    expect(used).toHaveLength(2);
    expect(used[0]).toContain('0 on, 7 off');
    expect(used[1]).toContain(`${on} on, ${off - 7} off`);
    const figure = await page.getByRole('figure').filter({ has: chart }).innerText();
    const [top = '', half, zero, ...times] = figure.split('\n').filter((text) => text.trim() !== '');
    const highest = Math.max(...used.map((title) => sumOf(title)));
    expect([Number(top) >= highest, Number(half) * 2, zero]).toEqual([true, Number(top), '0']);
    expect(times).toHaveLength(3);
    expect(titles.at(-1)?.startsWith(times.at(-1) ?? '?')).toBe(true);
    for (const name of ['blue', 'green']) {
      const count = sum(data, ({ variants }) => variants[name] ?? 0);
      expect(count).toBe(given.get(name));
      expect(await card(page).getByRole('listitem').filter({ hasText: name }).innerText()).toContain(`${count} ·`);
    }
    const row = page.getByRole('row').filter({ hasText: 'night-job' });
    expect(await row.getByRole('gridcell').allInnerTexts()).toEqual([
      'night-job',
      'development',
      '0',
      '7',
      expect.stringMatching(/^\d+ \w+, \d\d:00$/),
    ]);
    await expectAccessible(page, 'the use of a flag');
  });

  it('is by day over a longer period, and of one application, as the address says', async () => {
    const page = await open('?period=720&application=night-job');
    await card(page).getByText('7 off', { exact: true }).waitFor();
    const chart = page.getByRole('img', { name: /^Use in development/ });
    expect(await chart.locator('g').count()).toBe(30);
    expect(sum(await reports(720), ({ no }) => no)).toBeGreaterThan(7);
    await page.getByRole('radio', { name: '91 days' }).check({ force: true });
    await expect.poll(() => chart.locator('g').count()).toBe(91);
    expect(new URL(page.url()).searchParams.get('period')).toBe('2184');
  });

  it('is current again when it is read again', async () => {
    const page = await open();
    await page.getByRole('row').filter({ hasText: 'web-shop' }).waitFor();
    await reportAs(world.service, {
      appName: 'late',
      instanceId: 'l',
      sdkVersion: 'unleash-client-node:6.12.1',
      flags: { banner: { yes: 3, no: 0 } },
    });
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByRole('row').filter({ hasText: 'late' }).waitFor();
  });
});

const stages = async () =>
  (await accepted(world.service, 'getFeatureLifecycle', { params: FLAG })).body as { stage: string; status?: string }[];

describe('the lifecycle of a flag', () => {
  it('is completed with the variant that was kept, and taken back', async () => {
    const page = await open();
    const list = page.getByRole('list').filter({ hasText: 'Used in production' });
    await list.getByText('Created').waitFor();
    // Use in development only.
    expect((await stages()).at(-1)?.stage).toBe('pre-live');
    expect(await page.locator('[aria-current="step"]').innerText()).toContain('Used outside of production');

    await page.getByRole('button', { name: 'Complete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('SDKs used it in the last two hours.').waitFor();
    await dialog.getByRole('combobox', { name: 'The variant that was kept' }).click();
    await page.getByRole('option', { name: 'green' }).click();
    await expectAccessible(page, 'the completion of a flag');
    await dialog.getByRole('button', { name: 'Complete', exact: true }).click();
    await page.getByText('The feature was kept').waitFor();
    expect((await stages()).at(-1)).toMatchObject({ stage: 'completed', status: 'kept' });
    const { body } = await accepted(world.service, 'getEvents', { query: 'limit=1' });
    expect(body.events[0]).toMatchObject({ type: 'feature-completed', data: { status: 'kept', statusValue: 'green' } });

    await page.getByRole('button', { name: 'Not completed after all' }).click();
    await page.getByRole('button', { name: 'Complete…' }).waitFor();
    expect((await stages()).at(-1)?.stage).toBe('pre-live');
  });

  it('cannot be completed by a viewer, who reads why', async () => {
    await putUser(world.service, 300, { username: 'vera', email: 'vera@example.org', name: 'Vera', rootRole: 3 });
    const viewer = await browserOf(world.service, 300);
    const address = '/projects/default/features/banner/metrics';
    const { page } = await world.browser.open(world.service.url, address, { signedOn: viewer });
    const button = page.getByRole('button', { name: 'Complete…', description: 'Needs UPDATE_FEATURE in default' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
  });
});

describe('the cost of a flag', () => {
  it('is what a write measures, beside the limits', async () => {
    const { measures, strategies } = (await accepted(world.service, 'getFeatureEnvironment', { params: FLAG })).body;
    const { resourceLimits } = (await accepted(world.service, 'getUiConfig')).body;
    const page = await open();
    const meter = (name: string) => page.getByRole('meter', { name: `${name} in development`, exact: true });
    await meter('Evaluation').waitFor();
    const shown = async (name: string) => ({
      value: Number(await meter(name).getAttribute('aria-valuenow')),
      limit: Number(await meter(name).getAttribute('aria-valuemax')),
    });
    expect(await shown('Evaluation')).toEqual(measures.evaluationCost);
    expect(await shown('Conditions')).toEqual(measures.expressionCost);
    expect(await shown('Size for SDKs')).toEqual(measures.featureBytes);
    expect(await shown('Stored size')).toEqual(measures.storedFeatureBytes);
    expect(await shown('Strategies')).toEqual({ value: 1, limit: resourceLimits.featureEnvironmentStrategies });
    expect(await shown('Values')).toEqual({ value: 4, limit: resourceLimits.constraintValues });

    // A change by another person is seen at once, and a list near its limit is marked.
    const constraints = [
      { contextName: 'userId', operator: 'IN', values: Array.from({ length: 240 }, (_, index) => `user-${index}`) },
    ];
    const params = { ...FLAG, strategyId: strategies[0].id };
    const written = await accepted(world.service, 'updateFeatureStrategy', {
      params,
      body: { ...strategies[0], constraints },
    });
    await expect.poll(() => shown('Size for SDKs')).toEqual(written.body.measures.featureBytes);
    const near = page.getByRole('listitem').filter({ has: meter('Values') });
    await near.getByText('240 of 250 · 96% · near the limit').waitFor();
  });

  it('is read when an environment is opened, where a flag has many', async () => {
    const { service } = world;
    const params = { projectId: 'wide' };
    await accepted(service, 'createProject', { body: { id: 'wide', name: 'Wide' } });
    for (let index = 1; index <= 4; index++) {
      const environment = `wide-${index}`;
      await accepted(service, 'createEnvironment', { body: { name: environment, type: 'test' } });
      await accepted(service, 'addEnvironmentToProject', { params, body: { environment } });
    }
    await accepted(service, 'createFeature', { params, body: { name: 'broad' } });
    const { page } = await world.browser.open(service.url, '/projects/wide/features/broad', { signedOn });
    const asked: string[] = [];
    let flagReads = 0;
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const environment = /\/features\/broad\/environments\/([^/]+)$/.exec(pathname)?.[1];
      if (environment) asked.push(environment);
      if (pathname.endsWith('/projects/wide/features/broad')) flagReads++;
    });
    await page.goto(`${service.url}/projects/wide/features/broad/metrics`);
    const card = page.getByRole('region', { name: 'Cost in wide-2' });
    await card.getByRole('heading', { name: 'wide-2' }).click();
    await card.getByRole('meter').first().waitFor();
    expect(asked).toEqual(['wide-2']);
    await expectAccessible(page, 'the cost in many environments');
    // A commit to a segment may change the measures: only what is open is read again.
    const before = flagReads;
    await accepted(service, 'createSegment', { body: { name: 'unused', constraints: [] } });
    await expect.poll(() => flagReads).toBeGreaterThan(before);
    await expect.poll(() => asked.length).toBe(2);
    expect(asked).toEqual(['wide-2', 'wide-2']);
  });

  it('is shown in the review of a change, before it is saved', async () => {
    const address = '/projects/default/features/banner';
    const { page } = await world.browser.open(world.service.url, address, { signedOn });
    const development = page.getByRole('region', { name: 'development' });
    await development.getByRole('switch', { name: 'banner in development' }).waitFor();
    await development.getByRole('button', { name: 'Add strategy' }).click();
    await development.getByRole('button', { name: 'Review' }).click();
    const dialog = page.getByRole('dialog');
    const line = dialog.getByText('Nearest limit:');
    await line.waitFor();
    const said = await line.innerText();
    const nearest = async () => {
      const { measures } = (await accepted(world.service, 'getFeatureEnvironment', { params: FLAG })).body;
      const shares = Object.values<{ value: number; limit: number }>(measures).map(({ value, limit }) => value / limit);
      return `${Number((100 * Math.max(...shares)).toFixed(1))}%`;
    };
    expect(said).toContain(`(${await nearest()} before)`);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(said).toContain(`is ${await nearest()} of what is allowed`);
  });
});
