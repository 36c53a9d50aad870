import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { BUFFERED_BYTES_MAX } from '../../../src/views/frontend/whole-answer-queue.ts';
import { flag, prepare, switchedOn } from '../../support/admin.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { FRONTEND_TOKEN, startTestService, type TestService } from '../../support/service.ts';

const PAYLOAD = { type: 'string' as const, value: 'x'.repeat(100_000) };
const LOOK_MS = 5_000;

let service: TestService;
const looks = new ManualClock();

beforeAll(async () => {
  // Only the checks of stalled readers use the clock of the test.
  const clock: Clock = {
    nowMs: systemClock.nowMs,
    sleep: (delayMs, signal) => (delayMs === LOOK_MS ? looks : systemClock).sleep(delayMs, signal),
  };
  service = await startTestService({ clock });
  const variants = [
    { name: 'big', weight: 1_000, weightType: 'variable' as const, stickiness: 'default', payload: PAYLOAD },
  ];
  const on = switchedOn('development');
  const environments = [{ ...on, strategies: on.strategies.map((strategy) => ({ ...strategy, variants })) }];
  await prepare(service, (draft) => {
    for (let count = 0; count < 100; count++) draft.put('features', flag(`flag-${count}`, { environments }));
  });
});

afterAll(() => service.close());

async function openStream(): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  connection.socket.pause();
  connection.write(head('GET /api/frontend/streaming?userId=7 HTTP/1.1', `authorization: ${FRONTEND_TOKEN}`));
  return connection;
}

it('a browser that does not read its stream is disconnected, and nothing stays buffered for it', async () => {
  const { frontendStreams, http } = service.running.services;
  const connection = await openStream();
  while (frontendStreams.bufferedBytes < 10_000_000) await wait(1);
  let count = 0;
  for (; frontendStreams.bufferedBytes > 0; count++) {
    looks.advance(LOOK_MS);
    await wait(1);
  }
  expect(count).toBeGreaterThan(12);
  // uWS did not close it: its timeout of ten seconds has not passed.
  expect(count).toBeLessThan(1_000);
  expect(http().streams).toBe(0);
  connection.socket.resume();
  await connection.closed;
  expect(connection.unread.length).toBeLessThan(10_000_000);
});

it('browsers that disconnect in the queue leave nothing behind, while others of their token are stalled', async () => {
  const { frontendStreams, http } = service.running.services;
  const stalled: RawConnection[] = [];
  while (frontendStreams.bufferedBytes < BUFFERED_BYTES_MAX / 2) {
    const before = frontendStreams.bufferedBytes;
    stalled.push(await openStream());
    while (frontendStreams.bufferedBytes === before) await wait(1);
  }
  const leaving = await Promise.all(Array.from({ length: 30 }, openStream));
  const staying = await openStream();
  while (frontendStreams.waitingCount < 31) await wait(1);
  for (const connection of leaving) connection.destroy();
  while (frontendStreams.waitingCount > 1) await wait(1);
  for (const connection of stalled) connection.destroy();
  // The remaining browser is still served.
  while (frontendStreams.waitingCount > 0 || http().streams > 1) await wait(1);
  while (frontendStreams.bufferedBytes === 0) await wait(1);
  staying.destroy();
  while (frontendStreams.bufferedBytes > 0) await wait(1);
});
