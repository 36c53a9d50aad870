import { once } from 'node:events';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accepted, INVALID, refused } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import { CLIENT_TOKEN, startTestService, type TestService, useService } from '../../support/service.ts';

const service = useService();

/** The lines of the Prometheus page that come from impact metrics. */
async function metricLines(of: TestService = service): Promise<string[]> {
  const page = await fetch(`${of.url}/internal-backstage/prometheus`);
  const alone = await (await fetch(`${of.url}/internal-backstage/impact/metrics`)).text();
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect((await page.text()).endsWith(alone)).toBe(true);
  return alone.split('\n').filter((line) => line !== '');
}

const metric = (name: string, type: string, ...samples: readonly object[]) => ({
  name,
  help: `of ${name}`,
  type,
  samples,
});

const report = (impactMetrics: unknown, appName = 'shop', operationId = 'registerClientMetrics', of = service) =>
  accepted(of, operationId, { body: { appName, bucket: null, impactMetrics } });

const dropped = (of = service) => ({ ...of.running.services.impactMetrics.dropped });

describe('unleash-client, unmodified', () => {
  let client: Unleash;

  beforeEach(async () => {
    client = new Unleash({
      skipInstanceCountWarning: true,
      url: `${service.url}/api`,
      appName: 'node-app',
      customHeaders: { Authorization: CLIENT_TOKEN },
      refreshInterval: 3_600_000,
      metricsInterval: 3_600_000,
      storageProvider: { set: async () => {}, get: async () => undefined },
    });
    await once(client, UnleashEvents.Synchronized);
  });

  afterEach(() => endSdk(client));

  async function send(): Promise<void> {
    const sent = once(client, UnleashEvents.Sent);
    await client.flushMetrics();
    await sent;
  }

  it('reports counters, gauges and histograms with the states of flags, and the Prometheus page has the sums', async () => {
    const flags = new Flags(service);
    const name = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName: name, environment: 'development' });
    const fresh = once(client, UnleashEvents.Changed);
    await (client as unknown as { readonly repository: { fetch(): Promise<void> } }).repository.fetch();
    await fresh;
    const { impactMetrics } = client;
    impactMetrics.defineCounter('purchases', 'Things that were bought');
    impactMetrics.defineGauge('carts', 'Carts that are open');
    impactMetrics.defineHistogram('seconds', 'How long it took', [0.1, 1]);
    const flagContext = { flagNames: [name, 'no.such-flag'], context: {} };
    impactMetrics.incrementCounter('purchases', 2, flagContext);
    impactMetrics.updateGauge('carts', 7);
    impactMetrics.observeHistogram('seconds', 0.05);
    impactMetrics.observeHistogram('seconds', 0.5);
    await send();
    impactMetrics.incrementCounter('purchases', 3, flagContext);
    impactMetrics.updateGauge('carts', 4);
    impactMetrics.observeHistogram('seconds', 20);
    await send();
    const lines = await metricLines();
    const of = 'appName="node-app",environment="development"';
    const label = name.replace(/[^a-zA-Z0-9_]/g, '_');
    expect(lines).toContain('# HELP unleash_counter_purchases Things that were bought');
    expect(lines).toContain('# TYPE unleash_counter_purchases counter');
    const withFlags = [...of.split(','), `${label}="enabled"`, 'no_such_flag="disabled"'].sort().join();
    expect(lines).toContain(`unleash_counter_purchases{${withFlags}} 5`);
    expect(lines).toContain(`unleash_gauge_carts{${of}} 4`);
    expect(lines.filter((line) => line.startsWith('unleash_histogram_seconds'))).toEqual([
      `unleash_histogram_seconds_bucket{${of},le="0.1"} 1`,
      `unleash_histogram_seconds_bucket{${of},le="1"} 2`,
      `unleash_histogram_seconds_bucket{${of},le="+Inf"} 3`,
      `unleash_histogram_seconds_sum{${of}} 20.55`,
      `unleash_histogram_seconds_count{${of}} 3`,
    ]);
  });
});

describe('impact metrics', () => {
  it('have the environment and the application of their report, not those of their labels', async () => {
    const labels = { environment: 'production', appName: 'other', country: 'de "x"\\\n', le: '5', __name__: 'x', n: 7 };
    await report([metric('labelled', 'counter', { value: 1, labels })]);
    const text = 'appName="shop",country="de \\"x\\"\\\\\\n",environment="development",n="7"';
    expect(await metricLines()).toContain(`unleash_counter_labelled{${text}} 1`);
  });

  it('from relays have the application of their labels, and only the environment of the token', async () => {
    const before = dropped();
    const samples = [
      { value: 1, labels: { appName: 'a', environment: 'development' } },
      { value: 2, labels: { appName: 'b' } },
      { value: 4, labels: { appName: 'c', environment: 'production' } },
    ];
    for (const operationId of ['clientBulkMetrics', 'edgeBulkMetrics'])
      await accepted(service, operationId, { body: { impactMetrics: [metric('relayed', 'counter', ...samples)] } });
    expect((await metricLines()).filter((line) => line.startsWith('unleash_counter_relayed'))).toEqual([
      'unleash_counter_relayed{appName="a",environment="development"} 2',
      'unleash_counter_relayed{appName="b",environment="development"} 4',
    ]);
    expect(dropped().environment - before.environment).toBe(2);
  });

  it('from browsers have a label of their own, because frontend tokens are public', async () => {
    await report([metric('visits', 'counter', { value: 1 })]);
    await report([metric('visits', 'counter', { value: 5, labels: { origin: 'browser' } })]);
    await report([metric('visits', 'counter', { value: 70 })], 'shop', 'registerFrontendMetrics');
    expect((await metricLines()).filter((line) => line.startsWith('unleash_counter_visits'))).toEqual([
      'unleash_counter_visits{appName="shop",environment="development"} 6',
      'unleash_counter_visits{appName="shop",environment="development",origin="browser"} 70',
    ]);
  });

  it('are dropped and counted when they are invalid; the rest of the report is kept', async () => {
    const before = dropped();
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`l${at}`, 'x']));
    await report([
      metric('has space', 'counter', { value: 1 }),
      metric('n'.repeat(200), 'counter', { value: 1 }),
      metric('odd', 'summary', { value: 1 }),
      metric(
        'mixed',
        'counter',
        { value: -1 },
        { value: null },
        {},
        { value: 1e300 },
        { value: 1, labels: { ok: 'x' } },
      ),
      metric('labels', 'gauge', { value: 1, labels: many(30) }, { value: 1, labels: many(60) }),
      metric('long', 'gauge', {
        value: 1,
        labels: Object.fromEntries([...'abcdefgh'].map((l) => [l, 'v'.repeat(900)])),
      }),
      metric('h', 'histogram', { count: 1, sum: 1, buckets: [{ le: 'much', count: 1 }] }, { count: 1 }),
    ]);
    const after = dropped();
    expect([after.name - before.name, after.value - before.value, after.labels - before.labels]).toEqual([3, 6, 3]);
    const lines = await metricLines();
    expect(lines).toContain('unleash_counter_mixed{appName="shop",environment="development",ok="x"} 1');
    expect(lines.join('\n')).not.toMatch(
      /has space|unleash_summary|unleash_gauge_labels|unleash_gauge_long|histogram_h/,
    );
  });

  it('restart a histogram when its bounds change', async () => {
    const sample = (bounds: readonly number[]) => ({
      count: 2,
      sum: 3,
      buckets: bounds.map((le) => ({ le, count: 1 })),
    });
    await report([metric('bounds', 'histogram', sample([1, 5]))]);
    await report([metric('bounds', 'histogram', sample([5, 1]))]);
    expect(await metricLines()).toContain('unleash_histogram_bounds_count{appName="shop",environment="development"} 4');
    await report([metric('bounds', 'histogram', sample([1, 10]))]);
    const lines = (await metricLines()).filter((line) => line.startsWith('unleash_histogram_bounds'));
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toBe('unleash_histogram_bounds_count{appName="shop",environment="development"} 2');
  });

  it.each([
    ['an object instead of a list', { name: 'x' }],
    ['no samples', [{ name: 'x', help: 'x', type: 'counter' }]],
    ['a value that is not a number', [metric('x', 'counter', { value: 'much' })]],
    ['a list as labels', [metric('x', 'counter', { value: 1, labels: ['x'] })]],
  ])('are refused with %s', async (_what, impactMetrics) => {
    for (const operationId of ['registerClientMetrics', 'registerFrontendMetrics', 'clientBulkMetrics'])
      await refused(service, operationId, INVALID, { body: { appName: 'x', bucket: null, impactMetrics } });
  });

  it('are bounded in memory and on the page, and series without new reports are dropped after a day', async () => {
    const clock = new ManualClock();
    const flooded = await startTestService({ clock });
    try {
      const flood = (name: string, count: number) =>
        metric(name, 'counter', ...Array.from({ length: count }, (_, at) => ({ value: 1, labels: { at } })));
      const seen = () => flooded.running.services.impactMetrics.lines;
      await report([flood('page', 2_500)], 'page', 'registerFrontendMetrics', flooded);
      expect(seen()).toBe(2_000);
      for (let round = 0; round < 6; round++) await report([flood(`r${round}`, 2_000)], 'shop', undefined, flooded);
      expect([seen(), dropped(flooded).full]).toEqual([10_000, 500 + 4_000]);
      expect((await metricLines(flooded)).filter((line) => !line.startsWith('#'))).toHaveLength(10_000);
      clock.advance(25 * 3_600_000);
      await report([flood('new', 1)], 'shop', undefined, flooded);
      expect((await metricLines(flooded)).filter((line) => !line.startsWith('#'))).toEqual([
        'unleash_counter_new{appName="shop",at="0",environment="development"} 1',
      ]);
    } finally {
      clock.advance(60_000);
      await flooded.close();
    }
  });

  it('from browsers cannot use up the names of servers or replace their help texts', async () => {
    const clock = new ManualClock();
    const flooded = await startTestService({ clock });
    try {
      const of = (help: string, ...names: readonly string[]) =>
        names.map((name) => ({ name, help, type: 'counter', samples: [{ value: 1 }] }));
      await report(of('of a server', 'orders'), 'shop', undefined, flooded);
      const names = Array.from({ length: 1_200 }, (_, at) => `page_${at}`);
      await report(of('of a page', 'orders', ...names), 'page', 'registerFrontendMetrics', flooded);
      await report(of('of a server', 'late'), 'shop', undefined, flooded);
      const lines = await metricLines(flooded);
      expect(lines).toContain('# HELP unleash_counter_orders of a server');
      expect(lines).toContain('unleash_counter_late{appName="shop",environment="development"} 1');
      expect(lines.filter((line) => line.startsWith('# HELP unleash_counter_page_'))).toHaveLength(499);
    } finally {
      clock.advance(60_000);
      await flooded.close();
    }
  });
});

describe('with IMPACT_METRIC_NAMES=unleash-8', () => {
  const newer = useService({ env: { IMPACT_METRIC_NAMES: 'unleash-8' } });

  /** The lines of the page of impact metrics. The other page has none of them. */
  async function linesAlone(): Promise<string[]> {
    const text = await (await fetch(`${newer.url}/internal-backstage/impact/metrics`)).text();
    const lines = text.split('\n').filter((line) => line !== '');
    const all = (await (await fetch(`${newer.url}/internal-backstage/prometheus`)).text()).split('\n');
    expect(lines.filter((line) => all.includes(line))).toEqual([]);
    return lines;
  }

  it('names have no prefix, the labels say the kind, and labels of the application stay', async () => {
    const sample = { labels: { a: 'b' }, value: 3 };
    const own = { labels: { origin: 'mine', metric_type: 'own' }, value: 1 };
    await report([metric('purchases', 'counter', sample, own)], 'shop', undefined, newer);
    const buckets = [{ le: 1, count: 1 }];
    await report([metric('seconds', 'histogram', { sum: 2, count: 2, buckets })], 'shop', undefined, newer);
    const at = 'appName="shop",environment="development"';
    const labels = `{origin="sdk",metric_type="histogram",${at}`;
    expect(await linesAlone()).toEqual([
      '# HELP purchases of purchases',
      '# TYPE purchases counter',
      `purchases{origin="sdk",metric_type="counter",a="b",${at}} 3`,
      `purchases{${at},metric_type="own",origin="mine"} 1`,
      '# HELP seconds of seconds',
      '# TYPE seconds histogram',
      `seconds_bucket${labels},le="1"} 1`,
      `seconds_bucket${labels},le="+Inf"} 2`,
      `seconds_sum${labels}} 2`,
      `seconds_count${labels}} 2`,
    ]);
  });

  it('export one kind of a name, that of servers before that of browsers', async () => {
    const one = (type: string) => [metric('shared', type, { value: 1 })];
    await report(one('gauge'), 'page', 'registerFrontendMetrics', newer);
    const shared = async () => (await linesAlone()).filter((line) => line.includes('shared')).slice(1);
    const page = 'appName="page",environment="development"';
    expect(await shared()).toEqual(['# TYPE shared gauge', `shared{metric_type="gauge",${page},origin="browser"} 1`]);
    await report(one('counter'), 'shop', undefined, newer);
    await report(one('histogram'), 'shop', undefined, newer);
    expect(await shared()).toEqual([
      '# TYPE shared counter',
      'shared{origin="sdk",metric_type="counter",appName="shop",environment="development"} 1',
    ]);
  });
});
