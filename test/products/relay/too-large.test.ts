import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptedUpstream } from '../../support/http/scripted-upstream.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const TOKENS = ['*:development.one', '*:production.two'];

/** An upstream with one flag in each environment. `segmentBytes` sets the size of the segment in production. */
let segmentBytes = 10;
let version = 1;
const upstream = createServer((request, response) => {
  const token = request.headers.authorization ?? '';
  if (request.url?.startsWith('/edge/validate')) {
    const tokens = TOKENS.map((secret) => ({
      token: secret,
      type: 'client',
      environment: secret.includes('production') ? 'production' : 'development',
      projects: ['*'],
    }));
    return void response.setHeader('content-type', 'application/json').end(JSON.stringify({ tokens }));
  }
  if (!request.url?.startsWith('/api/client/features')) return void response.writeHead(404).end();
  const values = ['x'.repeat(token.includes('production') ? segmentBytes : 10)];
  const strategies = Array.from({ length: 100 }, () => ({ name: 'default', segments: [1] }));
  const list = {
    version: 2,
    features: [{ name: `flag-${version}`, enabled: true, project: 'default', strategies }],
    segments: [
      { id: token.includes('production') ? 1 : 2, constraints: [{ contextName: 'userId', operator: 'IN', values }] },
    ],
  };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(list));
});
let relay: TestRelay;

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  relay = await startTestRelay(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`, { tokens: TOKENS });
});

afterAll(async () => {
  await relay.close();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

async function flags(token: string): Promise<string[]> {
  const answer = await fetch(`${relay.url}/api/client/features`, { headers: { authorization: token } });
  if (answer.status !== 200) return [];
  const { features } = (await answer.json()) as { features: { name: string }[] };
  return features.map(({ name }) => name);
}

it('rejects a list that would be too large for old SDKs, and still applies the other lists', async () => {
  for (const token of TOKENS) {
    await until(
      () => flags(token),
      (names) => names.includes('flag-1'),
    );
  }
  segmentBytes = 200_000;
  version = 2;
  const [development = '', production = ''] = TOKENS;
  await until(
    () => flags(development),
    (names) => names.includes('flag-2'),
  );
  const { failing, problem } = await until(
    () => relay.relay.status(),
    (status) => status.failing === 1,
  );
  expect([failing, problem?.message]).toMatchObject([1, expect.stringContaining('more than 8 MB')]);
  expect(await flags(production)).toEqual(['flag-1']);
  segmentBytes = 20;
  await until(
    () => flags(production),
    (names) => names.includes('flag-2'),
  );
});

it('rejects a change that would make the list too large, although each of its flags is within the limit', async () => {
  const token = 'many:development.one';
  const flag = (name: string) => ({
    name,
    enabled: true,
    project: 'many',
    strategies: Array.from({ length: 30 }, () => ({ name: 'default', segments: [1] })),
  });
  const segment = (bytes: number) => ({
    id: 1,
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['x'.repeat(bytes)] }],
  });
  const scripted = await ScriptedUpstream.start({
    [token]: { features: [flag('first')], segments: [segment(200_000)] },
  });
  const own = await startTestRelay(scripted.url, { tokens: [token], isStreaming: true, refreshMs: 60_000 });
  try {
    await until(
      () => scripted.isOpen(token),
      (isOpen) => isOpen,
    );
    scripted.hydrate(token, { features: [flag('first')], segments: [segment(200_000)] });
    // Each flag has 6 MB in the list for old SDKs. 42 flags are below the limit of all flags.
    for (let index = 1; index < 42; index++)
      scripted.tell(token, [{ type: 'feature-updated', eventId: index, feature: flag(`flag-${index}`) }]);
    const count = async () => own.running.services.state.size('features');
    await until(count, (size) => size === 42);
    expect(own.relay.status().failing).toBe(0);
    scripted.tell(token, [{ type: 'feature-updated', eventId: 50, feature: flag('one-too-many') }]);
    const { problem } = await until(
      () => own.relay.status(),
      (status) => status.failing === 1,
    );
    expect(problem?.message).toContain('more than 256 MB');
    expect(await count()).toBe(42);
  } finally {
    await own.close();
    await scripted.close();
  }
});

it('counts a segment that grows in every flag that references it', async () => {
  const token = '*:development.one';
  const strategies = Array.from({ length: 100 }, () => ({ name: 'default', segments: [1] }));
  const features = [{ name: 'first', enabled: true, project: 'default', strategies }];
  const segment = (bytes: number) => ({
    id: 1,
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['x'.repeat(bytes)] }],
  });
  const scripted = await ScriptedUpstream.start({ [token]: { features, segments: [segment(10)] } });
  const own = await startTestRelay(scripted.url, { tokens: [token], isStreaming: true, refreshMs: 60_000 });
  try {
    await until(
      () => scripted.isOpen(token),
      (isOpen) => isOpen,
    );
    scripted.hydrate(token, { features, segments: [segment(10)] });
    scripted.tell(token, [{ type: 'segment-updated', eventId: 2, segment: segment(200_000) }]);
    const { problem } = await until(
      () => own.relay.status(),
      (status) => status.failing === 1,
    );
    expect(problem?.message).toContain('more than 8 MB');
    expect(JSON.stringify(own.running.services.state.get('segments', '1')).length).toBeLessThan(1_000);
  } finally {
    await own.close();
    await scripted.close();
  }
});
