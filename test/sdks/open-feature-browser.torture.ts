import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';
import { TestBrowser } from '../console/support/browser.ts';
import { Flags } from '../support/flags.ts';
import { chromiumFile } from '../support/programs/ensure-chromium.mjs';
import { startTestRelay, type TestRelay } from '../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../support/service.ts';

const SOURCE = fileURLToPath(new URL('open-feature-page.js', import.meta.url));

const PAGE = '<!doctype html><link rel="icon" href="data:,"><body><script src="/app.js"></script>';

/** Tabs and streams without a browser beside the watched tab. The streams of a token are so many that they get events one after the other. */
const OTHER_TABS = 3;
const OTHER_STREAMS = 4_900;
const OPENED_AT_ONCE = 100;

let browser: TestBrowser;
let pages: Server;
let pagesUrl: string;
let directory: string;
let ports: { readonly service: string; readonly relay: string };
let service: TestService;
let relay: TestRelay;
let flags: Flags;

const startService = () => startTestService({ directory, env: { HTTP_PORT: ports.service } });

const startRelay = () =>
  startTestRelay(
    `http://127.0.0.1:${ports.service}`,
    { isStreaming: true, tokens: [CLIENT_TOKEN] },
    { directory: join(directory, 'relay'), env: { HTTP_PORT: ports.relay } },
  );

beforeEach(({ skip }) => skip(chromiumFile() === undefined, 'Chromium is not installed'));

beforeAll(async () => {
  if (chromiumFile() === undefined) return;
  const bundle = await rolldown({ input: SOURCE, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  // The application has an origin of its own, as it usually has.
  pages = createServer((request, response) => {
    const isScript = request.url === '/app.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? output[0].code : request.url === '/blank' ? '' : PAGE);
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  pagesUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  directory = await mkdtemp(join(tmpdir(), 'burgee-open-feature-'));
  ports = { service: String(await freePort()), relay: String(await freePort()) };
  service = await startService();
  relay = await startRelay();
  flags = new Flags({ ...service, call: (...call) => service.call(...call) } as TestService);
  browser = await TestBrowser.start();
});

afterEach(() => browser?.closePages());

afterAll(async () => {
  await browser?.close();
  pages?.close();
  await relay?.close();
  await service?.close();
  if (directory) await rm(directory, { recursive: true, force: true });
});

async function openTab(flag: string, baseUrl: string) {
  const guarded = await browser.open(pagesUrl, '/blank');
  guarded.allowProvider(baseUrl);
  guarded.allowOutages();
  await guarded.page.goto(`${pagesUrl}/?${new URLSearchParams({ flag, baseUrl, token: FRONTEND_TOKEN })}`);
  return guarded;
}

type Tab = Awaited<ReturnType<typeof openTab>>;

const shows = ({ page }: Tab, text: string) =>
  expect.poll(() => page.textContent('body'), { timeout: 30_000 }).toBe(text);

/** Switches the flag and waits until the tab shows it. Resolves with the milliseconds from the write's answer until then. */
async function switched(tab: Tab, flag: string, on: boolean): Promise<number> {
  await flags.call(`toggleFeatureEnvironment${on ? 'On' : 'Off'}`, { featureName: flag, environment: 'development' });
  const writtenMs = Date.now();
  await shows(tab, `${flag} is ${on ? 'on' : 'off'}`);
  return Number(await tab.page.getAttribute('body', 'data-shown-ms')) - writtenMs;
}

describe('a tab with OFREP’s web provider, in Chromium', () => {
  it.each(['service', 'relay'] as const)('shows a change without polling, from the %s', async (from) => {
    const flag = await flags.createFor([]);
    const url = from === 'service' ? service.url : relay.url;
    if (from === 'relay') await expect.poll(async () => (await relayed()).includes(flag)).toBe(true);
    const tab = await openTab(flag, url);
    await shows(tab, `${flag} is on`);
    const others = await Promise.all(Array.from({ length: OTHER_TABS }, () => openTab(flag, url)));
    const times: number[] = [];
    for (const on of [false, true, false]) times.push(await switched(tab, flag, on));
    for (const other of others) await shows(other, `${flag} is off`);
    console.info(`from the write to the page, from the ${from}: ${times.join(', ')} ms`);
  });

  it('shows a change beside thousands of others, which all hear of it', async () => {
    const flag = await flags.createFor([]);
    const tab = await openTab(flag, service.url);
    await shows(tab, `${flag} is on`);
    const others = await openStreams(OTHER_STREAMS);
    const times = [await switched(tab, flag, false), await switched(tab, flag, true)];
    // Every reader gets the last change; a reader that did not have the first one yet gets one event for both.
    await expect.poll(() => others.filter(({ events }) => events === 0).length, { timeout: 60_000 }).toBe(0);
    console.info(`beside ${OTHER_STREAMS} streams, from the write to the page: ${times.join(', ')} ms`);
    for (const { socket } of others) socket.destroy();
    await expect.poll(() => service.running.services.http().streams).toBeLessThan(10);
  });

  it('goes on after a restart of the service and of the relay', async () => {
    const flag = await flags.createFor([]);
    await expect.poll(async () => (await relayed()).includes(flag)).toBe(true);
    const [atService, atRelay] = [await openTab(flag, service.url), await openTab(flag, relay.url)];
    for (const tab of [atService, atRelay]) await shows(tab, `${flag} is on`);
    await service.close();
    service = await startService();
    await switched(atRelay, flag, false);
    await switched(atService, flag, true);
    await relay.close();
    relay = await startRelay();
    await switched(atService, flag, false);
    await switched(atRelay, flag, true);
    console.info(`after the restarts, from the write to the page: ${await switched(atRelay, flag, false)} ms`);
  });
});

interface OpenStream {
  readonly socket: Socket;
  /** Number of events that it has received. */
  events: number;
}

/** Opens streams of the service as browsers do, and waits until all are open. */
async function openStreams(count: number): Promise<readonly OpenStream[]> {
  const { body } = await service.call('ofrepEvaluateFlags', { body: {}, token: FRONTEND_TOKEN });
  const path: string = body.eventStreams[0].endpoint.requestUri;
  const streams: OpenStream[] = [];
  while (streams.length < count) {
    const some = Array.from({ length: Math.min(OPENED_AT_ONCE, count - streams.length) }, () => openStream(path));
    streams.push(...(await Promise.all(some)));
  }
  return streams;
}

async function openStream(path: string): Promise<OpenStream> {
  const socket = connect(Number(ports.service), '127.0.0.1');
  const stream: OpenStream = { socket, events: 0 };
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  await once(socket, 'data');
  socket.on('data', (bytes: Buffer) => {
    stream.events += bytes.toString('latin1').split('refetchEvaluation').length - 1;
  });
  return stream;
}

async function relayed(): Promise<readonly string[]> {
  const headers = { authorization: CLIENT_TOKEN };
  const answer = await fetch(`${relay.url}/api/client/features`, { headers });
  const { features = [] } = (await answer.json()) as { readonly features?: readonly { readonly name: string }[] };
  return features.map(({ name }) => name);
}
