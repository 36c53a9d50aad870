import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loggerTo } from '../../src/base/logger.ts';
import { FaultyProxy } from '../support/faulty-proxy.ts';
import { startTestRelay, type TestRelayOptions } from '../support/relay.ts';
import { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { until } from '../support/until.ts';

const [WIDE, NARROW, PEER] = ['*:development.wide', 'one:development.narrow', 'one:development.peer'] as const;
const NOBODY = 'http://127.0.0.1:9';
const flag = (project: string) => ({ name: `of-${project}`, enabled: true, project, strategies: [] });
const LISTS = {
  [WIDE]: { features: [flag('one'), flag('two')] },
  [NARROW]: { features: [flag('one')] },
  [PEER]: { features: [flag('one')] },
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function upstreamOf(...unknown: string[]): Promise<ScriptedUpstream> {
  const upstream = await ScriptedUpstream.start(LISTS);
  for (const token of unknown) upstream.unknown.add(token);
  closing.push(() => upstream.close());
  return upstream;
}

async function relayOf(url: string, options: Parameters<typeof startTestRelay>[1], more: TestRelayOptions = {}) {
  const relay = await startTestRelay(url, options, more);
  closing.push(() => relay.close());
  return relay;
}

async function folder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'burgee-named-'));
  closing.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function told(url: string, authorization: string): Promise<string | number> {
  const answer = await fetch(`${url}/api/client/features`, { headers: { authorization } });
  if (answer.status !== 200) return answer.status;
  return ((await answer.json()) as { features: { name: string }[] }).features.map(({ name }) => name).join();
}

async function ready(url: string) {
  const answer = await fetch(`${url}/ready`);
  return { status: answer.status, text: await answer.text() };
}

describe('a relay whose tokens upstream does not know', () => {
  it('is not ready and says why, until upstream knows one of them', async () => {
    const upstream = await upstreamOf(NARROW, PEER);
    const relay = await relayOf(upstream.url, { tokens: [NARROW, PEER] });
    const { text } = await until(
      () => ready(relay.url),
      ({ text }) => text.includes('none of the tokens in TOKENS'),
    );
    expect((await ready(relay.url)).status).toBe(503);
    expect(text).not.toContain('narrow');
    // Made there later: nobody has to start the relay again, or call it.
    upstream.unknown.delete(NARROW);
    await until(
      () => ready(relay.url),
      ({ status }) => status === 200,
      30_000,
    );
    expect(JSON.parse((await ready(relay.url)).text).upstream.unknownTokens).toBe(1);
    const gauges = await (await fetch(`${relay.url}/internal-backstage/prometheus`)).text();
    expect(gauges).toContain('burgee_upstream_unknown_tokens 1\n');
  });

  it('is ready when it serves what callers brought', async () => {
    const upstream = await upstreamOf(NARROW);
    const relay = await relayOf(upstream.url, { tokens: [NARROW] });
    await until(
      () => ready(relay.url),
      ({ text }) => text.includes('none of the tokens in TOKENS'),
    );
    expect(await told(relay.url, PEER)).toBe('of-one');
    expect((await ready(relay.url)).status).toBe(200);
  });
});

it('callers who come with a token of the start while it is asked about wait for that answer, and nothing is asked twice', async () => {
  const upstream = await upstreamOf();
  const proxy = await FaultyProxy.before(upstream.url);
  closing.push(() => proxy.close());
  proxy.delayMs = 300;
  const relay = await relayOf(proxy.url, { tokens: [NARROW], refreshMs: 600_000 });
  expect(await Promise.all([told(relay.url, NARROW), told(relay.url, NARROW)])).toEqual(['of-one', 'of-one']);
  expect(proxy.count('POST', '/edge/validate')).toBe(1);
});

describe('a strict relay', () => {
  it('serves of a folder that was learnt without STRICT what its tokens see, upstream or no upstream, and says what it refuses', async () => {
    const directory = await folder();
    const upstream = await upstreamOf();
    const first = await startTestRelay(upstream.url, { tokens: [NARROW] }, { directory });
    for (const token of [PEER, WIDE]) expect(await told(first.url, token)).toContain('of-one');
    await until(
      () => first.relay.status().scopes,
      (count) => count === 1,
    );
    await first.close();

    const lines: string[] = [];
    const logger = loggerTo(
      'warn',
      (line) => lines.push(line),
      () => performance.now(),
    );
    const strict = await relayOf(NOBODY, { tokens: [NARROW], isStrict: true }, { directory, logger });
    expect((await ready(strict.url)).status).toBe(200);
    for (const token of [NARROW, PEER]) expect(await told(strict.url, token)).toBe('of-one');
    // Whether it exists nobody can say now.
    expect(await told(strict.url, WIDE)).toBe(503);
    await until(
      () => strict.running.services.state.size('features'),
      (count) => count === 1,
    );
    expect(lines.join('')).toContain('STRICT: tokens that were served have a wider scope than those in TOKENS');
    expect(lines.join('')).not.toContain('gone');
    expect(lines.join('')).not.toContain('development.wide');
  });

  it('refuses what upstream says is wider, without waiting for it to be gone', async () => {
    const directory = await folder();
    const upstream = await upstreamOf();
    const first = await startTestRelay(upstream.url, { tokens: [WIDE] }, { directory });
    expect(await told(first.url, PEER)).toBe('of-one');
    await first.close();
    // What its own token sees it is not told yet: nothing can be said to be more.
    const strict = await relayOf(upstream.url, { tokens: [NARROW], isStrict: true }, { directory });
    await until(
      () => told(strict.url, WIDE),
      (answer) => answer === 403,
    );
    for (const token of [NARROW, PEER]) expect(await told(strict.url, token)).toBe('of-one');
  });
});

it('a token that sees less than one that goes is served all the time', async () => {
  const upstream = await upstreamOf();
  const relay = await relayOf(upstream.url, { tokens: [WIDE, NARROW], revalidateMs: 200 });
  await until(
    () => told(relay.url, NARROW),
    (answer) => answer === 'of-one',
  );
  // Its own list does not come.
  upstream.sending = new Promise(() => {});
  upstream.unknown.add(WIDE);
  await until(
    async () => {
      expect(await told(relay.url, NARROW)).toBe('of-one');
      return relay.running.services.state.size('features');
    },
    (count) => count === 1,
  );
  expect(await told(relay.url, NARROW)).toBe('of-one');
});
