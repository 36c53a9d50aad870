import { once } from 'node:events';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { accepted, FORBIDDEN, INVALID, MISSING, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { BrowserStream } from '../../support/http/browser-stream.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, useFreshService } from '../../support/service.ts';
import { untilNextMillisecond } from '../../support/until.ts';

const service = useFreshService();
let flags: Flags;
const clients: Unleash[] = [];
const browsers: BrowserStream[] = [];

beforeEach(async () => {
  flags = new Flags(service);
});

afterEach(async () => {
  for (const client of clients.splice(0)) endSdk(client);
  for (const browser of browsers.splice(0)) browser.close();
});

type Mode = ConstructorParameters<typeof Unleash>[0]['experimentalMode'];

async function startClient(appName: string, experimentalMode: NonNullable<Mode>): Promise<Unleash> {
  const client = new Unleash({
    skipInstanceCountWarning: true,
    url: `${service.url}/api`,
    appName,
    customHeaders: { Authorization: CLIENT_TOKEN },
    refreshInterval: 50,
    metricsInterval: 3_600_000,
    experimentalMode,
    storageProvider: { set: async () => {}, get: async () => undefined },
  });
  clients.push(client);
  client.on(UnleashEvents.Error, () => {});
  const registered = once(client, UnleashEvents.Registered);
  await once(client, UnleashEvents.Synchronized);
  await registered;
  return client;
}

const spread = async (revision: number | string, of = service) =>
  (await accepted(of, 'getPropagation', { params: { revision } })).body;

/** Creates a flag and switches it on. Returns the revision, and the share that it reached if the write waited. */
async function change(
  headers: Record<string, string> = {},
  projectId = 'default',
): Promise<{ revision: number; reached: string | null }> {
  const featureName = await flags.create({}, projectId);
  const params = { projectId, featureName, environment: 'development' };
  const answer = await accepted(service, 'toggleFeatureEnvironmentOn', { params, headers });
  return { revision: Number(answer.headers.get('burgee-revision')), reached: answer.headers.get('burgee-propagated') };
}

/** A minimal SDK that polls when the test calls `poll`. */
class Sdk {
  etag = '';
  readonly #id: string;
  readonly #appName: string;
  readonly #path: string;

  constructor(id: string, appName: string, path = '/api/client/features') {
    this.#id = id;
    this.#appName = appName;
    this.#path = path;
  }

  register = () =>
    accepted(service, 'registerClientApplication', { body: { appName: this.#appName, connectionId: this.#id } });

  async poll(): Promise<number> {
    const headers = {
      authorization: CLIENT_TOKEN,
      'unleash-connection-id': this.#id,
      'unleash-appname': this.#appName,
    };
    const known: Record<string, string> = this.etag === '' ? {} : { 'if-none-match': this.etag };
    const answer = await fetch(service.url + this.#path, { headers: { ...headers, ...known } });
    await answer.text();
    this.etag = answer.headers.get('etag') ?? this.etag;
    return answer.status;
  }
}

async function browser(query: string): Promise<BrowserStream> {
  const stream = await BrowserStream.open(service.url, query, { authorization: FRONTEND_TOKEN });
  browsers.push(stream);
  await stream.until(() => stream.stream.events.length > 0);
  return stream;
}

async function sdk(id: string, appName = 'shop', path?: string): Promise<Sdk> {
  const made = new Sdk(id, appName, path);
  await made.register();
  await made.poll();
  return made;
}

const modes: readonly [string, NonNullable<Mode>][] = [
  ['polling', { type: 'polling', format: 'full' }],
  ['polling the delta', { type: 'polling', format: 'delta' }],
  ['streaming', { type: 'streaming' }],
];

describe.each(modes)('unleash-client, unmodified, %s', (_, mode) => {
  it('counts as up to date after it received a change, with the time that this took', async () => {
    await startClient('by-itself', mode);
    const { revision, reached } = await change({ 'burgee-wait': '100%; timeout=25' });
    expect(reached).toBe('100%');
    const known = await spread(revision);
    expect(known).toMatchObject({ revision, connected: 1, concerned: 1, have: 1, unknown: 0, share: 1, lagging: [] });
    expect(known.tookMs).toMatchObject({ connections: 1, last: expect.any(Number) });
    expect(known.tookMs.p50).toBe(known.tookMs.last);
  });
});

describe('The propagation of a revision', () => {
  it('lists the lagging applications until they receive it', async () => {
    const [quick, slow] = [await sdk('1'), await sdk('2', 'slow')];
    const before = (await change()).revision;
    for (const one of [quick, slow]) expect(await one.poll()).toBe(200);
    const { revision } = await change();
    expect(await quick.poll()).toBe(200);
    expect(await spread(revision)).toMatchObject({
      connected: 2,
      concerned: 2,
      have: 1,
      share: 0.5,
      lagging: [{ appName: 'slow', environment: 'development', connections: 1, revision: before }],
    });
    expect(await spread(before)).toMatchObject({ have: 2, lagging: [] });
    expect(await slow.poll()).toBe(200);
    expect(await spread('latest')).toMatchObject({
      revision,
      have: 2,
      share: 1,
      lagging: [],
      tookMs: { connections: 2 },
    });
  });

  it('ignores an ETag of another history', async () => {
    const one = new Sdk('1', 'shop');
    await one.register();
    const before = (await change()).revision;
    one.etag = '"76d8bb0e:150000"';
    expect(await one.poll()).toBe(200);
    expect(await spread(before)).toMatchObject({ have: 1, lagging: [] });
    const { revision } = await change();
    expect(await spread(revision)).toMatchObject({
      concerned: 1,
      have: 0,
      lagging: [{ appName: 'shop', environment: 'development', connections: 1, revision: before }],
    });
  });

  it('records nothing for polls without an ETag or with the newest one', async () => {
    const one = await sdk('1');
    await change();
    await one.poll();
    const receipts = () => service.running.services.propagation.receipts;
    const before = receipts();
    for (let count = 0; count < 5; count++) expect(await one.poll()).toBe(304);
    one.etag = '';
    expect(await one.poll()).toBe(200);
    expect(receipts()).toBe(before);
  });

  it('concerns only the SDKs that see the change', async () => {
    await sdk('1');
    const featureName = await flags.create();
    const params = { projectId: 'default', featureName, environment: 'production' };
    const headers = { 'burgee-wait': '100%' };
    const elsewhere = await accepted(service, 'toggleFeatureEnvironmentOn', { params, headers });
    expect(elsewhere.headers.get('burgee-propagated')).toBe('100%');
    const revision = Number(elsewhere.headers.get('burgee-revision'));
    expect(await spread(revision)).toMatchObject({ connected: 1, concerned: 0, have: 0, share: 1, tookMs: null });
  });

  it('counts an SDK that connected after the revision as unknown', async () => {
    const { revision } = await change();
    await untilNextMillisecond();
    await sdk('late');
    expect(await spread(revision)).toMatchObject({ connected: 1, concerned: 0, unknown: 1, share: 1, lagging: [] });
    // The next list that it receives is recorded, and includes every earlier revision.
    const late = new Sdk('without-a-report', 'shop');
    await late.poll();
    const next = await change();
    await late.poll();
    expect(await spread(revision)).toMatchObject({ connected: 2, concerned: 1, have: 1, unknown: 1, tookMs: null });
    expect(await spread(next.revision)).toMatchObject({ concerned: 2, have: 1, tookMs: { connections: 1 } });
  });

  it('is available for recorded revisions only, and not for client tokens', async () => {
    const { revision } = await change();
    await refused(service, 'getPropagation', MISSING, { params: { revision: revision + 1 } });
    await refused(service, 'getPropagation', MISSING, { params: { revision: 0 } });
    await refused(service, 'getPropagation', INVALID, { params: { revision: 'soon' } });
    await refused(service, 'getPropagation', UNAUTHENTICATED, { params: { revision }, token: null });
    await refused(service, 'getPropagation', FORBIDDEN, { params: { revision }, token: CLIENT_TOKEN });
  });

  it('excludes projects that the caller cannot see', async () => {
    const { propagation } = service.running.services;
    await sdk('1');
    const { revision } = await change();
    expect(await propagation.spread(revision, SERVICE, (project) => project !== 'default')).toMatchObject({
      concerned: 0,
    });
    expect(await propagation.spread(revision, SERVICE, (project) => project === 'default')).toMatchObject({
      concerned: 1,
    });
  });
});

describe.each([
  ['/api/client/features?project=default', 'other'],
  ['/api/client/delta?project=default', 'other'],
  ['/api/client/features?namePrefix=mine', 'default'],
  ['/api/client/delta?namePrefix=mine', 'default'],
])('An SDK that polls %s', (path, changed) => {
  const receipts = () => service.running.services.propagation.receipts;
  const elsewhere = (headers?: Record<string, string>) => change(headers, changed);

  beforeEach(() => accepted(service, 'createProject', { body: { id: 'other', name: 'other' } }));

  it('is up to date with a change elsewhere after its next poll, and a waiting write is answered then', async () => {
    const one = await sdk('1', 'shop', path);
    await elsewhere();
    expect(await one.poll()).toBe(304);
    let isAnswered = false;
    const waiting = elsewhere({ 'burgee-wait': '100%; timeout=25' }).finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) expect(await one.poll()).toBe(304);
    const { revision, reached } = await waiting;
    expect(reached).toBe('100%');
    const known = { connected: 1, concerned: 1, have: 1, unknown: 0, lagging: [], tookMs: { connections: 1 } };
    expect(await spread(revision)).toMatchObject(known);
  });

  it('lags until it has polled, and is recorded once per revision', async () => {
    const one = await sdk('1', 'shop', path);
    const { revision } = await elsewhere();
    expect(await one.poll()).toBe(304);
    const next = await elsewhere();
    expect(await spread(next.revision)).toMatchObject({ have: 0, lagging: [{ appName: 'shop', revision }] });
    const before = receipts();
    for (let count = 0; count < 5; count++) expect(await one.poll()).toBe(304);
    expect(receipts()).toBe(before + 1);
  });

  it('counts with each list that it receives, even if it connected after the revision', async () => {
    const { revision } = await elsewhere();
    await untilNextMillisecond();
    const one = await sdk('1', 'shop', path);
    expect(await spread(revision)).toMatchObject({ have: 0, unknown: 1 });
    expect(await one.poll()).toBe(304);
    expect(await spread(revision)).toMatchObject({ have: 1, unknown: 0, tookMs: null });
    await flags.call('createFeature', {}, { name: 'mine' });
    const { revision: newest } = await elsewhere();
    expect(await one.poll()).toBe(200);
    expect(await spread(newest)).toMatchObject({ have: 1, lagging: [], tookMs: { connections: 1 } });
  });
});

describe('Streams of browsers', () => {
  it('are counted, even when a change does not alter their flags', async () => {
    const stream = await browser('userId=7&appName=web');
    const { revision } = await change({ 'burgee-wait': '100%; timeout=25' });
    const featureName = await flags.createFor([{ contextName: 'userId', operator: 'IN', values: ['8'] }]);
    const silent = (await flags.call('updateFeature', { featureName }, { impressionData: true })).headers;
    const latest = Number(silent.get('burgee-revision'));
    while ((await spread(latest)).have < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(stream.names).not.toContain(featureName);
    expect(await spread(revision)).toMatchObject({ connected: 1, concerned: 1, have: 1, share: 1 });
    expect(await spread(latest)).toMatchObject({ concerned: 1, have: 1, tookMs: { connections: 1 }, lagging: [] });
  });

  it('are no longer counted after they end', async () => {
    const quick = await sdk('1');
    const stream = await browser('userId=7');
    await change({ 'burgee-wait': '50%; timeout=25' });
    const { propagation } = service.running.services;
    expect(propagation.open()).toBe(2);
    await quick.poll();
    stream.close();
    while (propagation.open() > 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await spread('latest')).toMatchObject({ connected: 1, concerned: 1, have: 1, lagging: [] });
  });

  it('have a limit that is separate from the limit of SDKs', async () => {
    const { propagation } = service.running.services;
    const scope = { environment: 'development', projects: null };
    const joined = [];
    for (let count = 0; count < 10_000; count++) joined.push(propagation.openBrowserStream(scope, 'web'));
    expect([joined.includes(undefined), propagation.openBrowserStream(scope, 'web'), propagation.refused]).toEqual([
      false,
      undefined,
      1,
    ]);
    await sdk('1');
    expect(propagation.open()).toBe(10_001);
    for (const receipts of joined) receipts?.recordEnd();
    expect(propagation.open()).toBe(1);
  });
});

describe('A write that waits', () => {
  it('is answered when the required share is up to date, and not before', async () => {
    const [quick, slow] = [await sdk('1'), await sdk('2')];
    await change();
    for (const one of [quick, slow]) await one.poll();
    const { seq } = service.running.services.state;
    let isAnswered = false;
    const waiting = change({ 'burgee-wait': '80%; timeout=25' }).then((made) => {
      isAnswered = true;
      return made;
    });
    // Two commits: the new flag, and then its switch.
    while (service.running.services.state.seq < seq + 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await quick.poll();
    expect(await spread('latest')).toMatchObject({ have: 1, share: 0.5 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isAnswered).toBe(false);
    await slow.poll();
    expect((await waiting).reached).toBe('100%');
  });

  it('is answered at the timeout with the reached share, and the write is applied', async () => {
    const [quick, slow] = [await sdk('1'), await sdk('2')];
    await change();
    await Promise.all([quick, slow].map((one) => one.poll()));
    expect(await change({ 'burgee-wait': '100%; timeout=0' })).toMatchObject({ reached: '0%' });
    expect(await slow.poll()).toBe(200);
  });

  it.each(['all', '101%', '-1%', '95', '95%; timeout=soon', '95%, 10'])(
    'is refused with %s, and nothing is changed',
    async (wait) => {
      const { state } = service.running.services;
      const { seq } = state;
      const body = { name: flags.name() };
      await refused(service, 'createFeature', INVALID, {
        params: { projectId: 'default' },
        body,
        headers: { 'burgee-wait': wait },
      });
      expect(state.seq).toBe(seq);
    },
  );

  it('is answered at once when it is refused', async () => {
    const params = { projectId: 'default', featureName: 'nobody-made-this', environment: 'development' };
    const answer = await service.call('toggleFeatureEnvironmentOn', { params, headers: { 'burgee-wait': '95%' } });
    expect([answer.status, answer.headers.get('burgee-propagated')]).toEqual([404, null]);
  });

  it('is refused without a change when too many writes wait', async () => {
    const one = await sdk('1');
    await change();
    await one.poll();
    const { state } = service.running.services;
    const names = Array.from({ length: 12 }, () => flags.name());
    const made = await flags.create();
    await one.poll();
    const url = `${service.url}/api/admin/projects/default/features/${made}/environments/development`;
    const write = (path: string, headers: Record<string, string>) =>
      fetch(url + path, { method: 'POST', headers: { authorization: ADMIN_TOKEN, ...headers } });
    const { seq } = state;
    const waiting = names.map((_, at) => write(at % 2 === 0 ? '/on' : '/off', { 'burgee-wait': '100%; timeout=25' }));
    const isRefused = async (answer: Promise<Response>) => (await answer).status === 503;
    const refusedAtOnce = await Promise.race([Promise.all(waiting.slice(8).map(isRefused)), Promise.all(waiting)]);
    while (state.seq < seq + 8) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(refusedAtOnce).toEqual([true, true, true, true]);
    await one.poll();
    const answers = await Promise.all(waiting.slice(0, 8));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(state.seq).toBe(seq + 8);
  });
});
