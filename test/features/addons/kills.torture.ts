import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../bench/support/free-port.ts';
import { Fleet, ReplicaProcess } from '../../replicas/fleet.ts';
import { ADDON_ENV, type Answering, type Receiver, startReceiver, webhookTo } from '../../support/http/receiver.ts';
import { until } from '../../support/until.ts';

/** A short timeout gives short leases, so that another replica takes over soon. */
const ENV = { ...ADDON_ENV, ADDON_TIMEOUT_MS: '1000' };
const ROUNDS = Number(process.env.ADDON_KILL_ROUNDS ?? 8);
/** Deliveries that are stored together, and the one in progress: what one kill may repeat. */
const REPEATED_MAX = 17;

let receiver: Receiver;
let created = 0;

const answersAfter =
  (delayMs: () => number): Answering =>
  (_received, response) =>
    void setTimeout(() => response.end('ok'), delayMs());

async function createAddon(replica: ReplicaProcess): Promise<number> {
  const answer = await replica.call('POST', '/api/admin/addons', { body: webhookTo(receiver.url) });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.id;
}

/** The ids of the events that the add-on has to send, in order: those of all flags that were created after it. */
async function expectedIds(replica: ReplicaProcess): Promise<number[]> {
  const { json } = await replica.call('GET', '/api/admin/search/events?type=IS:feature-created&limit=1000');
  return json.events.map(({ id }: { id: number }) => id).reverse();
}

const receivedIds = () => receiver.received.map(({ body }) => JSON.parse(body).id as number);

/** Waits for the last event; then every event has arrived, the first arrivals are in order, and repeats are few. */
async function expectAllInOrder(replica: ReplicaProcess, skipped: number, kills: number): Promise<void> {
  const expected = (await expectedIds(replica)).slice(skipped);
  expect(expected.length).toBeGreaterThan(20);
  const arrived = await until(
    () => new Set(receivedIds()),
    (ids) => ids.has(expected.at(-1) ?? 0),
  );
  expect([...arrived]).toEqual(expected);
  expect(receiver.received.length - arrived.size).toBeLessThanOrEqual(kills * REPEATED_MAX);
}

/** Creates flags until it is stopped. A request that a kill interrupts may have succeeded: the audit log decides. */
function creating(replicaOf: () => ReplicaProcess): { stop(): Promise<void> } {
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      const answer = await replicaOf()
        .create(`flag-${++created}`)
        .catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, answer?.status === 201 ? 5 : 50));
    }
  };
  const running = run();
  return {
    stop() {
      isStopped = true;
      return running;
    },
  };
}

describe('the events of an add-on', { timeout: 900_000 }, () => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  const start = async () => {
    receiver = await startReceiver(answersAfter(() => Math.random() * 20));
    undo.push(() => receiver.close());
  };

  it('all arrive, in order, whenever the process is killed, and no start sends old ones', async () => {
    await start();
    const replica = new ReplicaProcess(await freePort(), ENV);
    undo.push(() => replica.dispose());
    await replica.start();
    for (const name of ['old-1', 'old-2']) await replica.create(name);
    await createAddon(replica);
    const creator = creating(() => replica);
    undo.push(() => creator.stop());
    for (let round = 0; round < ROUNDS; round++) {
      const goal = receiver.received.length + 5 + Math.floor(Math.random() * 30);
      await until(
        () => receiver.received.length,
        (count) => count >= goal,
      );
      await replica.end('SIGKILL');
      await replica.start();
    }
    await creator.stop();
    await expectAllInOrder(replica, 2, ROUNDS);
    // A graceful stop repeats nothing.
    const count = receiver.received.length;
    await replica.end('SIGTERM');
    await replica.start();
    await replica.create('last');
    await until(
      () => receiver.received.length,
      (length) => length > count,
    );
    expect(receiver.received.slice(count).map(({ body }) => JSON.parse(body).featureName)).toEqual(['last']);
  });

  it('are sent once by three replicas, and by another one when the one that sends is killed', async () => {
    await start();
    const fleet = await Fleet.start(3, ENV);
    undo.push(() => fleet.dispose());
    await createAddon(fleet.at(1));
    for (let count = 0; count < 30; count++) expect((await fleet.at(count).create(`calm-${count}`)).status).toBe(201);
    await expectAllInOrder(fleet.at(2), 0, 0);
    const attempts = async () => {
      const counts = fleet.replicas.map(async (replica) => {
        const { text } = await replica.call('GET', '/internal-backstage/prometheus');
        return Number(/burgee_addon_attempts_total\{state="success"\} (\d+)/.exec(text)?.[1]);
      });
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    };
    // The receiver answers a little later than it receives. Together the replicas sent each event once, whichever has the lease.
    await until(attempts, (count) => count >= 30);
    expect([await attempts(), receiver.received.length]).toEqual([30, 30]);
    let next = 0;
    const creator = creating(() => fleet.at(next++));
    undo.push(() => creator.stop());
    for (let round = 0; round < 3; round++) {
      const goal = receiver.received.length + 10;
      await until(
        () => receiver.received.length,
        (count) => count >= goal,
      );
      // Whichever replica sends, it is one of the two.
      const killed = [fleet.at(round), fleet.at(round + 1)];
      await Promise.all(killed.map((replica) => replica.end('SIGKILL')));
      const later = receiver.received.length + 10;
      await until(
        () => receiver.received.length,
        (count) => count >= later,
      );
      await Promise.all(killed.map((replica) => replica.start()));
    }
    await creator.stop();
    await fleet.expectAgreement();
    await expectAllInOrder(fleet.at(0), 0, 6);
  });
});
