import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDefaultAgent } from 'unleash-client/lib/request.js';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../../src/products/program/program.ts';
import { FRONTS } from '../../support/http/front.ts';
import { CLIENT_TOKEN, startTestService } from '../../support/service.ts';

/** Starts a service on this front. */
async function start(front: string, env: Record<string, string>) {
  return await startTestService({ env: { HTTP_FRONT: front, ...env } });
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
    const service = await start(front, { SERVER_KEEPALIVE_TIMEOUT: '30' });
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
    const service = await start(front, { SERVER_KEEPALIVE_TIMEOUT: '30' });
    const sdk = getDefaultAgent(new URL(service.url)) as Agent;
    const own = new Agent({ keepAlive: true, timeout: 60_000 });
    expect(await idleMs(sdk, service.url)).toBe(Math.min(10_000, 1_000 * (announcedS - 1)));
    expect(await idleMs(own, service.url)).toBe(1_000 * (announcedS - 1));
    own.destroy();
    sdk.destroy();
    await service.close();
  });

  it('SERVER_KEEPALIVE_TIMEOUT gets a warning where it has no effect, also with burgee config and on a relay', async () => {
    const warned = async (env: Record<string, string>, ...args: string[]) => {
      let err = '';
      const environment = { HTTP_FRONT: front, DATA_DIR: join(tmpdir(), 'burgee-nowhere'), ...env };
      await runProgram(['config', ...args], {
        environment,
        out: () => {},
        err: (text) => {
          err += text;
        },
      });
      return err.split('\n').filter((line) => line.includes('KEEPALIVE')).length;
    };
    const set = { SERVER_KEEPALIVE_TIMEOUT: '30' };
    const expected = front === 'fast' ? 1 : 0;
    expect(await warned(set)).toBe(expected);
    expect(await warned({ ...set, UPSTREAM_URL: 'http://127.0.0.1:1' }, '--for', 'relay')).toBe(expected);
    expect(await warned({})).toBe(0);
  });
});
