import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { ANSWER_BYTES_MAX, Prometheus, prometheusOf } from '../../../src/features/safeguards/prometheus.ts';
import { QueryRounds } from '../../../src/features/safeguards/query-checks.ts';
import { accepted } from '../../support/admin.ts';
import { type Receiver, startReceiver } from '../../support/http/receiver.ts';
import { at, PlanWorld } from '../../support/release-plans.ts';

/** Speaks the documented part of Prometheus's HTTP API; `prometheus.torture.ts` has a real one. */
let server: Receiver;
let folder: string;
/** Query → the answer's body, or what to do. */
const answers = new Map<string, unknown>();
let askedNow = 0;
let askedAtOnce = 0;

const vector = (...values: unknown[]) => ({
  status: 'success',
  data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1_700_000_000, value] })) },
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-queries-'));
  server = await startReceiver(({ body }, response) => {
    const answer = answers.get(new URLSearchParams(body).get('query') ?? '');
    if (typeof answer === 'function') answer(response);
    else {
      askedAtOnce = Math.max(askedAtOnce, ++askedNow);
      setImmediate(() => {
        askedNow--;
        response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? vector()));
      });
    }
  });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const signal = new AbortController().signal;

describe('a query', () => {
  it('is sent to one address, with the token of the file as it is then, and gives its number', async () => {
    const file = join(folder, 'token');
    const prometheus = new Prometheus(`${server.url}/prefix/`, file);
    answers.set('a&timeout=1h', vector('4.5'));
    for (const token of ['one', 'two']) {
      writeFileSync(file, `${token}\n`);
      expect(await prometheus.ask('a&timeout=1h', signal)).toEqual({ value: 4.5 });
      expect(server.received.at(-1)).toMatchObject({
        path: '/prefix/api/v1/query',
        headers: { authorization: `Bearer ${token}` },
        body: 'query=a%26timeout%3D1h&timeout=5000ms&limit=2',
      });
    }
    const before = server.received.length;
    for (const content of ['', 'two words', 'a\nb']) {
      writeFileSync(file, content);
      const answer = await prometheus.ask('a&timeout=1h', signal);
      expect(answer).toEqual({ problem: expect.stringContaining('PROMETHEUS_TOKEN_FILE') });
    }
    rmSync(file);
    expect(await prometheus.ask('a', signal)).toEqual({ problem: expect.stringContaining('there is no such file') });
    expect(server.received).toHaveLength(before);
  });

  it('gives a problem for every answer that is not one finite number', async () => {
    const prometheus = new Prometheus(server.url, '');
    for (const [answer, problem] of [
      [vector(), 'no series'],
      [vector('1', '2'), 'several series'],
      [vector('NaN'), 'not a number'],
      [vector('+Inf'), 'not a number'],
      [vector(''), 'not a number'],
      [vector(7), 'not a number'],
      [{ status: 'success', data: { resultType: 'matrix', result: [] } }, 'instant vector'],
      [{ status: 'success' }, 'instant vector'],
      [{ status: 'error', error: 'x'.repeat(10_000) }, 'refused the query: x'],
      ['<html>', 'not one of Prometheus'],
      ['null', 'not one of Prometheus'],
      ['x'.repeat(ANSWER_BYTES_MAX + 1), 'more than 65536 bytes'],
      [
        (response: { writeHead(status: number, headers?: object): { end(): void } }) => response.writeHead(500).end(),
        'status 500',
      ],
      [
        (response: { writeHead(status: number, headers?: object): { end(): void } }) =>
          response.writeHead(307, { location: `${server.url}/elsewhere` }).end(),
        'redirect',
      ],
      [(response: { destroy(): void }) => response.destroy(), 'cannot be asked'],
    ] as const) {
      answers.set('q', answer);
      const given = await prometheus.ask('q', signal);
      expect(given).toEqual({ problem: expect.stringContaining(problem) });
      expect('problem' in given ? given.problem.length : 0).toBeLessThan(300);
    }
    expect(server.received.some(({ path }) => path === '/elsewhere')).toBe(false);
  });

  it('ends with the service, and its deadline ends it too', async () => {
    answers.set('slow', () => {});
    const closing = new AbortController();
    const asked = new Prometheus(server.url, '').ask('slow', closing.signal);
    closing.abort();
    expect(await asked).toEqual({ problem: expect.any(String) });
    const late = await new Prometheus(server.url, '').ask('slow', signal);
    expect(late).toEqual({ problem: 'Prometheus did not answer in 5 s.' });
  });

  it('is asked once for all safeguards that have it, and four are asked at a time', async () => {
    const prometheus = new Prometheus(server.url, '');
    const queries = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    for (const [index, query] of queries.entries()) answers.set(query, vector(String(index)));
    const before = server.received.length;
    askedAtOnce = 0;
    const given = await new QueryRounds().ask([...queries, ...queries], { prometheus, signal });
    expect([given.size, server.received.length - before, askedAtOnce]).toEqual([20, 20, expect.any(Number)]);
    expect(askedAtOnce).toBeLessThanOrEqual(4);
    expect(given.get('many-7')).toEqual({ value: 7 });
    expect(await new QueryRounds().ask(['q'], { prometheus: null, signal })).toEqual(
      new Map([['q', { problem: expect.stringContaining('PROMETHEUS_URL') }]]),
    );
  });

  it('gets its turn, also when no round has time for all queries', async () => {
    const asked: string[] = [];
    // Every query uses the rest of the round.
    const ask = (query: string, end: AbortSignal) => {
      asked.push(query);
      return new Promise<{ value: number } | { problem: string }>((resolve) => {
        end.addEventListener('abort', () => resolve(query === 'q-0' ? { value: 1 } : { problem: 'cut off' }));
      });
    };
    const rounds = new QueryRounds(20);
    const queries = Array.from({ length: 10 }, (_, index) => `q-${index}`);
    const first = await rounds.ask(queries, { prometheus: { ask }, signal });
    expect(first.get('q-0')).toEqual({ value: 1 });
    for (const query of ['q-1', 'q-9'])
      expect(first.get(query)).toEqual({ problem: expect.stringMatching(/not asked/) });
    for (let round = 2; round <= 3; round++) await rounds.ask(queries, { prometheus: { ask }, signal });
    expect(asked.slice(0, 10).sort()).toEqual(queries);
    expect(asked.slice(10)).toEqual(['q-0', 'q-1']);
  });
});

it('the options are refused if the address has a password or a query, and if there is a token without an address', () => {
  const configOf = (env: object) => prometheusOf(readConfig(env as never));
  expect(configOf({})).toBeNull();
  expect(configOf({ PROMETHEUS_URL: 'http://localhost:9090/prometheus' })).toBeInstanceOf(Prometheus);
  for (const [env, problem] of [
    [{ PROMETHEUS_URL: 'http://user:hidden@localhost' }, /^PROMETHEUS_URL must not contain a password(?!.*hidden)/],
    [{ PROMETHEUS_URL: 'http://localhost/?query=up' }, /PROMETHEUS_URL/],
    [{ PROMETHEUS_URL: 'ftp://localhost' }, /PROMETHEUS_URL/],
    [{ PROMETHEUS_TOKEN_FILE: '/token' }, /PROMETHEUS_TOKEN_FILE needs PROMETHEUS_URL/],
  ] as const)
    expect(() => configOf(env)).toThrow(problem);
});

describe('a safeguard on a query', () => {
  let world: PlanWorld;

  beforeAll(async () => {
    world = await PlanWorld.start({ env: { PROMETHEUS_URL: server.url } });
  });

  afterAll(() => world.service.close());

  const condition = (query: string) => ({ query, operator: '<', threshold: 0.99, windowMinutes: 5 });
  const checks = async (name: string) =>
    (await accepted(world.service, 'getFeatureEnvironmentSafeguards', { params: at(name) })).body.checks;

  it('does nothing and says why without a number, and switches the flag off when the number passes the threshold', async () => {
    const name = await world.flagThatIsOn();
    await accepted(world.service, 'changeFeatureEnvironmentSafeguard', { params: at(name), body: condition('ratio') });
    for (const [answer, problem] of [
      [vector('NaN'), 'The value is not a number: NaN'],
      [vector('0', '0'), 'The query gives several series: sum them up, or select one.'],
    ] as const) {
      answers.set('ratio', answer);
      await world.advance(1);
      expect(await checks(name)).toMatchObject([{ value: null, problem }]);
    }
    answers.set('ratio', vector('0.99'));
    await world.advance(1);
    expect([await checks(name), (await world.settingsOf(name)).enabled]).toMatchObject([[{ value: 0.99 }], true]);
    answers.set('ratio', vector('0.98'));
    await world.advance(1);
    expect((await world.settingsOf(name)).enabled).toBe(false);
  });

  it('is compared again only a window after the flag was switched on again', async () => {
    answers.set('still bad', vector('0'));
    const name = await world.flagThatIsOn();
    await accepted(world.service, 'changeFeatureEnvironmentSafeguard', {
      params: at(name),
      body: condition('still bad'),
    });
    await world.advance(1);
    expect((await world.settingsOf(name)).enabled).toBe(false);
    await world.turn('On', name);
    await world.advance(4);
    expect((await world.settingsOf(name)).enabled).toBe(true);
    await world.advance(1);
    expect((await world.settingsOf(name)).enabled).toBe(false);
  });

  it('pauses a release plan, too', async () => {
    const own = await world.planned();
    answers.set('plan', vector('0.5'));
    await accepted(world.service, 'changeSafeguard', { params: own.params, body: condition('plan') });
    await world.advance(1);
    expect(await world.planOf(own.name)).toMatchObject({
      pauseReason: 'Safeguard: the query gave 0.5, < 0.99: plan',
      safeguards: [{ metricName: '', query: 'plan', triggeredValue: 0.5 }],
    });
  });
});
