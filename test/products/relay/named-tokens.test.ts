import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loggerTo } from '../../../src/base/logger.ts';
import { FaultyProxy } from '../../support/http/faulty-proxy.ts';
import { ScriptedUpstream } from '../../support/http/scripted-upstream.ts';
import { startTestRelay, type TestRelayOptions } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const [WIDE, NARROW, PEER] = ['*:development.wide', 'one:development.narrow', 'one:development.peer'] as const;
const UNREACHABLE = 'http://127.0.0.1:9';
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

async function flagNames(url: string, authorization: string): Promise<string | number> {
  const answer = await fetch(`${url}/api/client/features`, { headers: { authorization } });
  if (answer.status !== 200) return answer.status;
  return ((await answer.json()) as { features: { name: string }[] }).features.map(({ name }) => name).join();
}

async function ready(url: string) {
  const answer = await fetch(`${url}/ready`);
  return { status: answer.status, text: await answer.text() };
}

describe('a relay whose tokens upstream does not know', () => {
  it('is not ready and reports why, until upstream knows one of them', async () => {
    const upstream = await upstreamOf(NARROW, PEER);
    const relay = await relayOf(upstream.url, { tokens: [NARROW, PEER] });
    const { text } = await until(
      () => ready(relay.url),
      ({ text }) => text.includes('none of the tokens in TOKENS'),
    );
    expect((await ready(relay.url)).status).toBe(503);
    expect(text).not.toContain('narrow');
    // The token is created there later. No restart and no request is necessary.
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

  it('is ready when it serves a token that a caller sent', async () => {
    const upstream = await upstreamOf(NARROW);
    const relay = await relayOf(upstream.url, { tokens: [NARROW] });
    await until(
      () => ready(relay.url),
      ({ text }) => text.includes('none of the tokens in TOKENS'),
    );
    expect(await flagNames(relay.url, PEER)).toBe('of-one');
    expect((await ready(relay.url)).status).toBe(200);
  });
});

it('callers with a token of TOKENS wait while the relay asks upstream about it, and the relay asks once', async () => {
  const upstream = await upstreamOf();
  const proxy = await FaultyProxy.before(upstream.url);
  closing.push(() => proxy.close());
  proxy.delayMs = 300;
  const relay = await relayOf(proxy.url, { tokens: [NARROW], refreshMs: 600_000 });
  expect(await Promise.all([flagNames(relay.url, NARROW), flagNames(relay.url, NARROW)])).toEqual(['of-one', 'of-one']);
  expect(proxy.count('POST', '/edge/validate')).toBe(1);
});

describe('a strict relay', () => {
  it('serves only what TOKENS cover from a folder that was filled without STRICT, without upstream, and logs that it refuses more', async () => {
    const directory = await folder();
    const upstream = await upstreamOf();
    const first = await startTestRelay(upstream.url, { tokens: [NARROW] }, { directory });
    for (const token of [PEER, WIDE]) expect(await flagNames(first.url, token)).toContain('of-one');
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
    const strict = await relayOf(UNREACHABLE, { tokens: [NARROW], isStrict: true }, { directory, logger });
    expect((await ready(strict.url)).status).toBe(200);
    for (const token of [NARROW, PEER]) expect(await flagNames(strict.url, token)).toBe('of-one');
    // Only upstream can confirm that this token exists.
    expect(await flagNames(strict.url, WIDE)).toBe(503);
    await until(
      () => strict.running.services.state.size('features'),
      (count) => count === 1,
    );
    expect(lines.join('')).toContain('STRICT: some accepted tokens have a wider scope than the tokens in TOKENS');
    expect(lines.join('')).not.toContain('gone');
    expect(lines.join('')).not.toContain('development.wide');
  });

  it('refuses a token as soon as upstream reports that its scope is wider', async () => {
    const directory = await folder();
    const upstream = await upstreamOf();
    const first = await startTestRelay(upstream.url, { tokens: [WIDE] }, { directory });
    expect(await flagNames(first.url, PEER)).toBe('of-one');
    await first.close();
    // The relay does not know yet what its own token sees, so it cannot know which scope is wider.
    const strict = await relayOf(upstream.url, { tokens: [NARROW], isStrict: true }, { directory });
    await until(
      () => flagNames(strict.url, WIDE),
      (answer) => answer === 403,
    );
    for (const token of [NARROW, PEER]) expect(await flagNames(strict.url, token)).toBe('of-one');
  });
});

it('a token is served without interruption when a token with a wider scope is deleted', async () => {
  const upstream = await upstreamOf();
  const relay = await relayOf(upstream.url, { tokens: [WIDE, NARROW], revalidateMs: 200 });
  await until(
    () => flagNames(relay.url, NARROW),
    (answer) => answer === 'of-one',
  );
  // Its own list never arrives.
  upstream.sending = new Promise(() => {});
  upstream.unknown.add(WIDE);
  await until(
    async () => {
      expect(await flagNames(relay.url, NARROW)).toBe('of-one');
      return relay.running.services.state.size('features');
    },
    (count) => count === 1,
  );
  expect(await flagNames(relay.url, NARROW)).toBe('of-one');
});
