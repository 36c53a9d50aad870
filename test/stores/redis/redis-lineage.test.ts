import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { encodeSnapshot } from '../../../src/state/snapshot.ts';
import { State } from '../../../src/state/state.ts';
import { type LogPosition, ROOT } from '../../../src/stores/lineage.ts';
import type { LossPolicy } from '../../../src/stores/recovery-action.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import type { EntryOrigin } from '../../../src/stores/store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { untilTrue } from '../../support/until.ts';
import { batchOf } from '../store-contract.ts';
import { TcpFaultProxy } from '../tcp-fault-proxy.ts';
import { TEST_TIMEOUTS, TestReplica } from './redis-replica.ts';

const at = (epoch: string, seq: number, ancestors: LogPosition['ancestors'] = []): LogPosition => ({
  epoch,
  seq,
  writeId: `${epoch}.${seq}`,
  ancestors,
});

const branch = (epoch: string, seq: number) => ({ epoch, seq, writeId: `${epoch}.${seq}` });

describe('the history in Redis, identified by its lineage', () => {
  let server: RedisServer;
  let stores: RedisStore[];

  beforeEach(async () => {
    server = await RedisServer.start();
    stores = [];
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
    await server.dispose();
  });

  /** Starts a store with a known position, as from a local copy. Its opening may fail. */
  const start = (
    known: LogPosition | null,
    options: { policy?: LossPolicy; replicaId?: string; url?: string } = {},
  ) => {
    const timeouts = { ...TEST_TIMEOUTS, openMs: 60_000 };
    const store = new RedisStore({
      url: server.url,
      logger: silentLogger,
      clock: systemClock,
      timeouts,
      known,
      ...options,
    });
    stores.push(store);
    void store.open().catch(() => {});
    return store;
  };

  const refill = (store: RedisStore) =>
    store.refill({ seq: store.position.seq, lastEventId: 0, pieces: encodeSnapshot(new State(), SERVICE), events: [] });

  const meta = async (field: string) => (await server.command('HGET', '{burgee}:meta', field)).trim();

  it('begins an epoch with every run of the server, and records where the previous epoch ended', async () => {
    const replica = await TestReplica.start(server.url);
    const first = replica.store.epoch;
    await replica.write('one');
    const { writeId } = replica.store.position;
    await server.kill();
    await server.start();
    expect(await replica.write('two')).toBe('acknowledged');
    expect(replica.store.epoch).not.toBe(first);
    expect(replica.store.position).toMatchObject({
      epoch: replica.store.epoch,
      seq: 2,
      ancestors: [{ epoch: first, seq: 1, writeId }],
    });
    expect(JSON.parse(await meta('ancestors'))).toEqual([{ epoch: first, seq: 1, writeId }]);
    expect(replica.store.loss).toBeNull();
    await replica.close();
  });

  it('returns the epoch in which a batch was appended, also if the answer to the append was lost', async () => {
    const proxy = await TcpFaultProxy.start(server.port);
    const store = start(null, { url: proxy.url });
    await untilTrue(() => store.status().reachable, 'the store is reachable');
    const { epoch } = store;
    await store.append(batchOf(0, [Buffer.from('before')]));
    proxy.setFault('deaf');
    const appending = store.append(batchOf(1, [Buffer.from('heard by the server only')]));
    await untilTrue(async () => (await meta('tip')) === '2', 'the server has it');
    await server.kill();
    await server.start();
    proxy.setFault('none');
    const outcome = await appending;
    expect(store.epoch).not.toBe(epoch);
    expect(outcome).toMatchObject({ status: 'appended', origin: { epoch } });
    // Otherwise the commit could not be applied, and its caller would get an unknown outcome.
    expect(outcome.status === 'appended' && store.take(2, outcome.origin as EntryOrigin)).toBe(true);
    await proxy.close();
  });

  it('continues from before the first write: a replica with a lost write gives it up, and is not foreign', async () => {
    const first = await TestReplica.start(server.url);
    const { epoch } = first.store;
    server.backUp('empty');
    await first.write('lost');
    const { writeId } = first.store.position;
    await first.close();
    await server.restore('empty');
    const second = await TestReplica.start(server.url);
    expect(await second.write('other')).toBe('acknowledged');
    expect(JSON.parse(await meta('ancestors'))).toEqual([{ epoch, seq: 0, writeId: '' }]);
    const returned = start({ epoch, seq: 1, writeId, ancestors: [] });
    await untilTrue(() => returned.loss !== null, 'it has noticed');
    expect(returned.loss).toMatchObject({ kind: 'superseded', commonSeq: 0 });
    await second.close();
  });

  it('lets the line of the later epoch refill an empty server, not the line with the higher seq (D7)', async () => {
    const later = start(at('later', 4, [branch('early', 2)]), { replicaId: 'a' });
    const early = start(at('early', 9), { replicaId: 'b' });
    await untilTrue(() => later.loss?.mayRefill === true, 'the later line is chosen');
    await untilTrue(() => early.loss !== null, 'the other one has noticed');
    expect(early.loss).toMatchObject({ kind: 'behind', mayRefill: false });
    expect(await refill(later)).toBe('refilled');
    expect(await meta('tip')).toBe('4');
    await untilTrue(() => early.loss?.kind === 'superseded', 'the other one gives up');
    expect(early.loss).toMatchObject({ commonSeq: 2 });
  });

  it('accepts neither of two unrelated lines (D7)', async () => {
    const one = start(at('one', 4));
    const other = start(at('other', 9));
    await untilTrue(() => one.loss?.kind === 'contested' && other.loss?.kind === 'contested', 'both have noticed');
    expect(one.status()).toMatchObject({ reachable: false, refusal: 'contested' });
    expect([await refill(one), await refill(other)]).toEqual(['not-refilled', 'not-refilled']);
    expect((await server.command('EXISTS', '{burgee}:meta')).trim()).toBe('0');
  });

  it('accepts a replica without commits, whatever its epoch is called (D6)', async () => {
    const writer = await TestReplica.start(server.url);
    await writer.write('one');
    const empty = start({ ...ROOT, epoch: 'of a copy at revision 0' });
    await untilTrue(() => empty.status().reachable, 'the store is reachable');
    expect(empty.loss).toBeNull();
    await writer.close();
  });

  it('is refilled without waiting for a replica that halts, which keeps reporting its loss', async () => {
    const halting = start(at('early', 9), { policy: 'halt' });
    await untilTrue(() => halting.loss !== null, 'it has noticed');
    expect(halting.loss).toMatchObject({ kind: 'behind', mayRefill: false });
    const refilling = start(at('early', 5));
    await untilTrue(() => refilling.loss?.mayRefill === true, 'the other one is chosen');
    expect(await refill(refilling)).toBe('refilled');
    await untilTrue(() => refilling.status().reachable, 'the store is reachable');
    expect(await meta('tip')).toBe('5');
    // Nothing was written since: it could still refill, but its policy is to halt.
    expect(halting.loss).toMatchObject({ kind: 'behind', mayRefill: false });
  });

  it('is not refilled if all replicas halt', async () => {
    const most = start(at('early', 9), { policy: 'halt' });
    const less = start(at('early', 5), { policy: 'halt' });
    await untilTrue(() => most.loss !== null && less.loss !== null, 'both have noticed');
    expect([most.loss?.mayRefill, less.loss?.mayRefill]).toEqual([false, false]);
    expect((await server.command('EXISTS', '{burgee}:meta')).trim()).toBe('0');
  });

  it('makes a replica give up commits that a restored backup does not have, also if nothing was written since', async () => {
    const writer = await TestReplica.start(server.url);
    await writer.write('one');
    const { epoch, writeId } = writer.store.position;
    await writer.close();
    const decided = [{ epoch, seq: 1, writeId, isDecided: true }];
    await server.command('HSET', '{burgee}:meta', 'epoch', 'restored', 'ancestors', JSON.stringify(decided));
    const ahead = start({ ...at('x', 3), epoch });
    await untilTrue(() => ahead.loss !== null, 'it has noticed');
    expect(ahead.loss).toMatchObject({ kind: 'superseded', commonSeq: 1 });
  });

  it.each([
    ['of another epoch', () => at('elsewhere', 3), 'does not descend from elsewhere'],
    ['with another newest write', (epoch: string) => at(epoch, 2), 'has other entries'],
    ['with another write under a number that the log has', (epoch: string) => at(epoch, 1), 'has other entries'],
  ])('is foreign to a replica with a history %s: neither is changed', async (_, position, message) => {
    const writer = await TestReplica.start(server.url);
    for (const name of ['one', 'two']) expect(await writer.write(name)).toBe('acknowledged');
    const { epoch } = writer.store;
    await writer.close();
    const foreign = start(position(epoch));
    await untilTrue(() => foreign.loss !== null, 'it has noticed');
    expect(foreign.loss).toMatchObject({ kind: 'foreign', mayRefill: false, commonSeq: 0, foundEpoch: epoch });
    const reason = `its history, of epoch ${epoch}, ${message}`;
    expect(foreign.status()).toMatchObject({ reason, refusal: 'foreign' });
    expect(await refill(foreign)).toBe('not-refilled');
    expect([await meta('epoch'), await meta('tip')]).toEqual([epoch, '2']);
  });
});
