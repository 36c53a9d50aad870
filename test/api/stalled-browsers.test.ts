import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { Flags } from '../support/flags.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { head, RawConnection } from '../support/raw-http.ts';
import { FRONTEND_TOKEN, startTestService, type TestService } from '../support/service.ts';

const PAYLOAD = { type: 'string', value: 'x'.repeat(100_000) };
const LOOK_MS = 5_000;

let service: TestService;
const looks = new ManualClock();

beforeAll(async () => {
  // Only looks at readers wait for the test.
  const clock: Clock = {
    nowMs: systemClock.nowMs,
    sleep: (delayMs, signal) => (delayMs === LOOK_MS ? looks : systemClock).sleep(delayMs, signal),
  };
  service = await startTestService({ clock });
  const flags = new Flags(service);
  const variants = [{ name: 'big', weight: 1_000, weightType: 'variable', stickiness: 'default', payload: PAYLOAD }];
  for (let count = 0; count < 100; count++) await flags.createFor([], { variants });
});

afterAll(() => service.close());

it('a browser whose stream takes nothing of its answers is cut, and nothing is held for it', async () => {
  const { frontendStreams, http } = service.running.services;
  const connection = await RawConnection.open(service.url);
  connection.socket.pause();
  connection.write(head('GET /api/frontend/streaming?userId=7 HTTP/1.1', `authorization: ${FRONTEND_TOKEN}`));
  while (frontendStreams.heldBytes < 10_000_000) await wait(1);
  let count = 0;
  for (; frontendStreams.heldBytes > 0; count++) {
    looks.advance(LOOK_MS);
    await wait(1);
  }
  expect(count).toBeGreaterThan(12);
  // It was not uWS: ten seconds have not gone by.
  expect(count).toBeLessThan(1_000);
  expect(http().streams).toBe(0);
  connection.socket.resume();
  await connection.closed;
  expect(connection.unread.length).toBeLessThan(10_000_000);
});
