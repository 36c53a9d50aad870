import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { AnswerMemory } from '../../../src/products/relay/answer-memory.ts';
import { readRelayOptions } from '../../../src/products/relay/relay-environment.ts';
import { Upstream } from '../../../src/products/relay/upstream.ts';
import { UpstreamError } from '../../../src/products/relay/upstream-error.ts';
import { selfSigned } from '../../support/programs/certificate.ts';
import { QUICK } from '../../support/relay.ts';

afterEach(() => void vi.useRealTimers());

it.each([
  ['a name that is invalid in a header', { upstreamUrl: 'http://127.0.0.1:9', appName: 'a \u2603' }],
  [
    'an invalid identity',
    { upstreamUrl: 'https://127.0.0.1:9', tls: { identity: Buffer.from('not PKCS #12'), passphrase: 'open' } },
  ],
  ['an invalid certificate', { upstreamUrl: 'https://127.0.0.1:9', tls: { certificate: 'not PEM', key: 'nor this' } }],
])('a request that cannot be sent fails at once and leaves no timer: %s', async (_what, options) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const upstream = new Upstream({ ...QUICK, ...options }, new AnswerMemory(QUICK.answers, silentLogger));
  await expect(upstream.ask({ path: '/api/client/features' })).rejects.toThrow(UpstreamError);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(300_000);
  upstream.close();
});

describe('the timeouts of upstream', () => {
  const LONG_MS = 60_000;

  /** Starts the server and sends it one request. */
  async function ask(server: Server, scheme: string, options: Partial<typeof QUICK>) {
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const upstreamUrl = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const upstream = new Upstream(
      { ...QUICK, tls: { isUnverified: true }, ...options, upstreamUrl },
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

  it.each(['http', 'https'])('the timeout to connect does not limit the time to answer: %s', async (scheme) => {
    const { connectMs, timeoutMs } = readRelayOptions({ UPSTREAM_URL: 'http://a', UPSTREAM_SOCKET_TIMEOUT: '1' });
    expect([connectMs, timeoutMs]).toEqual([1_000, 5_000]);
    const late = serverOf(scheme, (_request, response) => void setTimeout(() => response.end('[]'), 1_500));
    expect(await ask(late, scheme, { connectMs, timeoutMs })).toMatchObject({ status: 200 });
  });

  it.each(['http', 'https'])('a request without an answer fails after the timeout to answer: %s', async (scheme) => {
    const silent = serverOf(scheme, () => {});
    const asked = ask(silent, scheme, { connectMs: LONG_MS, timeoutMs: 100 });
    await expect(asked).rejects.toThrow('no answer within 100 ms');
  });

  it('a connection without a completed TLS handshake fails after the timeout to connect', async () => {
    const asked = ask(createServer(), 'https', { connectMs: 100, timeoutMs: LONG_MS });
    await expect(asked).rejects.toThrow('no connection within 100 ms');
  });
});
