import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recover } from '../../src/actors/replica.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { Rejection } from '../../src/base/rejection.ts';
import { atOnce } from '../../src/base/yield-control.ts';
import { decideInSteps } from '../../src/commands/command.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import { systemCaller } from '../../src/model/caller.ts';
import { COLLECTION_NAMES } from '../../src/state/collections.ts';
import { type Change, encodeCommit, encodeEvent } from '../../src/state/commit.ts';
import { Draft } from '../../src/state/draft.ts';
import { encodeSnapshot } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { ACCEPTED_INPUTS, seedWorld } from '../commands/command-world.ts';
import { commitOf } from '../support/random-state.ts';
import { RedisServer } from '../support/redis.ts';
import { stateDigest } from '../support/state-digest.ts';
import { contextOf } from '../support/stored-commands.ts';
import { tell } from './store-command.ts';

let root: string;
let redis: RedisServer;
const state = new State();
let digest: string;

/** Something of every collection: what every command can be asked of, and what each makes of it. */
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
  return [...found.values()];
}

const lmdb = (directory: string) => new LmdbStore({ directory, logger: silentLogger });
const inRedis = () =>
  new RedisStore({ url: redis.url, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 50 } });

/** What a service that starts on the store holds. */
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
    ...{ id: 1, type: 'setting-updated' as const, createdAt: commit.at, createdBy: 'somebody', createdByUserId: 1 },
    ...{ environment: null, project: null, featureName: null, data: null, preData: null, tags: null },
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

describe('a state that holds something of every collection', () => {
  it('is one: whoever adds a collection adds something of it here, through a command', () => {
    const empty = COLLECTION_NAMES.filter((name) => [...state.entries(name)].length === 0);
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
    await store.saveSnapshot(state.seq, encodeSnapshot(state));
    await store.trim(state.seq);
    await store.close();
    expect(await digestOf(lmdb(directory))).toBe(digest);
  });

  it('is the same in Redis, for a replica that joins there, and back from it', async () => {
    await tell('copy', '--from', `lmdb:${join(root, 'first')}`, '--to', redis.url);
    expect(await digestOf(inRedis())).toBe(digest);
    await tell('copy', '--from', redis.url, '--to', `lmdb:${join(root, 'back')}`);
    expect(await digestOf(lmdb(join(root, 'back')))).toBe(digest);
  });

  it('is the same from a backup', async () => {
    const file = join(root, 'backup');
    await tell('backup', '--from', `lmdb:${join(root, 'first')}`, '--to', `file:${file}`);
    await tell('restore', '--from', `file:${file}`, '--to', `lmdb:${join(root, 'restored')}`);
    expect(await digestOf(lmdb(join(root, 'restored')))).toBe(digest);
  });
});
