import { Agent, get } from 'node:http';
import { getDefaultAgent } from 'unleash-client/lib/request.js';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { FRONTS } from '../../support/http/front.ts';
import { CLIENT_TOKEN, startTestService } from '../../support/service.ts';

/** Starts a service on this front. Returns its warnings too. */
async function start(front: string, env: Record<string, string> = {}) {
  const warnings: string[] = [];
  const warn = (...args: unknown[]) => void warnings.push(String(args.at(-1)));
  const logger = { ...silentLogger, warn } as typeof silentLogger;
  const service = await startTestService({ env: { HTTP_FRONT: front, ...env }, logger });
  return { service, warnings };
}

/** Sends a poll, and returns after how many milliseconds the agent closes the idle connection itself. */
async function idleMs(agent: Agent, url: string): Promise<number | undefined> {
  const headers = { authorization: CLIENT_TOKEN };
  await new Promise((resolve, reject) => {
    get(`${url}/api/client/features`, { agent, headers }, (answer) => {
      expect(answer.statusCode).toBe(200);
      answer.resume().on('close', resolve);
    }).on('error', reject);
  });
  await new Promise((resolve) => setImmediate(resolve));
  const kept = Object.values(agent.freeSockets).flat();
  expect(kept).toHaveLength(1);
  return kept[0]?.timeout;
}

describe.each(FRONTS)('on the front %s', (front) => {
  const announcedS = front === 'fast' ? 7 : 30;

  it('every kind of answer states how long an idle connection stays open', async () => {
    const { service } = await start(front, { SERVER_KEEPALIVE_TIMEOUT: '30' });
    const authorization = CLIENT_TOKEN;
    const answers = [
      await fetch(`${service.url}/api/client/features`, { headers: { authorization } }),
      await fetch(`${service.url}/api/client/features`, { headers: { authorization: 'unknown' } }),
      await fetch(`${service.url}/api/client/metrics`, { method: 'POST', headers: { authorization }, body: '{}' }),
      await fetch(`${service.url}/api/frontend`, { method: 'OPTIONS' }),
      await fetch(`${service.url}/health`),
      await fetch(`${service.url}/nowhere`),
    ];
    for (const answer of answers) {
      await answer.arrayBuffer();
      expect(answer.headers.get('keep-alive'), answer.url).toBe(`timeout=${announcedS}`);
    }
    await service.close();
  });

  it("an agent with a timeout, such as that of Unleash's SDK, closes an idle connection before the service does", async () => {
    const { service } = await start(front, { SERVER_KEEPALIVE_TIMEOUT: '30' });
    const sdk = getDefaultAgent(new URL(service.url)) as Agent;
    const own = new Agent({ keepAlive: true, timeout: 60_000 });
    expect(await idleMs(sdk, service.url)).toBe(Math.min(10_000, 1_000 * (announcedS - 1)));
    expect(await idleMs(own, service.url)).toBe(1_000 * (announcedS - 1));
    own.destroy();
    sdk.destroy();
    await service.close();
  });

  it('SERVER_KEEPALIVE_TIMEOUT gets a warning where it has no effect', async () => {
    const { service, warnings } = await start(front, { SERVER_KEEPALIVE_TIMEOUT: '30' });
    const about = warnings.filter((warning) => warning.includes('SERVER_KEEPALIVE_TIMEOUT'));
    expect(about).toHaveLength(front === 'fast' ? 1 : 0);
    await service.close();
    const usual = await start(front);
    expect(usual.warnings.filter((warning) => warning.includes('KEEPALIVE'))).toEqual([]);
    await usual.service.close();
  });
});
