import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';
import { alertmanager } from '../support/signals.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet, ReplicaProcess } from './fleet.ts';

/** Kills of the process. */
const ROUNDS = 4;

const PROJECT = '/api/admin/projects/default';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

async function made(replica: ReplicaProcess, method: string, path: string, body?: unknown): Promise<Any> {
  const answer = await replica.call(method, path, { body });
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
}

/** A flag that is on, and an action set that switches it off. */
async function prepare(replica: ReplicaProcess) {
  await replica.create('checkout');
  const location = `${PROJECT}/features/checkout/environments/development`;
  await made(replica, 'POST', `${location}/on`);
  const endpoint = await made(replica, 'POST', '/api/admin/signal-endpoints', { name: 'monitor' });
  const path = `/api/admin/signal-endpoints/${endpoint.id}/tokens`;
  const { token } = await made(replica, 'POST', path, { name: 'cluster' });
  const account = await made(replica, 'POST', '/api/admin/service-account', { username: 'robot', rootRole: 2 });
  const set = await made(replica, 'POST', `${PROJECT}/actions`, {
    name: 'off',
    actorId: account.id,
    match: { source: 'signal-endpoint', sourceId: endpoint.id },
    actions: [
      { action: 'TOGGLE_FEATURE_OFF', executionParams: { environment: 'development', featureName: 'checkout' } },
    ],
  });
  const headers = { authorization: `Bearer ${token}` };
  return {
    setPath: `${PROJECT}/actions/${set.id}/events`,
    turnOn: (at: ReplicaProcess) => made(at, 'POST', `${location}/on`),
    send: (at: ReplicaProcess) =>
      at.call('POST', '/api/signal-endpoint/monitor', { body: alertmanager(), headers }).then(({ status }) => status),
    switchedOff: async (at: ReplicaProcess): Promise<number> =>
      (await made(at, 'GET', '/api/admin/search/events?type=IS:feature-environment-disabled&limit=100')).events.length,
  };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

const runsOf = async (replica: ReplicaProcess, { setPath }: Prepared): Promise<Any[]> =>
  (await made(replica, 'GET', setPath)).events;

const untilEnded = (replica: ReplicaProcess, prepared: Prepared, count: number) =>
  untilTrue(async () => {
    const runs = await runsOf(replica, prepared);
    return runs.length === count && runs.every(({ state }) => state === 'success');
  }, `${count} executions succeeded`);

describe('the actions of a signal', { timeout: 240_000 }, () => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  it('are made once by two replicas, whichever takes the signal', async () => {
    const fleet = await Fleet.start(2);
    undo.push(() => fleet.dispose());
    const prepared = await prepare(fleet.at(0));
    await fleet.expectAgreement();
    for (let count = 1; count <= 5; count++) {
      expect(await prepared.send(fleet.at(count))).toBe(202);
      await untilEnded(fleet.at(count + 1), prepared, count);
      await fleet.expectAgreement();
      expect(await prepared.switchedOff(fleet.at(0))).toBe(count);
      await prepared.turnOn(fleet.at(0));
      await fleet.expectAgreement();
    }
  });

  it('are made by another start if the process is killed after it accepted the signal and before it made them', async () => {
    const replica = new ReplicaProcess(await freePort(), {});
    undo.push(() => replica.dispose());
    await replica.start();
    const prepared = await prepare(replica);
    // Maintenance holds the actions back.
    await made(replica, 'POST', '/api/admin/maintenance', { enabled: true });
    expect(await prepared.send(replica)).toBe(202);
    await replica.end('SIGKILL');
    await replica.start();
    expect(await runsOf(replica, prepared)).toMatchObject([{ state: 'started' }]);
    expect(await prepared.switchedOff(replica)).toBe(0);
    await made(replica, 'POST', '/api/admin/maintenance', { enabled: false });
    await untilEnded(replica, prepared, 1);
    expect(await prepared.switchedOff(replica)).toBe(1);
  });

  it('follow every accepted signal when kills come at any time, once each', async () => {
    const replica = new ReplicaProcess(await freePort(), {});
    undo.push(() => replica.dispose());
    await replica.start();
    const prepared = await prepare(replica);
    let accepted = 0;
    for (let round = 0; round < ROUNDS; round++) {
      if (round > 0) await prepared.turnOn(replica);
      if ((await prepared.send(replica)) === 202) accepted++;
      // The actions may have been made, or not.
      await replica.end('SIGKILL');
      await replica.start();
      await untilEnded(replica, prepared, accepted);
      expect(await prepared.switchedOff(replica)).toBe(accepted);
    }
    expect(accepted).toBe(ROUNDS);
  });
});
