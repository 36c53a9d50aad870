import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Rejection } from '../../../src/base/rejection.ts';
import type { Decidable } from '../../../src/engine/command.ts';
import { type Replica, recover } from '../../../src/engine/replica.ts';
import { Writer } from '../../../src/engine/writer.ts';
import { loadGuards } from '../../../src/features/guards.ts';
import { decodeCommit, decodeEvent } from '../../../src/state/commit.ts';
import { encodeSnapshot } from '../../../src/state/snapshot.ts';
import { State } from '../../../src/state/state.ts';
import type { RedisStoreOptions, RedisTimeouts } from '../../../src/stores/redis/options.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import type { LogLoss } from '../../../src/stores/shared-store.ts';
import { type Store, StoreError } from '../../../src/stores/store.ts';
import { untilTrue } from '../../support/until.ts';

const GUARDS = await loadGuards();

/** Short enough for tests, and in the same order of length as those of a service. */
export const TEST_TIMEOUTS: Partial<RedisTimeouts> = {
  connectMs: 500,
  commandMs: 500,
  appendMs: 3_000,
  openMs: 5_000,
  pollMs: 100,
  heartbeatMs: 200,
  graceMs: 150,
  reconnectMinMs: 5,
  reconnectMaxMs: 60,
  waitReplicasMs: 200,
};

const AUTHOR = { id: 1, name: 'test' };

/** Counts how often it was applied: a write that was applied twice counts 2. */
const countOnce: Decidable<string, number> = {
  decide: ({ draft, emit }, name) => {
    const value = (draft.get('counters', name)?.value ?? 0) + 1;
    draft.put('counters', { value }, name);
    emit({ type: 'setting-updated', data: name });
    return value;
  },
};

/** How a write ended for its caller. */
type Ending = 'acknowledged' | 'refused' | 'unknown';

/** A store, its replica and its writer, which follow hints as a service does: the smallest unit with state. */
export class TestReplica {
  readonly store: RedisStore;
  readonly replica: Replica;
  readonly writer: Writer;
  /** The reported losses, with null for the end of a loss. */
  readonly losses: (LogLoss | null)[] = [];
  readonly endings = new Map<string, Ending>();
  #catchingUp: Promise<void> | undefined;
  #isAgain = false;

  private constructor(store: RedisStore, replica: Replica) {
    this.store = store;
    this.replica = replica;
    this.writer = new Writer(replica, store, systemClock, silentLogger, { guards: GUARDS });
    store.onLoss((loss) => this.losses.push(loss));
    store.onTip((tip, entries = []) => {
      for (const entry of entries) this.replica.offer(decodeCommit(entry.bytes), entry);
      if (tip > this.replica.state.seq) this.catchUp();
    });
    this.catchUp();
  }

  static async start(url: string, options: Partial<RedisStoreOptions> = {}): Promise<TestReplica> {
    const { timeouts, ...others } = options;
    const store = new RedisStore({
      url,
      logger: silentLogger,
      clock: systemClock,
      timeouts: { ...TEST_TIMEOUTS, ...timeouts },
      ...others,
    });
    try {
      return new TestReplica(store, await recover(store, await store.open(), new State(), silentLogger));
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  get seq(): number {
    return this.replica.state.seq;
  }

  get acknowledged(): string[] {
    return [...this.endings].filter(([, ending]) => ending === 'acknowledged').map(([name]) => name);
  }

  catchUp(): void {
    if (this.#catchingUp) {
      this.#isAgain = true;
      return;
    }
    this.#catchingUp = this.replica
      .catchUp()
      // Redis is unreachable: the next poll reports the tip again.
      .catch((error: unknown) => expect(error, (error as Error).stack).toBeInstanceOf(StoreError))
      .finally(() => {
        this.#catchingUp = undefined;
        if (this.#isAgain) this.catchUp();
        this.#isAgain = false;
      });
  }

  async write(name: string): Promise<Ending> {
    const outcome = await this.writer.submit(countOnce, name, AUTHOR);
    const ending = outcome instanceof Rejection ? endingOf(outcome) : 'acknowledged';
    this.endings.set(name, ending);
    return ending;
  }

  /** Writes one after another, under names with the prefix, until `isOver` returns true. */
  async writeUntil(isOver: () => boolean, prefix: string): Promise<void> {
    for (let count = 0; !isOver(); count += 1) {
      if ((await this.write(`${prefix}-${count}`)) !== 'acknowledged') await sleep(2);
    }
  }

  refill(): Promise<'refilled' | 'not-refilled'> {
    const { state } = this.replica;
    return this.store.refill({
      seq: state.seq,
      lastEventId: state.lastEventId,
      pieces: encodeSnapshot(state, SERVICE),
      events: [],
    });
  }

  /** Equal on replicas with the same state at the same seq. */
  digest(): string {
    return digestOf(this.replica.state);
  }

  async close(): Promise<void> {
    await this.writer.close();
    await this.store.close();
    await this.#catchingUp;
  }
}

function digestOf(state: State): string {
  const counters = [...state.entries('counters')].map(([name, { value }]) => `${name}=${value}`).sort();
  return createHash('sha256').update(`${state.seq} ${state.lastEventId} ${counters.join()}`).digest('hex');
}

function endingOf({ message }: Rejection): Ending {
  return message.includes('not known') ? 'unknown' : 'refused';
}

/** Expects that every acknowledged write is in the log once, no refused write is, and no entry or event is missing. */
export async function expectTruth(store: Store, replicas: readonly TestReplica[], firstSeq = 1): Promise<void> {
  const tip = await store.tip();
  const commits = (await store.read(firstSeq, tip)).map(({ bytes }) => decodeCommit(bytes));
  expect(commits.map(({ seq }) => seq)).toEqual(Array.from({ length: tip - firstSeq + 1 }, (_, at) => firstSeq + at));
  expect(new Set(commits.map(({ writeId }) => writeId)).size).toBe(commits.length);
  const written = commits.flatMap(({ changes }) => changes.map(({ key }) => key));
  expect(new Set(written).size).toBe(written.length);
  const events = await store.readEventsForward(1, 1_000_000);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
  expect(events.slice(events.length - written.length).map(({ bytes }) => decodeEvent(bytes).data)).toEqual(written);
  const present = new Set(written);
  for (const { endings } of replicas) {
    const missing = [...endings].filter(([name, ending]) => ending === 'acknowledged' && !present.has(name));
    const false503 = [...endings].filter(([name, ending]) => ending === 'refused' && present.has(name));
    expect({ missing, false503 }).toEqual({ missing: [], false503: [] });
  }
}

/** Refills Redis by the replica that is chosen. It is asked again, as a service asks: what it had found may have changed meanwhile. */
export async function untilRefilled(...replicas: readonly TestReplica[]): Promise<void> {
  const refill = () => replicas.find(({ store }) => store.loss?.mayRefill)?.refill();
  await untilTrue(async () => (await refill()) === 'refilled', 'one of them refills Redis');
}
