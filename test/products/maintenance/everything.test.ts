import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { decideInSteps } from '../../../src/engine/command.ts';
import { recover } from '../../../src/engine/replica.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import { SERIES } from '../../../src/products/maintenance/counter-series.ts';
import { reapplyCommit } from '../../../src/products/maintenance/reapply-commit.ts';
import { collectionNames } from '../../../src/state/collections.ts';
import { type Change, encodeCommit, encodeEvent } from '../../../src/state/commit.ts';
import { Draft } from '../../../src/state/draft.ts';
import { encodeSnapshot } from '../../../src/state/snapshot.ts';
import { State } from '../../../src/state/state.ts';
import { DELTAS_MAX } from '../../../src/stores/counters.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { ACCEPTED_INPUTS, seedWorld } from '../../support/command-world.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { commitOf } from '../../support/random-state.ts';
import { stateDigest } from '../../support/state-digest.ts';
import { COMMANDS, contextOf } from '../../support/stored-commands.ts';
import { tell } from './store-command.ts';

let root: string;
let redis: RedisServer;
const state = new State();
let digest: string;

/** Entities of every collection: those that commands need, and those that each command makes. */
function everything(): Change[] {
  const world = seedWorld(new State());
  const found = new Map<string, Change>();
  const note = (changes: readonly Change[]) => {
    for (const change of changes) if (change.entity) found.set(`${change.collection}/${change.key}`, change);
  };
  note(world.changes());
  for (const command of COMMANDS) {
    const draft = new Draft(world);
    // Late enough for flags to have outlived their lifetime.
    const context = { ...contextOf(draft, systemCaller(), []), now: '2026-12-01T00:00:00.000Z' };
    const value = atOnce(decideInSteps(command, context, ACCEPTED_INPUTS[command.name]));
    expect(value instanceof Rejection, command.name).toBe(false);
    note(draft.changes());
  }
  const draft = new Draft(world);
  const commit = {
    seq: 1,
    writeId: 'w1',
    at: '2026-01-01T00:00:00.000Z',
    by: { id: 1, name: 'somebody' },
    changes: [],
  };
  expect(reapplyCommit.decide(contextOf(draft, systemCaller(), []), { epoch: 'e1', commit })).toBe('applied');
  note(draft.changes());
  return [...found.values()];
}

const lmdb = (directory: string) => new LmdbStore({ directory, logger: silentLogger });
const inRedis = (keyPrefix = 'burgee') =>
  new RedisStore({
    url: redis.url,
    keyPrefix,
    logger: silentLogger,
    clock: systemClock,
    timeouts: { graceMs: 50, pollMs: 20 },
  });

/** The digest of the state of a service that starts on the store. */
async function digestOf(store: Store): Promise<string> {
  try {
    const replica = await recover(store, await store.open(), new State(), silentLogger);
    return stateDigest(replica.state);
  } finally {
    await store.close();
  }
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'burgee-everything-'));
  redis = await RedisServer.start();
  const commit = { ...commitOf(state, everything()), events: { firstId: 1, count: 1 } };
  state.apply(commit);
  digest = stateDigest(state);
  const store = lmdb(join(root, 'first'));
  await store.open();
  const event = {
    id: 1,
    type: 'setting-updated' as const,
    createdAt: commit.at,
    createdBy: 'somebody',
    createdByUserId: 1,
    environment: null,
    project: null,
    featureName: null,
    data: null,
    preData: null,
    tags: null,
  };
  const entries = [{ seq: commit.seq, bytes: encodeCommit(commit) }];
  const events = [{ id: 1, bytes: encodeEvent(event) }];
  await store.append({ expectedTip: 0, writeId: commit.writeId, entries, events });
  await store.close();
});

afterAll(async () => {
  await redis.dispose();
  rmSync(root, { recursive: true, force: true });
});

describe('a state with entities of every collection', () => {
  it('has no empty collection: a command must make an entity of each new collection here', () => {
    const empty = collectionNames().filter((name) => [...state.entries(name)].length === 0);
    expect(empty).toEqual([]);
  });

  it('is the same after a start from the log', async () => {
    expect(await digestOf(lmdb(join(root, 'first')))).toBe(digest);
  });

  it('is the same after a start from a snapshot', async () => {
    const directory = join(root, 'snapshot');
    await tell('copy', '--from', `lmdb:${join(root, 'first')}`, '--to', `lmdb:${directory}`);
    const store = lmdb(directory);
    await store.open();
    await store.saveSnapshot(state.seq, encodeSnapshot(state, SERVICE));
    await store.trim(state.seq);
    await store.close();
    expect(await digestOf(lmdb(directory))).toBe(digest);
  });

  it('is the same for a replica in Redis, and after a copy back', async () => {
    await tell('copy', '--from', `lmdb:${join(root, 'first')}`, '--to', redis.url);
    expect(await digestOf(inRedis())).toBe(digest);
    await tell('copy', '--from', redis.url, '--to', `lmdb:${join(root, 'back')}`);
    expect(await digestOf(lmdb(join(root, 'back')))).toBe(digest);
  });

  it('stays the history of a replica in Redis after several looks', async () => {
    await tell('copy', '--from', `lmdb:${join(root, 'first')}`, '--to', redis.url, '--key-prefix', 'looked-at');
    const store = inRedis('looked-at');
    try {
      await recover(store, await store.open(), new State(), silentLogger);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect([store.loss, store.status().reachable]).toEqual([null, true]);
    } finally {
      await store.close();
    }
  });

  it('is copied with its counters from one store to another', async () => {
    const at = Date.parse('2026-06-01T00:00:00.000Z');
    const counted = (series: (typeof SERIES)[number], index: number): [number, Map<string, number>][] =>
      [0, 1].map((bucket) => {
        const names = Array.from(
          { length: index === 0 ? 2 * DELTAS_MAX + 1 : 3 },
          (_, name) => `${series.name} ${name}`,
        );
        return [at + bucket * series.spanMs, new Map(names.map((name, offset) => [name, 1 + offset + bucket]))];
      });
    const read = async (store: Store) => {
      await store.open();
      try {
        const found: [number, Map<string, number>][][] = [];
        for (const series of SERIES) {
          const buckets: [number, Map<string, number>][] = [];
          const range = { series, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
          for await (const { startMs, counts } of store.counters.read(range)) buckets.push([startMs, new Map(counts)]);
          found.push(buckets);
        }
        return found;
      } finally {
        await store.close();
      }
    };
    const store = lmdb(join(root, 'first'));
    await store.open();
    let number = 0;
    for (const [index, series] of SERIES.entries()) {
      for (const [startMs, counts] of counted(series, index)) {
        const all = [...counts];
        for (let from = 0; from < all.length; from += DELTAS_MAX) {
          number++;
          const some = new Map(all.slice(from, from + DELTAS_MAX));
          await store.counters.add({ series, startMs }, some, { recorder: 'somebody', number });
        }
      }
    }
    await store.close();
    const expected = SERIES.map(counted);
    const named = ['--key-prefix', 'counted'];
    await tell('copy', '--from', `lmdb:${join(root, 'first')}`, '--to', redis.url, ...named);
    expect(await read(inRedis('counted'))).toEqual(expected);
    await tell('copy', '--from', redis.url, '--to', `lmdb:${join(root, 'counted')}`, ...named);
    expect(await read(lmdb(join(root, 'counted')))).toEqual(expected);
  });

  it('has no counters that a copy would omit: every series is in the list', () => {
    const folder = fileURLToPath(new URL('../../../src', import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const stated = files.flatMap((name) => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/^(?:export )?const (\w+)(?:: Series = \{| = sharded\()/gm),
    ]);
    const listed = readFileSync(join(folder, 'products/maintenance/counter-series.ts'), 'utf8');
    expect(stated.length).toBeGreaterThan(8);
    // Each series is in the list, or is named there as one that is not copied.
    for (const [, name] of stated)
      expect(listed, name).toMatch(new RegExp(`^  (\\.\\.\\.)?${name},$|\`${name}\``, 'm'));
  });

  it('is the same from a backup', async () => {
    const file = join(root, 'backup');
    await tell('backup', '--from', `lmdb:${join(root, 'first')}`, '--to', `file:${file}`);
    await tell('restore', '--from', `file:${file}`, '--to', `lmdb:${join(root, 'restored')}`);
    expect(await digestOf(lmdb(join(root, 'restored')))).toBe(digest);
  });
});
