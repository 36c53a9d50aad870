import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Prometheus } from '../../../src/features/safeguards/prometheus.ts';
import { Fleet, type ReplicaProcess } from '../../replicas/fleet.ts';
import { PrometheusServer } from '../../support/programs/prometheus.ts';
import { until, untilTrue } from '../../support/until.ts';

const ADMIN = '*:*.test-admin';
const CLIENT = '*:development.test-client';
const PROJECT = '/api/admin/projects/default';

let prometheus: PrometheusServer;

beforeAll(async () => {
  prometheus = await PrometheusServer.start();
});

afterAll(() => prometheus?.dispose());

describe('a real Prometheus', () => {
  it('gives one number, or a problem in words', async () => {
    const asked = new Prometheus(prometheus.url, '');
    const ask = (query: string) => asked.ask(query, new AbortController().signal);
    expect(await ask('vector(3) * 2')).toEqual({ value: 6 });
    expect(await ask('5')).toEqual({ value: 5 });
    for (const [query, problem] of [
      ['no_such_metric', 'gives no series'],
      ['label_replace(vector(1), "a", "b", "", "") or vector(2)', 'several series'],
      ['vector(0) / vector(0)', 'not a number: NaN'],
      ['vector(1) / vector(0)', 'not a number: +Inf'],
      ['up[5m]', 'instant vector'],
      ['"text"', 'instant vector'],
      ['sum(', 'refused the query: invalid parameter'],
    ] as const)
      expect(await ask(query), query).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe('a safeguard on a query, with two replicas', () => {
  let fleet: Fleet;

  beforeAll(async () => {
    const env = { INIT_ADMIN_API_TOKENS: ADMIN, INIT_CLIENT_API_TOKENS: CLIENT, PROMETHEUS_URL: prometheus.url };
    fleet = await Fleet.start(2, env);
  });

  afterAll(() => fleet?.dispose());

  const made = async (replica: ReplicaProcess, method: string, path: string, body?: unknown, token = ADMIN) => {
    const answer = await replica.call(method, path, { body, headers: { authorization: token } });
    expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
    return answer.json;
  };

  it('switches the flag off once when what Prometheus has scraped passes the threshold', async () => {
    const [first, second] = [fleet.at(0), fleet.at(1)];
    prometheus.observe([new URL(first.url).host]);
    await made(first, 'POST', `${PROJECT}/features`, { name: 'checkout' });
    const development = `${PROJECT}/features/checkout/environments/development`;
    await made(first, 'POST', `${development}/on`);
    const query = 'sum({__name__=~"unleash_counter_failed_orders|failed_orders"})';
    const body = { query, operator: '>', threshold: 20, windowMinutes: 5 };
    await made(first, 'PUT', `${development}/safeguards`, body);
    const checksAt = async (replica: ReplicaProcess) =>
      (await made(replica, 'GET', `${development}/safeguards`)).checks;
    for (const replica of fleet.replicas)
      await until(
        () => checksAt(replica),
        ([check]) => check?.problem === 'The query gives no series.',
      );
    const samples = [{ value: 25, labels: {} }];
    const impactMetrics = [{ name: 'failed_orders', help: 'Failed orders', type: 'counter', samples }];
    await made(first, 'POST', '/api/client/metrics', { appName: 'shop', bucket: null, impactMetrics }, CLIENT);
    const isOn = async (replica: ReplicaProcess) => (await made(replica, 'GET', development)).enabled;
    for (const replica of [first, second]) await untilTrue(async () => !(await isOn(replica)), 'the flag is off');
    // The next check of each replica has nothing to compare: the flag is off.
    for (const replica of fleet.replicas)
      await until(
        () => checksAt(replica),
        (checks) => checks.length === 0,
      );
    await fleet.expectAgreement();
    const { events } = await made(second, 'GET', '/api/admin/search/events?feature=IS:checkout&limit=100');
    const counted = (type: string) => events.filter((event: { type: string }) => event.type === type);
    const reason = `Safeguard: the query gave 25, > 20: ${query}`;
    expect(counted('feature-environment-safeguard-tripped')).toMatchObject([{ createdBy: 'burgee', reason }]);
    expect(counted('feature-environment-disabled')).toMatchObject([{ createdBy: 'burgee', reason }]);
  });
});
