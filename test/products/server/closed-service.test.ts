import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { FRONTS } from '../../support/http/front.ts';
import { startTestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, startTestService } from '../../support/service.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Whether the object is collected within some turns of the event loop, in which timers and connections that are closed end. */
async function isCollected(reference: WeakRef<object>): Promise<boolean> {
  for (let tries = 0; tries < 50 && reference.deref() !== undefined; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collectGarbage();
  }
  return reference.deref() === undefined;
}

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

describe.each(FRONTS)('on the %s front', (front) => {
  it.each([false, true])('nothing holds the state of a service that is closed (on disk: %s)', async (onDisk) => {
    expect(await isCollected(await stateOfClosedService(front, onDisk))).toBe(true);
  });

  it('nothing holds a relay that is closed', async () => {
    expect(await isCollected(await closedRelay(front))).toBe(true);
  });
});
