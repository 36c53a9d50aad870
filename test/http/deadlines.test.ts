import { afterEach, expect, it, vi } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { Exchanges } from '../../src/http/exchanges.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The part of a response that an answer without a body needs. */
function response() {
  const sent = { answers: 0 };
  const answer = () => {
    sent.answers++;
  };
  const itself = {
    onAborted: () => {},
    cork: (write: () => void) => write(),
    writeHead: () => {},
    endBody: answer,
    endHead: answer,
    close: () => {},
  };
  return { sent, response: itself as unknown as Parameters<Exchanges['begin']>[0] };
}

it('answers each request that hangs, with far fewer timers than requests', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  const exchanges = new Exchanges(silentLogger, 1_000);
  const asked: { sent: { answers: number } }[] = [];
  for (let at = 0; at < 500; at++) {
    const each = response();
    asked.push(each);
    exchanges.begin(each.response, false);
    vi.advanceTimersByTime(1);
  }
  const looks = vi.spyOn(globalThis, 'setTimeout');
  vi.advanceTimersByTime(1_100);
  expect(asked.map(({ sent }) => sent.answers)).toEqual(asked.map(() => 1));
  expect(exchanges.count).toBe(0);
  expect(looks.mock.calls.length).toBeLessThan(50);
});
