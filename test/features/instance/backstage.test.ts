import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { loggerTo, prettyLine } from '../../../src/base/logger.ts';
import { accepted } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, startTestService, useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

async function scrape({ url } = service, headers: Record<string, string> = {}): Promise<string> {
  return await (await fetch(`${url}/internal-backstage/prometheus`, { headers })).text();
}

/** The value of the sample with this name and these labels; undefined when the page has no such sample. */
function valueIn(page: string, name: string, labels = ''): number | undefined {
  const start = labels === '' ? `${name} ` : `${name}{${labels}} `;
  const line = page.split('\n').find((candidate) => candidate.startsWith(start));
  return line === undefined ? undefined : Number(line.slice(start.length));
}

const polls = (status: number) => `path="/api/client/features",method="GET",status="${status}"`;

async function poll(headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(`${service.url}/api/client/features`, {
    headers: { authorization: CLIENT_TOKEN, ...headers },
  });
  await answer.text();
  return answer;
}

describe('The metrics for Prometheus', () => {
  it('are in its format: each metric is declared once, before its samples, and no sample is there twice', async () => {
    await poll();
    const page = await scrape();
    expect(page.endsWith('\n')).toBe(true);
    const [stated, samples] = [new Set<string>(), new Set<string>()];
    let current = '';
    for (const line of page.trimEnd().split('\n')) {
      if (line.startsWith('# HELP ')) continue;
      if (line.startsWith('# TYPE ')) {
        const [, name = '', type = ''] = /^# TYPE (\S+) (counter|gauge|summary|histogram)$/.exec(line) ?? [];
        expect([name, type, stated.has(name)], line).toEqual([name, expect.stringMatching(/./), false]);
        stated.add(name);
        current = name;
      } else {
        const found =
          /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:_(?:sum|count|bucket))?(\{[^\n]*\})? (NaN|[+-]?Inf|-?[0-9.e+-]+)$/.exec(line);
        expect(found, line).not.toBeNull();
        expect(line.startsWith(current), line).toBe(true);
        const sample = line.slice(0, line.lastIndexOf(' '));
        expect(samples.has(sample), line).toBe(false);
        samples.add(sample);
      }
    }
    expect(stated.size).toBeGreaterThan(50);
  });

  it('count every poll by its status and time some of them, and time all other requests', async () => {
    const before = await scrape();
    const { headers } = await poll();
    for (let count = 0; count < 4; count++) await poll({ 'if-none-match': headers.get('etag') ?? '' });
    await poll({ authorization: '*:development.unknown' });
    await flags.create();
    const page = await scrape();
    const since = (labels: string) => {
      const name = 'http_request_duration_milliseconds_count';
      return (valueIn(page, name, labels) ?? 0) - (valueIn(before, name, labels) ?? 0);
    };
    expect(since(polls(401))).toBe(1);
    expect(since('path="/api/admin/projects/:projectId/features",method="POST",status="201"')).toBe(1);
    const { stats } = service.running.services.http();
    expect([...stats.texts()].join('')).toContain(`http_request_duration_milliseconds{${polls(200)},quantile="0.99"}`);
    expect(valueIn(page, 'http_request_duration_milliseconds_count', polls(200))).toBeGreaterThanOrEqual(2);
    // Polls that were answered 304 are exported after one of them was timed.
    for (let count = 0; count < 130; count++) await poll({ 'if-none-match': headers.get('etag') ?? '' });
    const etag = (await poll()).headers.get('etag') ?? '';
    for (let count = 0; count < 130; count++) await poll({ 'if-none-match': etag });
    expect(valueIn(await scrape(), 'http_request_duration_milliseconds_count', polls(304))).toBeGreaterThanOrEqual(134);
  });

  it('cover flags, their changes, their use, and SDKs, under the names that Unleash uses', async () => {
    const before = valueIn(await scrape(), 'feature_toggles_total', 'version="0.1.0"') ?? 0;
    const name = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName: name, environment: 'development' });
    const about = { appName: 'shop', instanceId: 'one', sdkVersion: 'unleash-client-go:4.1.0' };
    await accepted(service, 'registerClientApplication', { body: { ...about, strategies: ['default'] } });
    const bucket = { start: Date.now() - 1, stop: Date.now(), toggles: { [name]: { yes: 3, no: 1 } } };
    await accepted(service, 'registerClientMetrics', { body: { ...about, bucket } });
    await service.running.services.reportRecorder.flush();
    const page = await scrape();
    expect(valueIn(page, 'feature_toggles_total', 'version="0.1.0"')).toBe(before + 1);
    expect(valueIn(page, 'feature_toggle_update_total', `toggle="${name}",project="default"`)).toBe(2);
    const use = (active: boolean) => `toggle="${name}",active="${active}",appName="shop",environment="development"`;
    expect(valueIn(page, 'feature_toggle_usage_total', use(true))).toBe(3);
    expect(valueIn(page, 'feature_toggle_usage_total', use(false))).toBe(1);
    expect(valueIn(page, 'client_sdk_versions', 'sdk_name="unleash-client-go",sdk_version="4.1.0"')).toBe(1);
    expect(valueIn(page, 'burgee_revision')).toBe(service.running.services.state.seq);
    expect(valueIn(page, 'nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6);
    expect(valueIn(page, 'nodejs_eventloop_lag_max_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('are bounded: of very many names the first are exported, and dropped ones are counted', () => {
    const { flagStats } = service.running.services;
    const before = flagStats.dropped;
    for (let at = 0; at < 2_100; at++) flagStats.addRegistration(`sdk-${at}:1.0.0`);
    expect(flagStats.dropped - before).toBeGreaterThanOrEqual(100);
    const exported = [
      ...flagStats.texts({ showsProject: () => true, showsFlag: () => true, showsApplications: true }),
    ].filter((line) => line.startsWith('client_sdk_versions{'));
    expect(exported).toHaveLength(2_000);
  });
});

describe('Metrics that name private projects', () => {
  /** Changes and uses a flag of the project, and reports an impact metric labelled with it. Returns the name of the flag. */
  async function useIn(own: Flags, project: string): Promise<string> {
    const of = own.service;
    const featureName = await own.create({}, project);
    await own.call('toggleFeatureEnvironmentOn', { projectId: project, featureName, environment: 'development' });
    const bucket = { start: Date.now() - 1, stop: Date.now(), toggles: { [featureName]: { yes: 1, no: 0 } } };
    const samples = [{ labels: { [featureName]: 'on' }, value: 1 }];
    const impactMetrics = [{ name: 'sales', help: '', type: 'counter', samples }];
    const body = { appName: `app-of-${featureName}`, instanceId: 'one', bucket, impactMetrics };
    await accepted(of, 'registerClientMetrics', { body });
    await of.running.services.reportRecorder.flush();
    return featureName;
  }

  async function privateFlag(own: Flags): Promise<{ project: string; flag: string }> {
    const project = 'submarine';
    await accepted(own.service, 'createProject', { body: { id: project, name: project, mode: 'private' } });
    return { project, flag: await useIn(own, project) };
  }

  it('include the SDKs of applications: without a token they are shown only while no project is private', async () => {
    const own = await startTestService();
    try {
      const about = { appName: 'secret-app', instanceId: 'one', sdkVersion: 'unleash-client-cobol:7.7.7' };
      await accepted(own, 'registerClientApplication', { body: { ...about, strategies: [] } });
      expect(await scrape(own)).toContain('unleash-client-cobol');
      await accepted(own, 'createProject', { body: { id: 'submarine', name: 'submarine', mode: 'private' } });
      expect(await scrape(own)).not.toContain('unleash-client-cobol');
      await accepted(own, 'deleteProject', { params: { projectId: 'submarine' } });
      expect(await scrape(own)).toContain('unleash-client-cobol');
    } finally {
      await own.close();
    }
  });

  it('are left out of the page that anyone may read, also after the project was deleted', async () => {
    const open = await startTestService();
    const own = new Flags(open);
    const flag = await useIn(own, 'default');
    const labelled = `sales{appName="app-of-${flag}"`;
    expect(await scrape(open)).toContain(labelled);
    const inPrivate = await privateFlag(own);
    const page = await scrape(open);
    expect(page).toContain(`feature_toggle_update_total{toggle="${flag}",project="default"} 2`);
    expect(page).toContain(`feature_toggle_usage_total{toggle="${flag}"`);
    expect(page).not.toContain(labelled);
    const impact = await fetch(`${open.url}/internal-backstage/impact/metrics`);
    expect([impact.status, await impact.text()]).toEqual([200, '']);
    for (const name of Object.values(inPrivate)) expect(page).not.toContain(`"${name}"`);
    // The names stay left out after the deletion, although the service then no longer stores that the project was private.
    const params = { projectId: inPrivate.project };
    await accepted(open, 'archiveFeature', { params: { ...params, featureName: inPrivate.flag } });
    await accepted(open, 'deleteProject', { params });
    const after = await scrape(open);
    for (const name of Object.values(inPrivate)) expect(after).not.toContain(`"${name}"`);
    await open.close();
  });

  it('are sent to callers with the BACKSTAGE_TOKEN; when it is set, other callers get health and readiness only', async () => {
    const closed = await startTestService({ env: { BACKSTAGE_TOKEN: 'periscope-up' } });
    const { project, flag } = await privateFlag(new Flags(closed));
    for (const authorization of ['Bearer periscope-up', 'periscope-up']) {
      const page = await scrape(closed, { authorization });
      expect(page).toContain(`feature_toggle_update_total{toggle="${flag}",project="${project}"} 2`);
      expect(page).toContain(`feature_toggle_usage_total{toggle="${flag}"`);
      expect(page).toContain('unleash_counter_sales{');
    }
    for (const operationId of ['getGauges', 'getImpactMetrics']) {
      for (const token of [null, 'periscope', 'Bearer ', CLIENT_TOKEN, ADMIN_TOKEN])
        expect((await closed.call(operationId, { token })).status, `${operationId} ${token}`).toBe(401);
    }
    for (const operationId of ['getBackstageHealth', 'getBackstageReady', 'getHealth', 'getReady'])
      await accepted(closed, operationId);
    await closed.close();
  });
});

describe('The dashboard', () => {
  const file = readFileSync(new URL('../../../docs/operate/grafana-dashboard.json', import.meta.url), 'utf8');
  const { panels } = JSON.parse(file) as { readonly panels: { readonly targets: { readonly expr: string }[] }[] };
  const asked = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:burgee|http|feature|client|nodejs|process)_[a-z0-9_]+/g) ?? []),
  );

  /** Exported by replicas only, from `features/instance/operations/prometheus-page.ts` under the same names. */
  const OF_REPLICAS = [
    'burgee_lag_commits',
    'burgee_losses_total',
    'burgee_refills_total',
    'burgee_given_up_commits_total',
  ];

  it('uses only metrics that the service exports', async () => {
    const page = await scrape();
    const stated = new Set(page.match(/^# TYPE \S+/gm)?.map((line) => line.slice('# TYPE '.length)));
    const names = [
      ...new Set(asked.map((name) => name.replace(/^(http_request_duration_milliseconds)_(?:sum|count)$/, '$1'))),
    ];
    expect(names.length).toBeGreaterThan(20);
    const gauges = readFileSync(
      new URL('../../../src/features/instance/operations/prometheus-page.ts', import.meta.url),
      'utf8',
    );
    for (const name of OF_REPLICAS) expect(gauges).toContain(`'${name}'`);
    expect(names.filter((name) => !stated.has(name) && !OF_REPLICAS.includes(name))).toEqual([]);
  });
});

describe('The health paths of the relay', () => {
  it('report that the process is alive and ready', async () => {
    const [health, ready] = [
      await accepted(service, 'getBackstageHealth'),
      await accepted(service, 'getBackstageReady'),
    ];
    expect(health.body).toEqual({ health: 'GOOD', status: 'OK' });
    expect(ready.body).toMatchObject({ health: 'GOOD', status: 'READY' });
  });
});

describe('The log', () => {
  it('contains equal errors a few times, and then their number', () => {
    const lines: string[] = [];
    let nowMs = 0;
    const logger = loggerTo(
      'info',
      (line) => lines.push(line),
      () => nowMs,
    );
    for (let count = 0; count < 1_000; count++) logger.error({ id: count }, 'request failed');
    logger.error('another');
    for (let count = 0; count < 100; count++) logger.info({ count }, 'request failed');
    expect(lines.filter((line) => line.includes('"level":50'))).toHaveLength(21);
    expect(lines.filter((line) => line.includes('"level":30'))).toHaveLength(100);
    nowMs = 10_000;
    logger.error({ id: 'later' }, 'request failed');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ id: 'later', alike: 980, msg: 'request failed' });
  });

  it('is readable text in the pretty format, without secrets', () => {
    const lines: string[] = [];
    const logger = loggerTo(
      'debug',
      (line) => lines.push(prettyLine(line)),
      () => 0,
    );
    logger.warn({ token: '*:*.secret-text', route: '/x', of: { password: 'secret-text' }, n: 3 }, 'it is late');
    logger.error({ err: new Error('broken') }, 'it failed');
    expect(lines[0]).toMatch(
      /^\d{4}-\S+Z WARN {2}it is late token=\[Redacted\] route=\/x of=\{"password":"\[Redacted\]"\} n=3\n$/,
    );
    expect(lines[1]).toMatch(/^\S+ ERROR it failed\n {4}Error: broken\n {8}at /);
    expect(lines.join('')).not.toContain('secret-text');
  });
});
