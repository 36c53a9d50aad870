import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';
import type { UpstreamStatus } from '../../src/products/relay/relay-status.ts';
import { BurgeeProcess } from '../support/programs/burgee-process.ts';
import { until } from '../support/until.ts';
import { ask, control, PEER } from './unleash.ts';
import { ARCHIVED, ENVIRONMENTS, FLAGS, filledUnleash, nameOf, ODD, type PeerToken } from './unleash-world.ts';

/** Unleash buffers reports for a while before it counts them. */
const COUNTED_MS = 150_000;
const FOLLOWED_MS = 60_000;
const CONTEXTS = [
  'userId=7&properties[plan]=gold',
  'userId=999999&properties[plan]=silver&properties[version]=1.2.4&properties[email]=a@example.org',
  'userId=2&sessionId=session-2&remoteAddress=10.1.2.3&properties[age]=29',
  'userId=somebody&remoteAddress=10.0.0.1&appName=my-WEB-app&properties[plan]=iron&properties[version]=x',
  'userId=600000&remoteAddress=10.2.0.1&properties[plan]=none&properties[age]=31&properties[email]=a@example.com',
];
const SPEC = { 'unleash-client-spec': '5.2.0' };

/** A relay that can be stopped, and started again with the same folder and port. */
interface PeerRelay {
  readonly url: string;
  start(): Promise<void>;
  end(): Promise<void>;
}

let directory: string;
let tokens: readonly PeerToken[];
let ungrouped: ReadonlySet<string>;
/** The relay in front of Unleash. */
let near: PeerRelay;
/** The relay in front of `near`. */
let far: PeerRelay;

beforeAll(async () => {
  tokens = await filledUnleash();
  ungrouped = await ungroupedFlags();
  directory = await mkdtemp(join(tmpdir(), 'burgee-relay-peer-'));
  near = await relayOf(PEER.url, 'near');
  far = await relayOf(near.url, 'far');
});

afterAll(async () => {
  await far?.end();
  await near?.end();
  await rm(directory, { recursive: true, force: true });
});

/** The tokens of server SDKs. */
const serverTokens = () => tokens.filter(({ type }) => type !== 'frontend');
const browserTokens = () => tokens.filter(({ type }) => type === 'frontend');
const relays = () => [near, far];

async function relayOf(upstreamUrl: string, folder: string): Promise<PeerRelay> {
  const port = await freePort();
  const wide = serverTokens().filter(({ projects }) => projects.includes('*'));
  const environment = {
    UPSTREAM_URL: upstreamUrl,
    TOKENS: wide.map(({ secret }) => secret).join(),
    HTTP_PORT: String(port),
    BACKUP_FOLDER: join(directory, folder),
    LOG_LEVEL: 'info',
    FEATURES_REFRESH_INTERVAL_SECONDS: '1',
    METRICS_INTERVAL_SECONDS: '1',
  };
  let running: BurgeeProcess | undefined;
  const relay = {
    url: `http://127.0.0.1:${port}`,
    async start() {
      running = new BurgeeProcess(environment, [], ['relay']);
      await running.url();
      await until(
        async () => (await fetch(`${relay.url}/ready`)).status,
        (status) => status === 200,
        FOLLOWED_MS,
      );
    },
    async end() {
      running?.process.kill('SIGTERM');
      expect(await running?.exited, running?.stderr.slice(-2_000)).toBe(0);
      for (const { secret } of tokens) expect(`${running?.stdout}${running?.stderr}`).not.toContain(secret);
    },
  };
  await relay.start();
  return relay;
}

async function get(url: string, path: string, token: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url + path, { headers: { authorization: token, ...headers } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url}${path}: ${answer.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

interface StrategyJson {
  readonly variants?: readonly object[];
  readonly parameters: Readonly<Record<string, string>>;
}

interface Count {
  readonly yes: number;
  readonly no: number;
}

interface Named {
  readonly name: string;
}

interface OldFlag extends Named {
  readonly strategy?: string;
  readonly parameters?: object;
  readonly strategies: readonly { readonly constraints: readonly object[] }[];
}

const byName = (things: readonly Named[]) => Object.fromEntries(things.map((thing) => [thing.name, meaning(thing)]));

/** The value without null and empty fields, which mean the same as missing ones, and each dependency once (Unleash sends some twice). */
function meaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaning);
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(
    ([, each]) => each !== null && !(Array.isArray(each) && each.length === 0),
  );
  return Object.fromEntries(present.map(([key, each]) => [key, key === 'dependencies' ? once(each) : meaning(each)]));
}

/** A flag in the format for old SDKs: the order of constraints is ignored, and so is the copy of the first strategy. */
function oldMeaning({ strategy: _first, parameters: _ofFirst, strategies, ...flag }: OldFlag): Named {
  const textOf = (constraint: object) => JSON.stringify(Object.entries(meaning(constraint) as object).sort());
  const inOrder = ({ constraints, ...strategy }: OldFlag['strategies'][number]) => {
    return { ...strategy, constraints: constraints.map(textOf).sort() };
  };
  return { ...flag, strategies: strategies.map(inOrder) } as Named;
}

function once(dependencies: readonly { readonly feature: string }[]): object {
  return Object.fromEntries(dependencies.map((each) => [each.feature, meaning(each)]));
}

/** The list for current SDKs, and the one for old SDKs. */
async function listsOf(url: string, token: string) {
  const { features, segments = [] } = await get(url, '/api/client/features', token, SPEC);
  const old = await get(url, '/api/client/features', token);
  return { features: byName(features), segments: byName(segments), old: byName(old.features.map(oldMeaning)) };
}

async function answersOf(url: string, token: string) {
  const answers = [];
  for (const context of CONTEXTS) {
    const { toggles } = await get(url, `/api/frontend?${context}`, token);
    // A relay hashes text beyond ASCII like Edge, and not like Unleash.
    const alike = toggles.filter(({ name }: Named) => name !== ODD.text);
    answers.push(byName(alike.map((each: Named) => (ungrouped.has(each.name) ? { ...each, variant: null } : each))));
  }
  return answers;
}

/** Flags with variants in strategies without a `groupId`: Unleash selects other variants (docs/decisions/evaluation-sdk-differences.md). */
async function ungroupedFlags(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { secret } of serverTokens()) {
    for (const { name, strategies } of (await get(PEER.url, '/api/client/features', secret)).features)
      if (strategies.some(({ variants, parameters }: StrategyJson) => variants?.length && !parameters.groupId))
        names.add(name);
  }
  return names;
}

/** The answers to each token. */
async function everything(url: string) {
  const answers: Record<string, object> = {};
  for (const { secret } of serverTokens()) answers[secret] = await listsOf(url, secret);
  for (const { secret } of browserTokens()) answers[secret] = await answersOf(url, secret);
  return answers;
}

async function statusOf({ url }: PeerRelay): Promise<UpstreamStatus> {
  const answer = await fetch(`${url}/ready`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { upstream: UpstreamStatus }).upstream;
}

const tokenOf = (type: string, environment: string, ...projects: string[]) =>
  tokens.find((token) => {
    const isKind = (token.type === 'frontend') === (type === 'frontend');
    return isKind && token.environment === environment && token.projects.join() === projects.join();
  })?.secret ?? '';

/** Reports an application, its use of flags and an impact metric. */
async function report(url: string, token: string, appName: string, uses: Readonly<Record<string, number>>) {
  const now = new Date().toISOString();
  const path = browserTokens().some(({ secret }) => secret === token) ? '/api/frontend/client' : '/api/client';
  const entries = Object.entries(uses).map(([flag, yes]) => [flag, { yes, no: 1, variants: { blue: yes } }]);
  const send = async (what: string, body: object) => {
    const headers = { authorization: token, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}/${what}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status, `${what}: ${await answer.text()}`).toBeLessThan(300);
  };
  const about = { appName, instanceId: 'one', sdkVersion: 'unleash-client-node:6.12.1' };
  await send('register', { ...about, strategies: ['default'], started: now, interval: 1_000 });
  const measured = [
    { name: 'sold', help: 'of sold', type: 'counter', samples: [{ labels: { shelf: 'a' }, value: 2 }] },
  ];
  const bucket = { start: now, stop: now, toggles: Object.fromEntries(entries) };
  await send('metrics', { ...about, bucket, impactMetrics: measured });
}

/** The counts of a flag in Unleash. */
async function counted(flag: string): Promise<Count> {
  const { data } = await ask('GET', `/client-metrics/features/${flag}/raw`);
  const sum = (key: 'yes' | 'no') => data.reduce((all: number, each: Count) => all + each[key], 0);
  return { yes: sum('yes'), no: sum('no') };
}

/** Returns a function that reads the counts since now. */
async function countOf(flag: string): Promise<() => Promise<Count>> {
  const before = await counted(flag);
  return async () => {
    const { yes, no } = await counted(flag);
    return { yes: yes - before.yes, no: no - before.no };
  };
}

const untilCounted = (count: () => Promise<Count>, yes: number) => until(count, (sum) => sum.yes >= yes, COUNTED_MS);

/** Waits until Unleash has received all reports, and all lists are followed again: a failed list is requested again after a pause. */
async function nothingWaits(): Promise<void> {
  for (const relay of relays()) {
    const { failing, reports } = await until(
      () => statusOf(relay),
      ({ failing, reports: { waiting, batches } }) => failing + waiting + batches === 0,
      FOLLOWED_MS,
    );
    expect({ failing, ...reports }).toEqual({ failing: 0, waiting: 0, batches: 0, refused: 0, dropped: 0 });
  }
}

async function switchFlag(flag: string): Promise<void> {
  const project = flag.slice(0, flag.indexOf('-'));
  const { environments } = await ask('GET', `/projects/${project}/features/${flag}`);
  const { enabled: was } = environments.find(({ name }: Named) => name === 'production');
  await ask('POST', `/projects/${project}/features/${flag}/environments/production/${was ? 'off' : 'on'}`);
  const token = tokenOf('client', 'production', '*');
  await until(
    async () => (await get(PEER.url, '/api/client/features', token)).features.find(({ name }: Named) => name === flag),
    ({ enabled }) => enabled !== was,
    FOLLOWED_MS,
  );
}

/** Waits until both relays answer the same as Unleash, whose answers follow a change after some moments. */
async function untilAlike(): Promise<void> {
  for (const { url } of relays()) {
    const both = async () => Promise.all([everything(PEER.url), everything(url)]);
    await until(both, ([there, here]) => isDeepStrictEqual(here, there), FOLLOWED_MS).catch(async () => {
      const [there, here] = await both();
      expect(here).toEqual(there);
    });
  }
}

/** Reads both relays during `work`: every request must have an unchanged answer. */
async function readingAllTheWhile(work: () => Promise<void>): Promise<void> {
  const before = await Promise.all(relays().map(({ url }) => everything(url)));
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  do {
    expect(await Promise.all(relays().map(({ url }) => everything(url)))).toEqual(before);
  } while (!isDone);
  await done;
}

it('a relay in front of Unleash, and one in front of that relay, answer every token the same as Unleash', async () => {
  const there = await everything(PEER.url);
  expect(Object.keys(there).length).toBe(3 * ENVIRONMENTS.length + 3);
  expect(Object.keys((there[tokenOf('client', 'production', '*')] as { features: object }).features).length).toBe(
    FLAGS - ARCHIVED.length + Object.keys(ODD).length,
  );
  await untilAlike();
  for (const relay of relays())
    expect(await statusOf(relay)).toMatchObject({ failing: 0, problem: null, unknownTokens: 0 });
});

it('both relays follow a change in Unleash', async () => {
  const before = await everything(far.url);
  await switchFlag(nameOf(4));
  await untilAlike();
  expect(await everything(far.url)).not.toEqual(before);
});

it('Unleash counts each report to either relay once', async () => {
  const [name, ofMobile, last] = [nameOf(0), nameOf(1), nameOf(3)];
  const [count, countOfMobile, countLast] = [await countOf(name), await countOf(ofMobile), await countOf(last)];
  await report(near.url, tokenOf('client', 'development', '*'), 'near-shop', { [name]: 3 });
  await report(far.url, tokenOf('client', 'development', '*'), 'far-shop', { [name]: 4 });
  await report(far.url, tokenOf('client', 'production', 'mobile', 'web'), 'far-shop', { [ofMobile]: 6 });
  await report(far.url, tokenOf('frontend', 'development', 'default'), 'page', { [name]: 5 });
  await untilCounted(count, 12);
  expect(await untilCounted(countOfMobile, 6)).toEqual({ yes: 6, no: 1 });
  // A duplicate would arrive before the reports that were sent after it.
  await report(far.url, tokenOf('client', 'development', '*'), 'far-shop', { [last]: 2 });
  await untilCounted(countLast, 2);
  expect(await count()).toEqual({ yes: 12, no: 3 });
  await nothingWaits();
  const { seenApplications } = await ask('GET', `/client-metrics/features/${name}`);
  expect(seenApplications.sort()).toEqual(['far-shop', 'near-shop', 'page']);
  await until(
    async () =>
      (await ask('GET', '/metrics/applications')).applications.map((each: { appName: string }) => each.appName),
    (names: string[]) => ['far-shop', 'near-shop'].every((name) => names.includes(name)),
    COUNTED_MS,
  );
});

it('while Unleash is stopped, also after a restart of a relay, reads are answered and reports are buffered', async () => {
  const [client, flag] = [tokenOf('client', 'production', '*'), nameOf(6)];
  const count = await countOf(flag);
  await readingAllTheWhile(() => control('stop'));
  await until(
    () => statusOf(near),
    ({ failing }) => failing > 0,
    FOLLOWED_MS,
  );
  const stranger = await fetch(`${near.url}/api/client/features`, { headers: { authorization: '*:production.new' } });
  expect(stranger.status).toBe(503);
  await report(near.url, client, 'near-shop', { [flag]: 7 });
  await until(
    () => statusOf(near),
    ({ reports }) => reports.batches > 0,
    FOLLOWED_MS,
  );
  const before = await everything(near.url);
  await near.end();
  expect(await everything(far.url)).toEqual(before);
  await near.start();
  expect(await everything(near.url)).toEqual(before);
  expect((await statusOf(near)).syncedAt).toBeNull();
  await control('start');
  await switchFlag(flag);
  await untilAlike();
  expect(await untilCounted(count, 7)).toEqual({ yes: 7, no: 1 });
});

it('when Unleash is killed under both, every read is answered, and they follow again', async () => {
  await readingAllTheWhile(async () => {
    await control('kill');
    await until(
      () => statusOf(near),
      ({ failing }) => failing > 0,
      FOLLOWED_MS,
    );
    await control('start');
  });
  await switchFlag(nameOf(9));
  await untilAlike();
  await nothingWaits();
});
