import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
import { FRONTS } from '../../support/http/front.ts';
import { startTestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, startTestService } from '../../support/service.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** In a function of its own, so that no variable holds what it started. */
async function stateOfClosedService(front: string, onDisk: boolean): Promise<WeakRef<object>> {
  const service = await startTestService({ env: { HTTP_FRONT: front }, onDisk });
  const answer = await service.call('createFeature', { params: { projectId: 'default' }, body: { name: 'first' } });
  expect(answer.status).toBe(201);
  await service.close();
  return new WeakRef(service.running.services.state);
}

async function closedRelay(front: string): Promise<WeakRef<object>> {
  const upstream = await startTestService();
  const relay = await startTestRelay(upstream.url, { tokens: [CLIENT_TOKEN] }, { env: { HTTP_FRONT: front } });
  await relay.close();
  await upstream.close();
  return new WeakRef(relay.relay);
}

/** What was closed, by its name. Filled before the tests: the garbage of all is collected together, because that takes long in a process with many tests. */
const closed = new Map<string, WeakRef<object>>();

beforeAll(async () => {
  for (const front of FRONTS) {
    for (const onDisk of [false, true]) closed.set(`${front} ${onDisk}`, await stateOfClosedService(front, onDisk));
    closed.set(`${front} relay`, await closedRelay(front));
  }
  // Some turns of the event loop, in which timers and connections that are closed end.
  for (let tries = 0; tries < 20 && [...closed.values()].some((one) => one.deref() !== undefined); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collectGarbage();
  }
});

describe.each(FRONTS)('on the %s front', (front) => {
  it.each([false, true])('nothing holds the state of a service that is closed (on disk: %s)', (onDisk) => {
    expect(closed.get(`${front} ${onDisk}`)?.deref()).toBeUndefined();
  });

  it('nothing holds a relay that is closed', () => {
    expect(closed.get(`${front} relay`)?.deref()).toBeUndefined();
  });
});
