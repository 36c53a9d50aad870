import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { AnswerMemory } from '../../src/products/relay/answer-memory.ts';
import { readRelayOptions } from '../../src/products/relay/relay-environment.ts';
import { Upstream } from '../../src/products/relay/upstream.ts';
import { UpstreamError } from '../../src/products/relay/upstream-error.ts';
import { selfSigned } from '../support/certificate.ts';
import { QUICK } from '../support/relay.ts';

afterEach(() => void vi.useRealTimers());

it.each([
  ['a name that no header can hold', { upstreamUrl: 'http://127.0.0.1:9', appName: 'a \u2603' }],
  [
    'an identity that is none',
    { upstreamUrl: 'https://127.0.0.1:9', tls: { identity: Buffer.from('not PKCS #12'), passphrase: 'open' } },
  ],
  [
    'a certificate that is none',
    { upstreamUrl: 'https://127.0.0.1:9', tls: { certificate: 'not PEM', key: 'nor this' } },
  ],
])('what cannot even be asked fails at once, and for good: %s', async (_what, facts) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const upstream = new Upstream({ ...QUICK, ...facts }, new AnswerMemory(QUICK.answers, silentLogger));
  await expect(upstream.ask({ path: '/api/client/features' })).rejects.toThrow(UpstreamError);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(300_000);
  upstream.close();
});

describe('how long upstream is waited for', () => {
  const LONG_MS = 60_000;

  /** Asks one that listens, once. */
  async function ask(server: Server, scheme: string, facts: Partial<typeof QUICK>) {
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const upstreamUrl = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const upstream = new Upstream(
      { ...QUICK, tls: { isUnverified: true }, ...facts, upstreamUrl },
      new AnswerMemory(QUICK.answers, silentLogger),
    );
    try {
      return await upstream.ask({ path: '/api/client/features' });
    } finally {
      upstream.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  function serverOf(scheme: string, answer: RequestListener): Server {
    if (scheme === 'http') return createPlainServer(answer);
    const { key, certificate } = selfSigned('upstream');
    return createTlsServer({ key, cert: certificate }, answer);
  }

  it.each(['http', 'https'])('the time to connect does not count until it answers: %s', async (scheme) => {
    const { connectMs, timeoutMs } = readRelayOptions({ UPSTREAM_URL: 'http://a', UPSTREAM_SOCKET_TIMEOUT: '1' });
    expect([connectMs, timeoutMs]).toEqual([1_000, 5_000]);
    const late = serverOf(scheme, (_request, response) => void setTimeout(() => response.end('[]'), 1_500));
    expect(await ask(late, scheme, { connectMs, timeoutMs })).toMatchObject({ status: 200 });
  });

  it.each(['http', 'https'])('one that is connected and says nothing is given up in time: %s', async (scheme) => {
    const silent = serverOf(scheme, () => {});
    const asked = ask(silent, scheme, { connectMs: LONG_MS, timeoutMs: 100 });
    await expect(asked).rejects.toThrow('no answer within 100 ms');
  });

  it('one that takes the connection and agrees on no TLS is not connected', async () => {
    const asked = ask(createServer(), 'https', { connectMs: 100, timeoutMs: LONG_MS });
    await expect(asked).rejects.toThrow('no connection within 100 ms');
  });
});
