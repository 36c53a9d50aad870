import { afterEach, expect, it, vi } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { AnswerMemory } from '../../src/relay/answer-memory.ts';
import { Upstream } from '../../src/relay/upstream.ts';
import { UpstreamError } from '../../src/relay/upstream-error.ts';
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
