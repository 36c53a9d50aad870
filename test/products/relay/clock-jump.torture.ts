import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { systemCaller } from '../../../src/model/caller.ts';
import { mirrorTokens } from '../../../src/products/mirror/mirror-tokens.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 24 * 3_600_000;

/** Simulates a correction of the system clock: the time of day jumps, the monotonic time does not. */
function jump(byMs: number): void {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + byMs);
}

let upstream: TestService;
const relays: TestRelay[] = [];

beforeAll(async () => {
  upstream = await startTestService();
});

afterEach(() => vi.restoreAllMocks());

afterAll(async () => {
  for (const relay of relays) await relay.close();
  await upstream.close();
});

async function names({ url }: { readonly url: string }, token = CLIENT_TOKEN): Promise<string[]> {
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(`${url}/api/client/features`, { headers });
  if (answer.status !== 200) return [`status ${answer.status}`];
  return ((await answer.json()) as { features: { name: string }[] }).features.map(({ name }) => name);
}

const addFlag = (name: string) => upstream.call('createFeature', { params: { projectId: 'default' }, body: { name } });

it.each([
  ['forward', DAY_MS, false],
  ['back', -DAY_MS, false],
  ['forward', DAY_MS, true],
  ['back', -DAY_MS, true],
] as const)(
  'reads, refreshes and reports continue after the clock jumps one day %s (%i ms, streaming: %s)',
  async (way, byMs, isStreaming) => {
    const before = `before-${way}-${isStreaming}`;
    const after = `after-${way}-${isStreaming}`;
    await addFlag(before);
    const relay = await startTestRelay(upstream.url, { tokens: [CLIENT_TOKEN], isStreaming, revalidateMs: 300 });
    relays.push(relay);
    await until(
      () => names(relay),
      (all) => all.includes(before),
    );
    // The token does not exist yet. The relay remembers that for some seconds, independent of the time of day.
    const token = `default:development.later-${way}-${isStreaming}`;
    expect(await names(relay, token)).toEqual(['status 401']);
    jump(byMs);
    expect(await names(relay)).toContain(before);
    await addFlag(after);
    await until(
      () => names(relay),
      (all) => all.includes(after),
    );
    const browser = await fetch(`${relay.url}/api/frontend`, { headers: { authorization: FRONTEND_TOKEN } });
    expect(browser.status).toBe(200);
    const { tokensValidatedAt } = relay.relay.status();
    await until(
      () => relay.relay.status().tokensValidatedAt,
      (at) => at !== null && at !== tokensValidatedAt,
    );
    const { reports } = relay.running.services;
    const reportCounts = reports.reportCounts.metrics;
    const now = new Date(Date.now()).toISOString();
    const answer = await fetch(`${relay.url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({
        appName: 'shop',
        instanceId: 'one',
        bucket: { start: now, stop: now, toggles: { [before]: { yes: 1, no: 0, variants: {} } } },
      }),
    });
    expect([answer.status, reports.reportCounts.metrics - reportCounts]).toEqual([202, 1]);
    await until(
      () => relay.relay.status().reports,
      ({ waiting, batches }) => waiting + batches === 0,
    );
    const tokens = [{ secret: token, type: 'client' as const, environment: 'development', projects: ['default'] }];
    await upstream.running.services.writer.submit(mirrorTokens, { tokens, gone: [] }, systemCaller());
    await until(
      () => names(relay, token),
      (all) => all.includes(after),
      20_000,
    );
  },
);
